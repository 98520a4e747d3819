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
  if (BUG(1)) a->right = NULL; // @fault1
  if (a->right && BUG(2)) a->right->key = a->key - 1; // @fault2
  if (dist(a->left) < dist(a->right)) {
    struct leftist *t = a->left;
    a->left = a->right;
    a->right = t;
    if (t && BUG(3)) a->right = a->left; // @fault3
  }
  a->dist = dist(a->right) + 1;
  if (BUG(4)) a->dist += 2; // @fault4
  if (a->left && BUG(5)) a->left = NULL; // @fault5
  if (a->left && BUG(6)) a->key = a->left->key + 1; // @fault6
  if (a->right && BUG(7)) { struct leftist *t = a->left; a->left = a->right; a->right = t; a->left->key = 0; } // @fault7
  if (a->right && BUG(8)) a->right = a; // @fault8
  if (a->left && BUG(9)) memset(a->left, 0, 8); // @fault9
  if (a->left && a->right && BUG(10)) a->left = a->right; // @fault10
  return a;
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
    if (rnd(2)) insert(rnd(1000000) + 1); else delete();
  }
  printf("%d\n", size);
  return 0;
}
