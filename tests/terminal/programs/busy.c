/* Counts for a long time, so that searching through it takes long. */
#include <stdio.h>

struct counter {
  long count;
  long limit;
};

static struct counter counter = { 0, 30000000 };
static volatile int marker;

int main(void) {
  marker = 1;
  for (struct counter *c = &counter; c->count < c->limit; c->count++) __asm__ volatile("");
  marker = 2;
  printf("%ld\n", counter.count);
  return 0;
}
