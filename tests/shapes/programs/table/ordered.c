/* An ordered list: keys grow from node to node. */
#include "ops.h"

struct node { int key; struct node *next; };
static struct node *head;

static struct node **place(int key) {
  struct node **at = &head;
  while (*at && (*at)->key < key) { at = &(*at)->next; step(); }
  return at;
}

static void insert(int key) {
  struct node *n = malloc(sizeof(struct node));
  n->key = key;
  n->next = NULL;
  struct node **at = place(key);
  if (*at && (*at)->key == key) { free(n); return; }
  if (BUG(3) && *at && (*at)->next) at = &(*at)->next->next;
  n->next = *at;
  if (BUG(4)) n->next = head; // @fault4
  if (BUG(5)) n->next = n; // @fault5
  if (FAULT == 3 && injected == 1) { injected = 2; *at = n; return; } // @fault3
  *at = n;
  if (BUG(1)) n->key = key + 5000; // @fault1
  if (BUG(2)) n->key = -key - 1; // @fault2
  if (BUG(6) && n->next) n->next->key = key - 1; // @fault6
  if (BUG(7)) memset(&n->key, 0xff, sizeof n->key); // @fault7
  if (BUG(8)) n->key ^= 0x4000; // @fault8
}

static void change(int key) {
  struct node *n = *place(key);
  if (!n || !n->next || !n->next->next) return;
  if (BUG(9)) { int k = n->key; n->key = n->next->key; n->next->key = k; return; } // @fault9
  if (BUG(10)) n->key = n->next->next->key + 1; // @fault10
}

static void delete(int key) {
  struct node **at = place(key);
  struct node *gone = *at;
  if (!gone) return;
  *at = gone->next;
  free(gone);
}

int main(void) {
  for (int i = 0; i < NODES; i++) insert(i * 4);
  for (operation = 0; operation < OPERATIONS; operation++) {
    int key = rnd(NODES * 4);
    if (injected) break;
    switch (rnd(3)) {
    case 0: insert(key); break;
    case 1: delete(key); break;
    default: change(key);
    }
  }
  printf("%d\n", head->key);
  return 0;
}
