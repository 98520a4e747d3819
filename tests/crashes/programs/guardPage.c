/* A write across the boundary of a page that may not be written. */
#include <sys/mman.h>
int main(void) {
  char *p = mmap(0, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + 4096, 4096, PROT_READ);
  for (int i = 0; i < 4096; i += 7) *(volatile long *)(p + i) = i;
  return 0;
}
