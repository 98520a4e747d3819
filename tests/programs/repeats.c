// String instructions in hot loops, with accesses through the registers that they move, before and after.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static unsigned char from[8192], to[8192];
static uint64_t sum;
static void copy(unsigned char *d, const unsigned char *s, long n) {
    __asm__ volatile("movb $1, (%0); movb 3(%0), %%al; rep movsb; andb $0x7f, -1(%0); xorb %%al, (%0); movb -1(%1), %%al; addb %%al, -2(%0)" : "+D"(d), "+S"(s), "+c"(n) : : "al", "memory", "cc");
    sum = sum * 31 + (uint64_t)(d - to) + (uint64_t)(s - from) * 7 + n;
}
static void fill(unsigned char *d, long n, uint64_t value) {
    unsigned char *start = d;
    __asm__ volatile("movq 8(%0), %%rdx; rep stosq; movb %%dl, -3(%0); movw %%dx, 2(%0)" : "+D"(d), "+c"(n) : "a"(value) : "rdx", "memory", "cc");
    sum = sum * 31 + (uint64_t)(d - start);
}
static long find(unsigned char *d, long n, int c) {
    unsigned char *start = d;
    __asm__ volatile("repne scasb; movb -1(%0), %%dl; xorb %%dl, 1(%0)" : "+D"(d), "+c"(n) : "a"(c) : "rdx", "memory", "cc");
    return d - start;
}
static long compare(const unsigned char *a, const unsigned char *b, long n) {
    const unsigned char *start = a; unsigned char x = 0, y = 0;
    __asm__ volatile("repe cmpsb; movb -1(%0), %3; movb -1(%1), %4" : "+S"(a), "+D"(b), "+c"(n), "=&r"(x), "=&r"(y) : : "memory", "cc");
    return (a - start) * 65536 + x * 256 + y;
}
static long backwards(unsigned char *d, const unsigned char *s, long n) {
    unsigned char *start = d;
    __asm__ volatile("std; rep movsb; cld; movb 1(%0), %%al; xorb %%al, -2(%0); lodsb; addb %%al, (%0)" : "+D"(d), "+S"(s), "+c"(n) : : "rax", "memory", "cc");
    return start - d;
}
int main(void) {
    for (int i = 0; i < 8192; i++) from[i] = (unsigned char)(i * 7 + (i >> 8));
    for (int i = 0; i < 3000; i++) {
        copy(to + 100 + i % 4000, from + i * 3 % 4000, i % 100 + 1);
        fill(to + 4096 - 64 + i % 128, i % 9, (uint64_t)i * 0x0101010101010101);
        sum += find(to + i % 2000, 300, i & 0xff);
        sum = sum * 31 + compare(to + i % 3000, from + i % 3000, 20);
        sum += backwards(to + 5000 + i % 200, from + 6000 - i, i % 40);
    }
    for (int i = 0; i < 8192; i++) sum = (sum ^ to[i]) * 1099511628211u;
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
