/* A local is used after its function has returned, when its memory is part of other frames. */
static int *leave(int n) {
  int x = n;
  int *p = &x;
  *p = n + 1;
  x = n + 2; /* last */
  return p;
}

static int use(int *p) {
  int junk[6] = {1, 2, 3, 4, 5, 6};
  return *p + junk[2]; /* BUG */
}

static int look(int *p) {
  return *p; /* look */
}

int main(void) {
  int fine = 3;
  int *p = leave(look(&fine));
  return use(p); /* call */
}
