#include <stdio.h>

static volatile int sink;

static inline __attribute__((always_inline)) int square(int n) {
  int result = n * n;
  sink = result;
  return result;
}

static inline __attribute__((always_inline)) int both(int a, int b) {
  int left = square(a);
  int right = square(b);
  return left + right;
}

__attribute__((noinline)) int outer(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += both(i, n);
    sink = sum;
  }
  return sum;
}

int main(void) {
  int a = outer(2);
  int b = both(a, 3);
  sink = b;
  printf("%d\n", a + b);
  return 0;
}
