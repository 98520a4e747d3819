/* The quotient of the smallest integer and -1 does not fit. */
#include <limits.h>
int main(void) {
  volatile long a = LONG_MIN, b = -1;
  return (int)(a % b);
}
