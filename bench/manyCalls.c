/* Calls malloc and free a million times each, in about 10^8 instructions: for breakpoints on calls. */
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 1000000, KEPT = 64 };

int main(void) {
  static char *kept[KEPT];
  unsigned long sum = 0;
  for (unsigned long i = 0; i < ROUNDS; i++) {
    char **slot = &kept[i % KEPT];
    free(*slot);
    *slot = malloc(16 + i % 7 * 16);
    **slot = (char)i;
    sum += (unsigned long)**slot;
  }
  printf("%lu %p\n", sum, (void *)kept[5]);
  return 0;
}
