/* A jump into the middle of an instruction, where other instructions begin: ud2 inside a constant. */
__attribute__((naked, noinline)) static void target(void) {
  __asm__("movabs $0x900b0f9090909090, %rax\n\tret");
}
int main(void) {
  void (*volatile call)(void) = (void (*)(void))((char *)target + 4);
  call();
  return 0;
}
