#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/** Everything in it ends up in `result`: a slice of that has nearly all instances of the loop. */
static unsigned table[4096];
unsigned result;
static unsigned mix(unsigned a, unsigned b) { return a * 31u + (b ^ (a >> 7)); }
int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    unsigned h = 1;
    for (long r = 0; r < rounds; r++) {
        for (int i = 0; i < 4096; i++) {
            if ((i & 3) == 0) table[i] = mix(h, i);
            else table[i] += (unsigned)r;
            h = h * 17 + 3;
        }
    }
    for (int i = 0; i < 4096; i++) result ^= table[i];
    printf("%u\n", result);
    return 0;
}
