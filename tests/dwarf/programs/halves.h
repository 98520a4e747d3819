struct shared { int a; struct hidden *secret; };
static inline int both(int x) {
  return x * 2 + 1;
}
int other_half(struct shared *s);
