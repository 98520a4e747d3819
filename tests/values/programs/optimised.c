/* What optimisation leaves of variables: pieces in registers, pointers to what is nowhere, values at entry. */
#include <stdio.h>

struct pair { int a; long b; };
struct wide { double x, y; };
volatile int sink;

static __attribute__((noinline, noclone)) void use(int value) { sink = value; }

static inline __attribute__((always_inline)) int through(const struct pair *p, int factor) {
  int product = p->a * factor;
  use(product);
  return product + (int)p->b;
}

static inline __attribute__((always_inline)) int twice(int x) {
  int doubled = x + x;
  use(doubled);
  return through(&(struct pair){doubled, x}, 3);
}

static __attribute__((noinline, noclone)) long pieces(int first, long second, struct wide wide) {
  struct pair local = {first + 1, second * 2};
  struct pair half = {first, 0};
  const int constant = 42;
  half.b = sink;
  use(local.a);
  int dead = first * 77;
  long result = through(&local, 5) + twice((int)second) + half.b + constant;
  use((int)wide.x);
  return result + local.b;
}

static __attribute__((noinline, noclone)) int changed(int argument, char *text, float number) {
  use(argument);
  argument += 10;
  use(argument + (int)number);
  text = (char *)"other";
  use(text[0]);
  return argument;
}

int main(int argc, char **argv) {
  long total = 0;
  for (int i = 0; i < 3; i++) total += pieces(argc + i, i * 10, (struct wide){i + 0.5, 2.5}) + changed(i, argv[0], 1.5f);
  printf("%ld\n", total);
  return 0;
}
