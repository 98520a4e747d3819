/* Return addresses that are overwritten in different ways, one for each WAY. */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void copy(const char *text) {
  char bytes[16];
  strcpy(bytes, text);
} /* BUG */

__attribute__((noinline)) static void replace(long value) {
  void **frame = (void **)__builtin_frame_address(0);
  frame[1] = (void *)value; /* CAUSE */
} /* BUG */

int main(void) {
  switch (WAY) {
    case 1: copy("a text that goes on beyond the frame of the function that copies it"); break;
    case 2: replace(0x1234); break;
    case 3: replace((long)&main + 5); break;
  }
  puts("unharmed");
}
