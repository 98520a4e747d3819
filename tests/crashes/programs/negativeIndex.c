/* An index computed in 32 bits overflows and becomes negative. */
#include <stdlib.h>
int main(void) {
  volatile int width = 70000, height = 40000;
  int *image = malloc(1000);
  int last = width * height - 1;
  image[last] = 1;
  return 0;
}
