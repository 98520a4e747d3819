/* A length of -1 given to memcpy: it runs until the page behind the block. */
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *from = malloc(100), *to = malloc(100);
  volatile long length = -200;
  memcpy(to, from, (size_t)length);
  return to[3];
}
