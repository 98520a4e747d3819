/* A quad tree: a node has four children or none. */
#include "ops.h"

struct pt { int x, y; };
struct qdtree {
  int posX, posY;
  int width, height;
  struct pt *point;
  struct qdtree *child[4];
};
static struct qdtree *root;
static int count;

static struct qdtree *make(int x, int y, int width, int height) {
  struct qdtree *n = malloc(sizeof(struct qdtree));
  n->posX = x, n->posY = y, n->width = width, n->height = height;
  n->point = NULL;
  for (int i = 0; i < 4; i++) n->child[i] = NULL;
  count++;
  return n;
}

static struct pt *make_point(int x, int y) {
  struct pt *p = malloc(sizeof(struct pt));
  p->x = x, p->y = y;
  return p;
}

static int quadrant(struct qdtree *n, int x, int y) {
  return (x >= n->posX + n->width / 2) + 2 * (y >= n->posY + n->height / 2);
}

static struct qdtree *parent_of_last;

static struct qdtree *search(int x, int y) {
  struct qdtree *n = root;
  parent_of_last = NULL;
  while (n->child[0] || n->child[3]) {
    step();
    struct qdtree *next = n->child[quadrant(n, x, y)];
    if (!next) break;
    parent_of_last = n;
    n = next;
  }
  return n;
}

static void split(struct qdtree *n) {
  struct pt *old = n->point;
  int w = n->width / 2, h = n->height / 2;
  for (int i = 0; i < 4; i++) {
    struct qdtree *t = make(n->posX + (i & 1) * w, n->posY + (i >> 1) * h, w, h);
    if (BUG(1)) continue; // @fault1
    n->child[i] = t; // @fault1
    if (i == 2 && parent_of_last && BUG(2)) parent_of_last->child[0] = NULL; // @fault2
    if (i == 3 && BUG(4)) n->child[3] = NULL; // @fault4
  }
  if (BUG(3)) n->child[0] = n->child[1]; // @fault3
  if (BUG(5)) n->child[2] = n; // @fault5
  if (BUG(6)) n->child[1] = root; // @fault6
  if (BUG(7)) memset(n->child, 0, sizeof n->child[0]); // @fault7
  if (parent_of_last && BUG(8)) parent_of_last->child[3] = n->child[3]; // @fault8
  if (BUG(9)) n->child[2] = (struct qdtree *)old; // @fault9
  if (BUG(10)) { struct qdtree **c = &n->child[0]; c[-1] = 0; *c++ = NULL; } // @fault10
  n->point = NULL;
  if (n->child[quadrant(n, old->x, old->y)]) n->child[quadrant(n, old->x, old->y)]->point = old;
}

static void insert(int x, int y) {
  struct qdtree *n = search(x, y);
  while (n->point && n->width > 2) {
    if (n->point->x == x && n->point->y == y) return;
    split(n);
    struct qdtree *next = n->child[quadrant(n, x, y)];
    if (injected || !next) return;
    parent_of_last = n;
    n = next;
  }
  if (!n->point) n->point = make_point(x, y);
}

static void delete(int x, int y) {
  struct qdtree *n = search(x, y);
  free(n->point);
  n->point = NULL;
  struct qdtree *p = parent_of_last;
  if (!p) return;
  for (int i = 0; i < 4; i++) if (!p->child[i] || p->child[i]->point || p->child[i]->child[0]) return;
  for (int i = 0; i < 4; i++) { free(p->child[i]); p->child[i] = NULL; count--; }
}

int main(void) {
  root = make(0, 0, 1 << 20, 1 << 20);
  while (count < NODES) insert(rnd(1 << 20), rnd(1 << 20));
  for (operation = 0; operation < OPERATIONS; operation++) {
    if (injected) break;
    int x = rnd(1 << 20), y = rnd(1 << 20);
    if (rnd(3)) insert(x, y); else delete(x, y);
  }
  printf("%d\n", count);
  return 0;
}
