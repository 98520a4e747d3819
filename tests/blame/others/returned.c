#include <stdio.h>
static long *kept;
__attribute__((noipa)) static void keep(long *where) { kept = where; }
__attribute__((noipa)) static void lend(void) {
  long local[6];
  for (int i = 0; i < 6; i++) local[i] = (long)&kept;
  keep(local);
}
__attribute__((noipa)) static long look(void) {
  return *(long *)kept[3];
}
__attribute__((noipa)) static long other(void) {
  volatile long mine[12];
  for (int i = 0; i < 12; i++) mine[i] = 0x4141;
  return look() + mine[2];
}
int main(void) {
  lend();
  printf("%ld\n", other());
  return 0;
}
