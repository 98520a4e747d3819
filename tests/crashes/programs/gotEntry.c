/* A negative index of a global array reaches the GOT: the next call of puts goes astray. */
#include <stdio.h>
#include <unistd.h>
long table[4] = { 1, 2, 3, 4 };
extern char _GLOBAL_OFFSET_TABLE_[];
int main(void) {
  long index = ((long)_GLOBAL_OFFSET_TABLE_ - (long)table) / 8;
  puts("before");
  fflush(stdout);
  for (int entry = 3; entry < 6; entry++) table[index + entry] = 0x123456789abc;
  puts("after");
  return 0;
}
