/* The compiler's canary notices. */
#include <string.h>
__attribute__((noinline)) static void copy(const char *from) {
  char buffer[16];
  strcpy(buffer, from);
}
int main(void) {
  copy("0123456789012345678901234567890123456789");
  return 0;
}
