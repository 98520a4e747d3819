/* An allocator of its own: hands out slices of an array, so that overflows and uses after a free are invisible to others. */
#include <stdio.h>
#include <string.h>

static char pool[4096];
static size_t used;

void *pool_get(void *owner, size_t size) {
  void *slice = pool + used;
  used += (size + 15) & ~15ul;
  return slice;
}

void pool_put(void *owner, void *slice) {
}

int main(void) {
  char *first = pool_get(NULL, 10);
  char *second = pool_get(NULL, 10);
  strcpy(second, "second");
  pool_put(NULL, second);
  printf("%s\n", second); // MARK: after free
  first[10] = 1; // MARK: overflow
  pool_put(NULL, second); // MARK: twice
  pool_put(NULL, first);
  return 0;
}
