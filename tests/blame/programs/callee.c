#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noipa))
volatile long source;
struct state { long size; int *p; } state;
int *other; int number = 4;
APART void deeper(struct state *s, int *p) { s->p = p; }
APART void prepare(struct state *s) { s->size = 3; deeper(s, &number); other = &number; }
int main(void) {
  source = 12;
  struct state local; local.p = (int *)(1L << 45);
  if (source > 3) { prepare(&local); prepare(&state); }
  printf("%d\n", *local.p);
  printf("%d\n", *state.p);
  *other = 4;
  puts("end");
  return 0;
}
