/* As gotEntry, but four bytes only: the call lands at an offset into whatever lies there. */
#include <stdio.h>
int table[4] = { 1, 2, 3, 4 };
extern char _GLOBAL_OFFSET_TABLE_[];
int main(void) {
  long index = ((long)_GLOBAL_OFFSET_TABLE_ - (long)table) / 4;
  puts("before");
  fflush(stdout);
  for (int entry = 3; entry < 6; entry++) table[index + 2 * entry] = 0x11111111;
  puts("after");
  return 0;
}
