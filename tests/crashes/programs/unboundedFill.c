/* A loop without an end fills the heap up to its last page. */
#include <stdlib.h>
int main(void) {
  volatile unsigned *p = malloc(64);
  for (unsigned i = 0;; i++) p[i] = i * 2654435761u;
}
