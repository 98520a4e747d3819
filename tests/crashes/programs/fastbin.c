/* The link of a block in a fast bin is overwritten. */
#include <stdlib.h>
int main(void) {
  long *blocks[10];
  for (int i = 0; i < 10; i++) blocks[i] = malloc(40);
  for (int i = 0; i < 10; i++) free(blocks[i]);
  blocks[9][0] = 0x5555;
  for (int i = 0; i < 10; i++) blocks[i] = malloc(40);
  return 0;
}
