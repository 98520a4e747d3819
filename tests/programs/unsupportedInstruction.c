/* Executes an instruction beyond x86-64-v2, which our CPUID does not offer. */
__attribute__((noinline)) void usesAvx(void) { __asm__ volatile("vzeroupper"); }

int main(void) {
  usesAvx();
  return 0;
}
