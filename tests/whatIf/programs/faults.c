/* Mistakes that rules find: each line can be altered so that one is made, or not made. */
#define APART static __attribute__((noipa))
#include <stdio.h>
#include <stdlib.h>
static int rounds = 5;

APART void fill(int *block, int n)
{
    for (int i = 0; i < n; i++) // @loop
        block[i] = i; // @store
}

APART void release(void *block)
{
    free(block); // @free
}

int main(void)
{
    int *first = malloc(16), *second = malloc(32);
    fill(first, rounds); // @fill
    if (rounds > 5) // @again
        release(first);
    if (rounds > 4) // @beyond
        second[8] = rounds; // @write
    release(first);
    release(second);
    puts("done");
    return 0;
}
