/* Stacks that lead nowhere: argument 1 overwrites the return address, 2 the saved rbp as well, 3 calls a null pointer. */
#include <stdlib.h>
#include <string.h>

static void stop(void) { __builtin_trap(); }

static void __attribute__((noinline)) smash(int how) {
  volatile long area[2] = {0, 0};
  volatile long *frame = __builtin_frame_address(0);
  if (how == 1) frame[1] = 0x4141414141414141;
  if (how == 2) frame[0] = frame[1] = 0x10;
  if (how == 3) ((void (*)(void))area[0])();
  stop();
}

int main(int argc, char **argv) {
  smash(atoi(argv[1]));
  return 0;
}
