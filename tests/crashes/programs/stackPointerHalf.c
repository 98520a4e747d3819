/* Three bytes of a pointer beside a local array are hit: it stays in the stack's neighbourhood. */
struct frame { char buffer[8]; long *target; };
__attribute__((noinline)) static void fill(struct frame *f, int n) {
  for (int i = 0; i < n; i++) f->buffer[i] = 1;
}
int main(void) {
  long value = 1;
  struct frame f = { .target = &value };
  fill(&f, 8 + 4);
  return (int)*f.target;
}
