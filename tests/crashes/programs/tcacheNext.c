/* The link of a free small block is overwritten; two allocations later it is used. */
#include <stdlib.h>
int main(void) {
  long *a = malloc(40), *b = malloc(40);
  free(a);
  free(b);
  b[0] = 0x4141414141414141;
  a = malloc(40);
  b = malloc(40);
  b[0] = 1;
  return 0;
}
