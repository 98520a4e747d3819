#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/**
 * A run of so many rounds between a corruption and its crash. `little`: the rounds have nothing to do with what is
 * corrupt. `much`: all that they compute comes from it.
 */
#define CELLS 8
static unsigned numbers[1024];
static long ledger[64];
struct account { long key; };
__attribute__((noinline)) static void fill(long *cells, int count) {
    for (int i = 0; i < count; i++) cells[i] = 1000000000L + i;
}
__attribute__((noinline)) static void work(long rounds, unsigned seed) {
    for (long r = 0; r < rounds; r++) {
        unsigned at = (unsigned)r & 1023;
        numbers[at] = numbers[(at + 7) & 1023] * 31 + (seed ^ (unsigned)r);
    }
}
int main(int argc, char **argv) {
    long rounds = argc > 2 ? atol(argv[2]) : 1000;
    int is_much = argc > 1 && strcmp(argv[1], "much") == 0;
    long *cells = malloc(CELLS * sizeof *cells);
    struct account *account = malloc(sizeof *account);
    account->key = 3;
    fill(cells, CELLS + 4);
    work(rounds, is_much ? (unsigned)account->key : 9);
    ledger[account->key] += numbers[3];
    printf("%ld\n", ledger[3]);
    return 0;
}
