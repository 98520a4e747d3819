/* Reads a string without an end with the library's own function, up to the end of a mapping. */
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + 4096, 4096, PROT_NONE);
  memset(p, 'a', 4096);
  return (int)strlen(p + 3) + (strchr(p, 'b') != NULL);
}
