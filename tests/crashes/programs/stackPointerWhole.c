/* A local array runs over a pointer beside it. */
#include <string.h>
struct frame { char buffer[16]; long *target; };
static long value;
__attribute__((noinline)) static void fill(struct frame *f, int n) {
  for (int i = 0; i < n; i++) f->buffer[i] = (char)('a' + i);
}
int main(void) {
  struct frame f = { .target = &value };
  fill(&f, 24);
  *f.target = 7;
  return 0;
}
