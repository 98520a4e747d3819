/* A large block copied over a small one: it runs until the end of the heap. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char *from = mmap(0, 600000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *to = malloc(100);
  memcpy(to, from, 600000);
  return to[3];
}
