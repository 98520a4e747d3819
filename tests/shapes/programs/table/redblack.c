/* A red-black tree: no red node has a red child, and all ways down have as many black nodes; keys are in order. */
#include "ops.h"

enum { RED, BLACK };
struct rbtree { int color; struct rbtree *right, *left, *parent; int key; };
static struct rbtree *root;

static void rotate_left(struct rbtree *x) {
  struct rbtree *y = x->right;
  x->right = y->left;
  if (y->left) y->left->parent = x;
  y->parent = x->parent;
  if (!x->parent) root = y;
  else if (x == x->parent->left) x->parent->left = y;
  else x->parent->right = y;
  y->left = x;
  x->parent = y;
  if (BUG(1)) x->right = NULL, x->parent = x; // @fault1
}

static void rotate_right(struct rbtree *x) {
  struct rbtree *y = x->left;
  x->left = y->right;
  if (y->right) y->right->parent = x;
  y->parent = x->parent;
  if (!x->parent) root = y;
  else if (x == x->parent->left) x->parent->left = y;
  else x->parent->right = y;
  y->right = x;
  x->parent = y;
  if (BUG(2)) y->left = y->right; // @fault2
}

static int is_red(struct rbtree *n) { return n && n->color == RED; }

static void fix(struct rbtree *z) {
  while (is_red(z->parent)) {
    struct rbtree *p = z->parent, *g = p->parent;
    step();
    if (p == g->left) {
      struct rbtree *u = g->right;
      if (is_red(u)) {
        p->color = u->color = BLACK;
        g->color = RED;
        z = g;
        continue;
      }
      if (z == p->right) { rotate_left(p); z = p; p = z->parent; }
      p->color = BLACK;
      g->color = RED;
      rotate_right(g);
    } else {
      struct rbtree *u = g->left;
      if (is_red(u)) {
        p->color = u->color = BLACK;
        g->color = RED;
        z = g;
        continue;
      }
      if (z == p->left) { rotate_right(p); z = p; p = z->parent; }
      p->color = BLACK;
      g->color = RED;
      rotate_left(g);
    }
  }
  root->color = BLACK;
}

static void insert(int key) {
  struct rbtree *p = NULL, **at = &root;
  while (*at) {
    step();
    p = *at;
    if (key == p->key) return;
    at = key < p->key ? &p->left : &p->right;
  }
  struct rbtree *n = malloc(sizeof(struct rbtree));
  n->key = key;
  n->color = RED;
  n->left = n->right = NULL;
  n->parent = p;
  *at = n;
  fix(n);
}

static void recolour(struct rbtree *t) {
  if (!t->left || !t->right || !t->left->left || t->color != BLACK) return;
  if (t->left->color == BLACK && BUG(3)) t->left->color = RED; // @fault3
  if (t->left->color == RED && BUG(4)) t->left->color = BLACK; // @fault4
  if (BUG(5)) t->color = RED; // @fault5
  if (BUG(6)) t->key = t->left->left->key - 1; // @fault6
  if (BUG(7)) t->left->parent = t->right; // @fault7
  if (BUG(8)) t->right = NULL; // @fault8
  if (BUG(9)) t->left = t->left->left; // @fault9
  if (BUG(10)) { struct rbtree *s = t->left; t->left = t->right; t->right = s; } // @fault10
}

/* A red leaf can be taken away without more ado. */
static void delete(int key) {
  struct rbtree **at = &root;
  while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  struct rbtree *n = *at;
  if (!n || n->color != RED || n->left || n->right) return;
  *at = NULL;
  free(n);
}

int main(void) {
  for (int i = 0; i < NODES; i++) insert(rnd(1000000));
  for (operation = 0; operation < OPERATIONS; operation++) {
    if (injected) break;
    struct rbtree *t = root;
    while (t->left && t->right && rnd(7)) t = rnd(2) ? t->left : t->right;
    switch (rnd(3)) {
    case 0: insert(rnd(1000000)); break;
    case 1: delete(t->key); break;
    default: recolour(t);
    }
  }
  printf("%d\n", root->key);
  return 0;
}
