/* A circular list: every node has one node before it and one after it. */
#include "ops.h"

struct node { int value; struct node *next; };
static struct node *head;
static struct node *freed;

static struct node *walk(int n) {
  struct node *at = head;
  while (n-- > 0 && at->next) { at = at->next; step(); }
  return at;
}

static void insert(int value) {
  struct node *n = malloc(sizeof(struct node));
  n->value = value;
  n->next = n;
  if (!head) { head = n; return; }
  struct node *at = walk(rnd(40));
  if (!at->next) return;
  n->next = at->next;
  if (BUG(1)) n->next = NULL; // @fault1
  if (BUG(2)) n->next = at; // @fault2
  if (BUG(3)) n->next = at->next->next; // @fault3
  if (BUG(4)) { free(n); return; }
  at->next = n;
  if (BUG(5)) at->next = at; // @fault5
  if (BUG(6)) n->next = head->next; // @fault6
  if (BUG(7)) memset(at, 0, sizeof *at); // @fault7
  if (BUG(8)) n->next = (struct node *)((char *)n->next + 4); // @fault8
  if (BUG(9)) at->next = freed; // @fault9
}

static void delete(void) {
  struct node *at = walk(rnd(40));
  struct node *gone = at->next;
  if (!gone || gone == at || gone == head) return;
  if (BUG(4)) { at->next = gone->next->next; free(gone); return; } // @fault4
  at->next = gone->next;
  if (BUG(10)) { at->next = gone; } // @fault10
  free(gone); // @fault10
  freed = gone;
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
