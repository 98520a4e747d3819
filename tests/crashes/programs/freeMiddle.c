/* A pointer into the middle of a block is freed. */
#include <stdlib.h>
int main(void) {
  char *a = malloc(100);
  free(a + 8);
  return 0;
}
