#include <stdio.h>
#include <stdlib.h>
/** A run of so many rounds that fails at its end; what it fails of depends on a condition in each of many steps. */
#define STEPS 64
static unsigned noise[1024];
static int divisor = STEPS;
__attribute__((noinline)) static void work(long rounds, int step) {
    for (long r = 0; r < rounds; r++) noise[r & 1023] += (unsigned)(r ^ step);
}
__attribute__((noinline)) static void step(int i) {
    if (noise[0] != 1 && i >= 0)
        divisor--;
}
int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    for (int i = 0; i < STEPS; i++) {
        work(rounds, i);
        step(i);
    }
    printf("%d\n", 1000 / divisor);
    return 0;
}
