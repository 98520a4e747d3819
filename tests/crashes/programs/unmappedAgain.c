/* A mapping is used after it was given back. */
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char *p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(p, 1, 4 * 4096);
  munmap(p + 4096, 4096);
  long sum = 0;
  for (int i = 0; i < 4 * 4096; i++) sum += p[i];
  return (int)sum;
}
