// 128-bit and other integer arithmetic: multiplication, division, shifts, overflow checks, bit tricks.
#include <stdint.h>
#include <stdio.h>
typedef unsigned __int128 u128;
typedef __int128 i128;
static uint64_t state = 88172645463325252u;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; return state ^= state << 17; }
static void show(const char *what, u128 x) { printf("%s %016llx%016llx\n", what, (unsigned long long)(x >> 64), (unsigned long long)x); }
static u128 sum;
static void mix(u128 x) { sum = (sum ^ x) * 0x9e3779b97f4a7c15u + (sum >> 77); }
int main(void) {
    for (int i = 0; i < 3000; i++) {
        uint64_t a = next() >> (next() & 63), b = next() >> (next() & 63), c = next(), shift = next() & 127;
        u128 x = (u128)a << 64 | c, y = (u128)(b >> 1) << (shift & 63) | 1;
        mix(x * y); mix(x / y); mix(x % y); mix((u128)((i128)x / -(i128)(b | 1))); mix(x << shift); mix(x >> shift); mix((u128)((i128)x >> shift));
        mix((u128)a * b); mix((u128)((i128)(int64_t)a * (int64_t)b)); mix(a / (b | 1)); mix(a % (b | 1)); mix((uint64_t)((int64_t)a / (int64_t)(b >> 1 | 1))); mix((uint32_t)a / ((uint32_t)b | 1)); mix((uint16_t)a % (uint16_t)((b & 0xff) | 1)); mix((uint8_t)a / (uint8_t)(b | 1));
        mix((uint64_t)__builtin_popcountll(a)); mix((uint64_t)__builtin_clzll(a | 1)); mix((uint64_t)__builtin_ctzll(b | 1ULL << 63)); mix(__builtin_bswap64(c)); mix(__builtin_bswap32((uint32_t)c)); mix((uint64_t)__builtin_ffsll((int64_t)a)); mix((uint64_t)__builtin_parityll(c));
        mix(a << (shift & 63) | c >> (64 - (shift & 63)) % 64); mix(c >> (b & 63) | c << (-b & 63)); mix((uint32_t)c << (b & 31) | (uint32_t)c >> (-b & 31)); mix((uint64_t)(int8_t)c + (uint64_t)(int16_t)c + (uint64_t)(int32_t)c);
        int64_t r; uint64_t u; int32_t w; int16_t h; mix((u128)__builtin_add_overflow((int64_t)a, (int64_t)c, &r) + (uint64_t)r); mix((u128)__builtin_sub_overflow(a, c, &u) + u); mix((u128)__builtin_mul_overflow((int64_t)b, (int64_t)(c >> 20), &r) + (uint64_t)r); mix((u128)__builtin_add_overflow((int32_t)a, (int32_t)c, &w) + (uint32_t)w); mix((u128)__builtin_mul_overflow((int16_t)a, (int16_t)c, &h) + (uint16_t)h);
        double d = (double)a, e = (double)(int64_t)c; float f = (float)a; mix((uint64_t)d); mix((u128)(uint64_t)(int64_t)e); mix((uint64_t)(f / 3)); mix((u128)(d * 1e10)); mix(x > y); mix((i128)x < (i128)y);
    }
    show("sum", sum); show("max / 10", ~(u128)0 / 10); show("min", (u128)((i128)1 << 127));
    u128 factorial = 1; for (int i = 2; i <= 34; i++) factorial *= i;
    char digits[50]; int n = 49; digits[n] = 0; do digits[--n] = (char)('0' + (int)(factorial % 10)); while (factorial /= 10);
    printf("34! = %s\n", digits + n);
    return 0;
}
