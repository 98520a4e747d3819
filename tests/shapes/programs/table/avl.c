/* An AVL tree: heights of subtrees differ by one at most; keys are in order. */
#include "ops.h"

struct avltree { int val; struct avltree *right, *left; };
static struct avltree *root;

static int height(struct avltree *t) {
  if (!t) return -1;
  step();
  int l = height(t->left), r = height(t->right);
  return (l > r ? l : r) + 1;
}

static int balance(struct avltree *t) { return height(t->left) - height(t->right); }

static struct avltree *rotate_right(struct avltree *t) {
  struct avltree *l = t->left;
  t->left = l->right;
  l->right = t;
  if (l->left && BUG(3)) l->right = l->left; // @fault3
  return l;
}

static struct avltree *rotate_left(struct avltree *t) {
  struct avltree *r = t->right;
  t->right = r->left;
  r->left = t;
  if (BUG(2)) t->right = r->right; // @fault2
  return r;
}

static struct avltree *rebalance(struct avltree *t) {
  int b = balance(t);
  if (b > 1) {
    if (balance(t->left) < 0) t->left = rotate_left(t->left);
    return rotate_right(t);
  }
  if (b < -1) {
    if (balance(t->right) > 0) t->right = rotate_right(t->right);
    return rotate_left(t);
  }
  return t;
}

static struct avltree *insert(struct avltree *t, int val) {
  if (!t) {
    t = malloc(sizeof(struct avltree));
    t->val = val;
    t->left = t->right = NULL;
    return t;
  }
  step();
  if (val < t->val) t->left = insert(t->left, val);
  else if (val > t->val) t->right = insert(t->right, val);
  return rebalance(t);
}

static void add(int val) {
  root = insert(root, val);
}

static struct avltree *find(int val) {
  struct avltree *t = root;
  while (t && t->val != val) t = val < t->val ? t->left : t->right;
  return t;
}

static struct avltree *delete_least(struct avltree *t, int *val) {
  if (!t->left) {
    struct avltree *r = t->right;
    *val = t->val;
    free(t);
    return r;
  }
  t->left = delete_least(t->left, val);
  return rebalance(t);
}

static struct avltree *delete(struct avltree *t, int val) {
  if (!t) return NULL;
  if (val < t->val) t->left = delete(t->left, val);
  else if (val > t->val) t->right = delete(t->right, val);
  else if (t->left && t->right) t->right = delete_least(t->right, &t->val);
  else {
    struct avltree *child = t->left ? t->left : t->right;
    free(t);
    return child;
  }
  return rebalance(t);
}

static void spoil(int val) {
  struct avltree *t = find(val);
  if (!t || !t->left || !t->right || !t->left->left) return;
  if (BUG(1)) t->left->val = t->val + 1; // @fault1
  if (BUG(4)) t->left = NULL; // @fault4
  if (BUG(5)) t->left = t->right; // @fault5
  if (BUG(6)) t->left->left = t; // @fault6
  if (BUG(7)) { struct avltree *s = t->left; t->left = t->right; t->right = s; } // @fault7
  if (BUG(8)) t->val = t->left->left->val; // @fault8
  if (BUG(9)) memset(t->left, 0, sizeof *t); // @fault9
  if (BUG(10)) t->right->left = t->left; // @fault10
}

int main(void) {
  for (int i = 0; i < NODES; i++) add(rnd(1000000));
  for (operation = 0; operation < OPERATIONS; operation++) {
    int val = rnd(1000000);
    if (injected) break;
    struct avltree *t = root;
    while (t->left && t->right && rnd(5)) t = rnd(2) ? t->left : t->right;
    switch (rnd(3)) {
    case 0: add(val); break;
    case 1: root = delete(root, t->val); break;
    default: spoil(t->val);
    }
  }
  printf("%d\n", root->val);
  return 0;
}
