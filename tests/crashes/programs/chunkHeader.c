/* The header of the next chunk is overwritten; free does not believe it. */
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *a = malloc(24);
  char *b = malloc(2000);
  char *c = malloc(2000);
  memset(a, 'Z', 40);
  free(b);
  free(c);
  free(a);
  return 0;
}
