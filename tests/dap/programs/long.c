volatile unsigned long count;
int rare;

int main(void) {
  rare = 1;
  for (long i = 0; i < 2000000; i++)
    count++;
  rare = 2;
  return 0;
}
