// Switches dense and sparse, on 64-bit values and on strings' hashes; jump tables and trees of compares.
#include <stdint.h>
#include <stdio.h>
#define CASES(n) case n: return x * (n + 3) ^ n; case n + 1: x += n; case n + 2: return x - n; case n + 3: return x >> (n & 7); case n + 4: return -x;
static int64_t dense(unsigned char op, int64_t x) {
    switch (op) { CASES(0) CASES(5) CASES(10) CASES(15) CASES(20) CASES(25) CASES(30) CASES(40) CASES(45) CASES(50) CASES(100) CASES(110) CASES(200) CASES(251) default: return x ^ op; }
}
static int sparse(int64_t x) {
    switch (x) { case -5: return 1; case 0: return 2; case 1000: return 3; case 1000000: return 4; case 0x7fffffffffffffff: return 5; case -0x7fffffffffffffff - 1: return 6; case 0x100000000: return 7; case 77 ... 99: return 8; default: return 9; }
}
static const char *name(const char *s) {
    uint32_t h = 5381; for (; *s; s++) h = h * 33 ^ (unsigned char)*s;
    switch (h) { case 193488139: return "x1"; case 177604: return "y"; case 5381: return "empty"; default: return h & 1 ? "odd" : "even"; }
}
int main(void) {
    int64_t x = 1, values[] = {-5, 0, 1, 1000, 1000000, 0x7fffffffffffffff, -0x7fffffffffffffff - 1, 0x100000000, 76, 77, 99, 100};
    for (int i = 0; i < 50000; i++) x = dense((unsigned char)(i * 7 + (x & 15)), x) & 0xffffffffffff;
    printf("%lld\n", (long long)x);
    for (int i = 0; i < 12; i++) printf("%d", sparse(values[i]));
    printf(" %s %s %s\n", name(""), name("a"), name("longer"));
    return 0;
}
