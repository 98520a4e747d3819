/* A loop of five instructions at -O1, so many times; then `finished` is called, where gdb can stop. */
#include <stdlib.h>

volatile unsigned long sum;

__attribute__((noinline)) void finished(void) { __asm__ volatile(""); }
__attribute__((noinline)) void begin(void) { __asm__ volatile(""); }

int main(int argc, char **argv) {
  unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
  begin();
  for (unsigned long i = 0; i < rounds; i++) sum += i;
  finished();
  return 0;
}
