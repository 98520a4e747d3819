/* A block is used after it was freed, when its memory serves another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int number;
  char name[12];
};
struct iterator {
  struct item *at;
};

static void drop(struct item *item) {
  item->number = -7; /* last */
  free(item); /* freed */
}

int main(void) {
  struct iterator iterator = {malloc(sizeof(struct item))};
  struct iterator *it = &iterator;
  it->at->number = 42;
  strcpy(it->at->name, "forty-two");
  drop(it->at);
  char *other = malloc(sizeof(struct item));
  memset(other, 'x', sizeof(struct item));
  printf("%d\n", it->at->number); /* BUG */
  return 0;
}
