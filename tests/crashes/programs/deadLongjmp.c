/* A jump back into a function that has returned: its frame holds something else by now. */
#include <setjmp.h>
static jmp_buf place;
__attribute__((noinline)) static int mark(int **p) {
  int *local = *p;
  if (setjmp(place) != 0) *local = 3;
  return 0;
}
__attribute__((noinline)) static void clutter(int depth) {
  volatile unsigned long local[40];
  for (int i = 0; i < 40; i++) local[i] = 0x0000434343434343ul;
  if (depth > 0) clutter(depth - 1);
  else longjmp(place, 1);
}
int main(void) {
  int value = 0, *p = &value;
  mark(&p);
  clutter(2);
  return value;
}
