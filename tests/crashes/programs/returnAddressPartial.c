/* One byte of the return address is wrong: execution goes on elsewhere in the same program. */
__attribute__((noinline)) static void smash(int n) {
  volatile unsigned char buffer[8];
  for (int i = 0; i < 8; i++) buffer[i] = (unsigned char)i;
  volatile unsigned char *slot = (unsigned char *)__builtin_frame_address(0) + 8;
  slot[n] = 0x30;
}
int main(void) {
  smash(1);
  return 0;
}
