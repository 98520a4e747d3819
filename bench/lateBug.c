/* A block is freed at the beginning, and a copy of its pointer used after about a thousand million instructions (argument: millions). Without `bug` it is not used. */
#include <stdio.h>
#include <stdlib.h>

struct owner { int *numbers; };

static struct owner first, second;

static void copy(void) { second = first; }

static unsigned long spend(unsigned long millions) {
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < millions * 200000; i++) sum += i;
  return sum;
}

int main(int argc, char **argv) {
  first.numbers = malloc(40);
  first.numbers[3] = 7;
  copy();
  free(first.numbers);
  printf("%lu\n", spend(argc > 1 ? strtoul(argv[1], NULL, 10) : 1));
  fflush(stdout);
  return argc > 2 ? second.numbers[3] : 0;
}
