struct pt { int x, y; };
struct qdtree {
  int posX, posY;
  int width, height;
  struct pt *point;
  struct qdtree *child[4];
};
struct qdtree *root;
void *malloc(unsigned long), insert(int, int), split(int, int, struct qdtree *);
int scanf(const char *, ...);
int main() {
  int x, y;
  while (scanf("%d%d", &x, &y) == 2) insert(x, y);
}
struct qdtree *search(int, int); struct qdtree *parent_node; struct pt *create_point(int, int); void set_node_fields(struct qdtree *, int, struct qdtree *);
void insert(int x, int y) {
  // ##C-POINT(qdtree)
  if (root == 0) {
    root = (struct qdtree *)malloc(sizeof(struct qdtree));
    set_node_fields(root, -1, 0);
    root->point = create_point(x, y);
  }
  else {
    struct qdtree *n = search(x, y);
    if (n->point != 0)
      split(x, y, n);
  }
  // ##C-POINT(qdtree)
}

void split(int x, int y, struct qdtree *node) {
  struct qdtree *temp;
  struct pt *old = node->point;
  for (int i = 0; i < 4; i++) {
    temp = (struct qdtree *)malloc(sizeof(struct qdtree));
    set_node_fields(temp, i, node);
    node->child[i] = temp;
    if (x == temp->posX && y == temp->posY) {
      temp->point = create_point(x, y);
      parent_node->child[0] = 0;
    }
  }
  node->point = 0;
  for (int i = 0; i < 4; i++) {
    struct qdtree *c = node->child[i];
    if (old->x >= c->posX && old->x < c->posX + c->width && old->y >= c->posY && old->y < c->posY + c->height) c->point = old;
    else if (!c->point && x >= c->posX && x < c->posX + c->width && y >= c->posY && y < c->posY + c->height) c->point = create_point(x, y);
  }
}

struct qdtree *search(int x, int y) {
  struct qdtree *n = root;
  for (;;) {
    struct qdtree *next = 0;
    for (int i = 0; i < 4; i++) {
      struct qdtree *c = n->child[i];
      if (c && x >= c->posX && x < c->posX + c->width && y >= c->posY && y < c->posY + c->height) next = c;
    }
    if (!next) return n;
    parent_node = n;
    n = next;
  }
}

struct pt *create_point(int x, int y) {
  struct pt *p = (struct pt *)malloc(sizeof(struct pt));
  p->x = x;
  p->y = y;
  return p;
}

void set_node_fields(struct qdtree *n, int i, struct qdtree *in) {
  n->width = in ? in->width / 2 : 64;
  n->height = in ? in->height / 2 : 64;
  n->posX = in ? in->posX + (i & 1) * n->width : 0;
  n->posY = in ? in->posY + (i >> 1) * n->height : 0;
  n->point = 0;
  for (int k = 0; k < 4; k++) n->child[k] = 0;
}
