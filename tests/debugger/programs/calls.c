#include <stdio.h>

int total;

static int add(int a, int b) {
  int sum = a + b;
  total += sum;
  return sum;
}

int twice(int n) {
  int first = add(n, n);
  return first;
}

int fact(int n) {
  if (n <= 1)
    return 1;
  return n * fact(n - 1);
}

int main(void) {
  int result = 0;
  for (int i = 0; i < 3; i++)
    result += twice(i);
  result += fact(4);
  printf("%d %d\n", result, total);
  return 0;
}
