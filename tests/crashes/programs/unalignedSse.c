/* An aligned 16-byte store to an address that is not. */
#include <emmintrin.h>
static _Alignas(16) char buffer[1024];
int main(void) {
  for (volatile int i = 0; i < 600; i += 16) _mm_store_si128((__m128i *)(void *)(buffer + i + (i > 560)), _mm_set1_epi8(3));
  return buffer[5];
}
