/* Lists whose nodes come from a pool, from the stack and from a function that passes memory on; and one that breaks. */
#include <stdio.h>
#include <stdlib.h>

struct node { int key; struct node *next, *prev; };
struct entry { long id; struct entry *next; };

static struct entry pool[8];
static int used;

static struct entry *get(unsigned long bytes) {
  (void)bytes;
  return &pool[used++];
}

static void link_after(struct node *a, struct node *b) {
  b->next = a->next;
  b->prev = a;
  if (a->next) a->next->prev = b;
  a->next = b;
}

int main(int argc, char **argv) {
  struct node *first = calloc(1, sizeof *first);
  for (int i = 1; i < 5; i++) {
    struct node *n = malloc(sizeof(struct node));
    n->key = i;
    link_after(first, n);
  }
  struct entry *list = NULL;
  for (int i = 0; i < 4; i++) {
    struct entry *e = get(sizeof(struct entry));
    e->id = i;
    e->next = list;
    list = e;
  }
  puts("what the program prints");
  if (argc > 1) first->next->next->prev = first; // @broken
  fprintf(stderr, "and what it complains of\n");
  return 3;
}
