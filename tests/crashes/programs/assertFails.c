/* The program itself notices. */
#include <assert.h>
int main(void) {
  volatile int n = 3;
  assert(n == 4);
  return 0;
}
