/* A large negative index hits the allocator's own table at the start of the heap. */
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *a = malloc(24);
  memset(a - 0x290, 0x22, 0x200);
  char *b = malloc(40);
  b[0] = 1;
  return 0;
}
