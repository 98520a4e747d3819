/* A 2-3 tree: nodes have two or three children, one more than keys; leaves have none. */
#include "ops.h"

struct btree { int count; int key[2]; struct btree *child[3]; };
static struct btree *root;

static struct btree *make(int key) {
  struct btree *n = malloc(sizeof(struct btree));
  n->count = 1;
  n->key[0] = key, n->key[1] = 0;
  n->child[0] = n->child[1] = n->child[2] = NULL;
  return n;
}

/* A full node gets another key, and a child behind it: it is split, and what is in the middle goes up. */
static struct btree *split(struct btree *n, int at, int key, struct btree *right, int *up) {
  int keys[3];
  struct btree *children[4];
  for (int i = 0, k = 0; i < 3; i++) keys[i] = i == at ? key : n->key[k++];
  for (int i = 0, k = 0; i < 4; i++) children[i] = i == at + 1 ? right : n->child[k++];
  struct btree *other = make(keys[2]);
  other->child[0] = children[2];
  other->child[1] = children[3];
  if (children[2] && BUG(1)) other->child[1] = children[2]; // @fault1
  n->count = 1;
    n->key[0] = keys[0];
  n->child[0] = children[0];
  n->child[1] = children[1];
  n->child[2] = NULL;
  if (children[1] && BUG(3)) n->child[1] = NULL; // @fault3
  if (children[1] && BUG(2)) n->count = 2; // @fault2
  *up = keys[1];
  return other;
}

/* What was split off, to be put behind *up; NULL if nothing was. */
static struct btree *insert(struct btree *n, int key, int *up) {
  int at = 0, rising = key;
  struct btree *right = NULL;
  step();
  while (at < n->count && key > n->key[at]) at++;
  if (at < n->count && n->key[at] == key) return NULL;
  if (n->child[0]) {
    right = insert(n->child[at], key, &rising);
    if (!right) return NULL;
  }
  if (n->count == 2) return split(n, at, rising, right, up);
  if (at == 0) {
    n->key[1] = n->key[0];
    n->child[2] = n->child[1];
  }
  n->key[at] = rising;
  n->child[at + 1] = right;
  n->count = 2;
  if (right && BUG(4)) n->child[at + 1] = n->child[at]; // @fault4
  if (right && BUG(5)) n->count = 1; // @fault5
  if (right && BUG(6)) n->child[at] = NULL; // @fault6
  if (right && BUG(7)) n->child[at] = n; // @fault7
  if (right && BUG(8)) n->child[0] = root; // @fault8
  if (right && BUG(9)) memset(n->child, 0, sizeof n->child[0]); // @fault9
  if (right && BUG(10)) n->child[2] = (struct btree *)((char *)n->child[2] + 8); // @fault10
  return NULL;
}

static void add(int key) {
  int up;
  if (!root) { root = make(key); return; }
  struct btree *right = insert(root, key, &up);
  if (!right) return;
  struct btree *old = root;
  root = make(up);
  root->child[0] = old;
  root->child[1] = right;
}

/* Keys of leaves that have two are taken away. */
static void delete(int key) {
  struct btree *n = root;
  while (n->child[0]) {
    int at = 0;
    while (at < n->count && key > n->key[at]) at++;
    if (!n->child[at]) return;
    n = n->child[at];
    step();
  }
  if (n->count == 2) { n->count = 1; n->key[1] = 0; }
}

int main(void) {
  for (int i = 0; i < NODES * 2; i++) add(rnd(10000000));
  for (operation = 0; operation < OPERATIONS; operation++) {
    int key = rnd(10000000);
    if (injected) break;
    if (rnd(3)) add(key); else delete(key);
  }
  printf("%d\n", root->count);
  return 0;
}
