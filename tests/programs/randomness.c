// The random number generators of libc from fixed seeds.
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    srand(7); for (int i = 0; i < 6; i++) printf("%d ", rand());
    srandom(42); for (int i = 0; i < 6; i++) printf("%ld ", random());
    srand48(3); for (int i = 0; i < 4; i++) printf("%ld %.17g ", lrand48(), drand48());
    unsigned seed = 5; for (int i = 0; i < 4; i++) printf("%d ", rand_r(&seed));
    unsigned short state[3] = {1, 2, 3}; printf("%ld %.17g\n", nrand48(state), erand48(state));
    return 0;
}
