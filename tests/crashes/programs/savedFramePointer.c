/* An off-by-one clears the lowest byte of the saved rbp; the caller then uses a frame that is not its own. */
#include <string.h>
__attribute__((noinline)) static void copy(const char *from) {
  char buffer[32];
  strcpy(buffer, from);
}
__attribute__((noinline)) static int caller(const char *text, int *result) {
  int *where = result;
  copy(text);
  *where = 5;
  return *result;
}
int main(void) {
  int result = 0;
  return caller("0123456789012345678901234567890123456", &result);
}
