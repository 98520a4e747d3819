/* Values that stay where they are while millions of instructions go by. */
#include <stdlib.h>

static volatile unsigned sink;

static __attribute__((noinline)) void longCall(int rounds) {
  for (int i = 0; i < rounds; i++) sink += i;
}

static __attribute__((noinline)) int *make(int value) {
  int *made = malloc(sizeof *made);
  *made = value;
  return made;
}

static __attribute__((noinline)) int use(int *early, int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; i++) longCall(100);
  for (int i = 0; i < rounds; i++) sum += sink & i;
  return sum + *early; // MARK: use
}

static __attribute__((noinline)) int deep(int *value, int depth) {
  if (depth == 0) return *value; // MARK: bottom
  return deep(value, depth - 1) + 1;
}

int main(void) {
  int *early = make(3);
  longCall(100000);
  int used = use(early, 2000);
  int bottom = deep(early, 50);
  return used + bottom == 0;
}
