/* The size of the top chunk is overwritten; the allocator notices when it next needs it. */
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *last = malloc(24);
  memset(last, 0xff, 32);
  return malloc(5000) == NULL;
}
