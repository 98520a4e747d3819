/* A length from an overflow, far too large. */
#include <stdlib.h>
#include <string.h>
int main(void) {
  char *from = malloc(100), *to = malloc(100);
  volatile unsigned long count = 0x123456789;
  memcpy(to, from, count * 8);
  return to[3];
}
