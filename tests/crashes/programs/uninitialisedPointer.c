/* A local pointer that was never set holds what an earlier call left there. */
__attribute__((noinline)) static void leave(void) {
  volatile unsigned long local[8];
  for (int i = 0; i < 8; i++) local[i] = 0x7e0000001000ul + (unsigned long)i * 4096;
}
__attribute__((noinline)) static void use(void) {
  long *volatile pointers[8];
  *pointers[3] = 1;
}
int main(void) {
  leave();
  use();
  return 0;
}
