/* A call through a pointer that is no address at all: nothing is pushed. */
int main(void) {
  void (*volatile call)(void) = (void (*)(void))0x4444444444444444;
  for (volatile int i = 0; i < 3; i++) call();
  return 0;
}
