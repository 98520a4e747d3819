/* What optimisation does to functions and variables. */
#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((always_inline)) int square(int x) {
  int result = x * x;
  return result;
}

static inline __attribute__((always_inline)) int sum_of_squares(int a, int b) {
  int left = square(a);
  int right = square(b);
  return left + right;
}

static __attribute__((noinline)) long consume(long value, double ratio) {
  volatile long sink = value;
  for (int i = 0; i < 3; i++) {
    sink += square((int)sink);
  }
  return sink + (long)ratio;
}

static __attribute__((noinline)) double average(const int *values, unsigned count) {
  double total = 0;
  for (unsigned i = 0; i < count; i++) total += values[i];
  return count ? total / count : 0;
}

static __attribute__((noinline, cold)) void complain(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(3);
}

__attribute__((noinline)) int work(int n, int unused, char **argv) {
  int copy = n;
  unsigned char narrow = (unsigned char)n;
  struct { int a; long b; } pair = { n, n * 2L };
  int values[3] = { n, n + 1, narrow };
  if (n < 0) complain(argv[0]);
  long got = consume(sum_of_squares(n, n + 1), average(values, 3));
  pair.a += (int)got;
  return (int)(got + pair.a + pair.b) + copy;
}

int main(int argc, char **argv) {
  int total = 0;
  for (int i = 0; i < 3; i++) total += work(argc + i, i, argv);
  printf("%d\n", total);
  return 0;
}
