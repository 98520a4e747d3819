/* Only the lower half of the neighbour's pointer is hit: it still looks like a heap address. */
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; long value; };
int main(void) {
  char *block = malloc(24);
  struct item *item = malloc(sizeof *item);
  item->next = item;
  memset(block, 0x41, 36);
  item->next->value = 5;
  return 0;
}
