/* A mapped file becomes shorter. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  FILE *f = tmpfile();
  int fd = fileno(f);
  if (ftruncate(fd, 3 * 4096) != 0) return 1;
  volatile char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  p[2 * 4096] = 1;
  if (ftruncate(fd, 4096) != 0) return 1;
  for (int i = 0; i < 3 * 4096; i += 256) p[i] = 2;
  return 0;
}
