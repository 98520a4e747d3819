/* Links of a free chunk are overwritten through a dangling pointer. */
#include <stdlib.h>
int main(void) {
  long *a = malloc(3000);
  char *guard = malloc(24);
  free(a);
  a[0] = 0x4141414141414141;
  a[1] = 0x4242424242424242;
  void *again = malloc(3000);
  return again == NULL || guard == NULL;
}
