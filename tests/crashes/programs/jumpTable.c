/* An index past the end of a jump table, after many that were right. */
static int pick(int n, int a) {
  switch (n) {
    case 0: return a * 3;
    case 1: return a + 7;
    case 2: return a ^ 9;
    case 3: return a - 1;
    case 4: return a << 2;
    case 5: return a / 3;
    default: __builtin_unreachable();
  }
}
int main(int argc, char **argv) {
  (void)argv;
  int sum = 0;
  for (volatile int i = 0; i < 3000; i++) sum += pick(i < 2990 ? i % 6 : 6 + i * 256, argc);
  return sum;
}
