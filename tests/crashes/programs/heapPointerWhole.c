/* A string runs out of its heap block over a pointer in the next one. */
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; long value; };
int main(void) {
  char *name = malloc(24);
  struct item *item = malloc(sizeof *item);
  item->next = item;
  strcpy(name, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  return (int)item->next->value;
}
