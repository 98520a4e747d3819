/* The same block is freed twice, after it has gone to a fast bin. */
#include <stdlib.h>
int main(void) {
  char *blocks[9];
  for (int i = 0; i < 9; i++) blocks[i] = malloc(40);
  for (int i = 0; i < 8; i++) free(blocks[i]);
  free(blocks[7]);
  return 0;
}
