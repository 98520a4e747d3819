/* A doubly-linked list: what comes after a node has the node before it. */
#include "ops.h"

struct node { int value; struct node *next, *prev; };
static struct node *head;

static struct node *walk(int n) {
  struct node *at = head;
  while (n-- > 0 && at->next) { at = at->next; step(); }
  return at;
}

static void insert(int value) {
  struct node *n = malloc(sizeof(struct node));
  n->value = value;
  n->next = n->prev = NULL;
  if (!head) { head = n; return; }
  struct node *at = walk(rnd(60));
  n->next = at->next;
  n->prev = at;
  if (BUG(2)) n->prev = n; // @fault2
  if (BUG(3)) n->prev = at->prev; // @fault3
  if (at->next) at->next->prev = n;
  if (BUG(4) && at->next) at->next->prev = at; // @fault4
  if (BUG(5) && at->next) at->next->prev = NULL; // @fault5
  at->next = n;
  if (BUG(1)) n->prev = NULL; // @fault1
  if (BUG(6)) at->next = n->next; // @fault6
  if (BUG(7)) at->next = at; // @fault7
  if (BUG(8)) memset(&n->next, 0, 2 * sizeof n->next); // @fault8
  if (BUG(9)) { struct node *t = n->next; n->next = n->prev; n->prev = t; } // @fault9
}

static void delete(void) {
  struct node *gone = walk(1 + rnd(60));
  if (gone == head) return;
  if (BUG(10) && gone->next) { gone->prev->next = gone->next; free(gone); return; } // @fault10
  gone->prev->next = gone->next;
  if (gone->next) gone->next->prev = gone->prev;
  free(gone);
}

int main(void) {
  for (int i = 0; i < NODES; i++) insert(i);
  for (operation = 0; operation < OPERATIONS; operation++) {
    if (injected) break;
    if (rnd(2)) insert(operation); else delete();
  }
  printf("%d\n", head->value);
  return 0;
}
