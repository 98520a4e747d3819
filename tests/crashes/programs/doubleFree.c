/* The same block is freed twice. */
#include <stdlib.h>
int main(void) {
  char *a = malloc(40);
  free(a);
  free(a);
  return 0;
}
