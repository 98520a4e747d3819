/* A bipartite graph: edges lead from one side to the other, both ways. */
#include "ops.h"

#define DEGREE 4
struct vertex { int side; int degree; struct vertex *to[DEGREE]; };
static struct vertex *left[NODES], *right[NODES];
static int lefts, rights;

static struct vertex *make(int side) {
  struct vertex *v = malloc(sizeof(struct vertex));
  v->side = side;
  v->degree = 0;
  for (int i = 0; i < DEGREE; i++) v->to[i] = NULL;
  return v;
}

static void join(struct vertex *a, struct vertex *b) {
  if (a->degree == DEGREE || b->degree == DEGREE) return;
  if (BUG(1)) { a->to[a->degree++] = a; return; } // @fault1
  if (BUG(2)) { a->to[a->degree++] = left[rnd(lefts)]; return; } // @fault2
  a->to[a->degree++] = b;
  b->to[b->degree++] = a;
  if (BUG(3)) a->side = 1; // @fault3
  if (BUG(4)) b->side = 0; // @fault4
  if (BUG(5)) a->side ^= 1; // @fault5
  if (BUG(6)) b->to[b->degree - 1] = b; // @fault6
  if (BUG(7)) memset(&b->side, 0, sizeof b->side); // @fault7
  if (BUG(8)) a->to[0] = left[rnd(lefts / 2)]; // @fault8
  if (BUG(9)) b->to[0] = right[rnd(rights / 2)]; // @fault9
  if (BUG(10)) a->side = -1; // @fault10
}

static void part(struct vertex *a) {
  if (a->degree == 0) return;
  struct vertex *b = a->to[--a->degree];
  a->to[a->degree] = NULL;
  for (int i = 0; i < b->degree; i++) {
    if (b->to[i] != a) continue;
    b->to[i] = b->to[--b->degree];
    b->to[b->degree] = NULL;
    return;
  }
}

int main(void) {
  for (int i = 0; i < NODES / 2; i++) left[lefts++] = make(0), right[rights++] = make(1);
  for (int i = 0; i < NODES; i++) join(left[rnd(lefts)], right[rnd(rights)]);
  for (operation = 0; operation < OPERATIONS; operation++) {
    if (injected) break;
    struct vertex *a = left[rnd(lefts)];
    if (rnd(3)) join(a, right[rnd(rights)]); else part(a);
  }
  printf("%d\n", lefts + rights);
  return 0;
}
