/* Half of the return address is overwritten: execution goes on in the middle of nowhere. */
#include <stdint.h>
__attribute__((noinline)) static void smash(void) {
  volatile uint32_t buffer[2];
  volatile uint32_t *slot = (volatile uint32_t *)__builtin_frame_address(0) + 2;
  for (volatile uint32_t *p = buffer; p <= slot; p++)
    if (p == slot) *p = 0x42424242;
}
int main(void) {
  smash();
  return 0;
}
