/* The return address becomes 0x4141414141414141: not an address at all, so the ret itself fails. */
#include <string.h>
static const char text[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
__attribute__((noinline)) static void copy(const char *from) {
  char buffer[16];
  strcpy(buffer, from);
}
int main(void) {
  copy(text);
  return 0;
}
