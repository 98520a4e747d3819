// Loops that are one line each.
static volatile int total;

static int twice(int n) {
  return n + n;
}

static int length(const char *text) {
  int n = 0;
  while (*text++) n++;
  return n;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += i;
  total = sum;
  for (int i = 0; i < 3; i++) sum += twice(i);
  total += sum; total += length("four"); do sum--; while (sum > 3);
  total += sum;
  return 0;
}
