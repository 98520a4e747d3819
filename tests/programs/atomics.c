// Atomic operations of all sizes, cmpxchg16b, fences, spin lock; one thread, but the instructions are all there.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
static _Atomic uint8_t b; static _Atomic uint16_t w; static _Atomic uint32_t d; static _Atomic uint64_t q;
static _Alignas(16) unsigned __int128 wide;
#define ALL(x, v) do { atomic_fetch_add(&x, v); atomic_fetch_sub(&x, 3); atomic_fetch_or(&x, 0x11); atomic_fetch_and(&x, 0x7d); atomic_fetch_xor(&x, v); unsigned long old = atomic_exchange(&x, x + 1); \
    sum += old; __typeof__(v) expected = 5; sum += atomic_compare_exchange_strong(&x, &expected, 9); sum += expected; sum += atomic_compare_exchange_strong(&x, &expected, 200); sum += x; } while (0)
static int exchange16(unsigned __int128 *p, unsigned __int128 *expected, unsigned __int128 value) {
    char ok; uint64_t lo = (uint64_t)*expected, hi = (uint64_t)(*expected >> 64);
    __asm__ volatile("lock cmpxchg16b %1; sete %0" : "=q"(ok), "+m"(*p), "+a"(lo), "+d"(hi) : "b"((uint64_t)value), "c"((uint64_t)(value >> 64)) : "cc", "memory");
    *expected = (unsigned __int128)hi << 64 | lo;
    return ok;
}
int main(void) {
    unsigned long sum = 0; atomic_flag lock = ATOMIC_FLAG_INIT;
    for (int i = 0; i < 500; i++) { ALL(b, (uint8_t)i); ALL(w, (uint16_t)(i * 77)); ALL(d, ((uint32_t)i * 7919)); ALL(q, ((uint64_t)i << 33)); while (atomic_flag_test_and_set(&lock)) ; atomic_flag_clear(&lock); atomic_thread_fence(memory_order_seq_cst); }
    printf("%lu %u %u %u %llu\n", sum, b, w, d, (unsigned long long)q);
    unsigned __int128 expected = 1; int first = exchange16(&wide, &expected, 7), second = exchange16(&wide, &expected, (unsigned __int128)5 << 64 | 3);
    printf("%d %d %llx %llx\n", first, second, (unsigned long long)(wide >> 64), (unsigned long long)wide);
    uint32_t bits = 0; int carry; char c1, c2; __asm__ volatile("lock btsl $5, %0; setc %1; lock btcl $5, %0; setc %2; lock xaddl %3, %0" : "+m"(bits), "=q"(c1), "=q"(c2), "+r"(*(uint32_t *)&(int){9}) : : "cc", "memory"); carry = c1 * 2 + c2; printf("%u %d\n", bits, carry);
    uint64_t v = 10; __asm__ volatile("lock incq %0; lock negq %0; lock notq %0; lock decq %0; lock subq $3, %0" : "+m"(v)); printf("%llu\n", (unsigned long long)v);
    return 0;
}
