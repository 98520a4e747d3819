/* A leftist heap: the way down to an empty place is never shorter on the left; children are not less than parents. */
#include "ops.h"

struct leftist { int key; int dist; struct leftist *left, *right; };
static struct leftist *heap;
static int size;

static int dist(struct leftist *h) { return h ? h->dist : -1; }

static struct leftist *merge(struct leftist *a, struct leftist *b) {
  if (!a) return b;
  if (!b) return a;
  step();
  if (b->key < a->key) { struct leftist *t = a; a = b; b = t; }
  a->right = merge(a->right, b);
  if (dist(a->left) < dist(a->right)) {
    struct leftist *t = a->left;
    a->left = a->right;
    a->right = t;
    }
  a->dist = dist(a->right) + 1;
  return a;
}

static void spoil(struct leftist *t) {
  if (!t->left || !t->right || !t->left->left) return;
  if (BUG(1)) t->right = t->left; // @fault1
  if (BUG(2)) t->right->key = t->key - 1; // @fault2
  if (BUG(3)) t->left = NULL; // @fault3
  if (BUG(4)) t->dist += 2; // @fault4
  if (BUG(5)) t->left->left = t; // @fault5
  if (BUG(6)) t->key = t->left->key + 1; // @fault6
  if (BUG(7)) { t->left->key = 0; } // @fault7
  if (BUG(8)) t->right = t; // @fault8
  if (BUG(9)) memset(t->left, 0, 8); // @fault9
  if (BUG(10)) t->right->dist = t->left->dist + 1; // @fault10
}

static void insert(int key) {
  struct leftist *n = malloc(sizeof(struct leftist));
  n->key = key, n->dist = 0;
  n->left = n->right = NULL;
  heap = merge(heap, n);
  size++;
}

static void delete(void) {
  struct leftist *least = heap;
  heap = merge(least->left, least->right);
  free(least);
  size--;
}

int main(void) {
  for (int i = 0; i < NODES; i++) insert(rnd(1000000) + 1);
  for (operation = 0; operation < OPERATIONS; operation++) {
    if (injected) break;
    struct leftist *t = heap;
    while (t->left && t->right && rnd(4)) t = rnd(2) ? t->left : t->right;
    switch (rnd(3)) {
    case 0: insert(rnd(1000000) + 1); break;
    case 1: delete(); break;
    default: spoil(t);
    }
  }
  printf("%d\n", size);
  return 0;
}
