// Patterns of malloc: many sizes, realloc, alignment, large blocks, trimming; contents must survive.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define SLOTS 400
static unsigned char *blocks[SLOTS];
static size_t sizes[SLOTS];
static uint32_t state = 9;
static uint32_t next(void) { return (state = state * 1664525 + 1013904223) >> 8; }
static void check(int i) { for (size_t k = 0; k < sizes[i]; k += 37) if (blocks[i][k] != (unsigned char)(i + k)) { printf("block %d damaged at %zu\n", i, k); exit(1); } }
static void fill(int i) { for (size_t k = 0; k < sizes[i]; k += 37) blocks[i][k] = (unsigned char)(i + k); }
int main(void) {
    size_t total = 0;
    for (int round = 0; round < 6000; round++) {
        int i = (int)(next() % SLOTS);
        if (blocks[i]) check(i);
        size_t size = next() % 100 == 0 ? next() % 300000 : next() % 2000;
        if (next() % 3 == 0) { free(blocks[i]); blocks[i] = NULL; sizes[i] = 0; }
        else if (next() % 2) { blocks[i] = realloc(blocks[i], size + 1); sizes[i] = size + 1; fill(i); }
        else { free(blocks[i]); blocks[i] = calloc(size + 1, 1); for (size_t k = 0; k <= size; k += 101) if (blocks[i][k]) return puts("not zero"), 1; sizes[i] = size + 1; fill(i); }
        total += sizes[i];
    }
    for (int i = 0; i < SLOTS; i++) { if (blocks[i]) check(i); free(blocks[i]); }
    printf("total %zu\n", total);
    void *aligned; printf("%d", posix_memalign(&aligned, 4096, 10000)); printf(" %d", (int)((uintptr_t)aligned & 4095)); free(aligned);
    aligned = aligned_alloc(64, 640); printf(" %d\n", (int)((uintptr_t)aligned & 63)); free(aligned);
    char *large = malloc(40 << 20); memset(large, 1, 1 << 20); large[(40 << 20) - 1] = 7; large = realloc(large, 60 << 20);
    printf("%d %d\n", large[100], large[(40 << 20) - 1]); free(large);
    errno = 0; void *volatile huge = malloc((size_t)-1 / 2); printf("%d %d\n", huge == NULL, errno == ENOMEM);
    char *before = sbrk(0), *grown = sbrk(8192); grown[8191] = 5; printf("%d %d\n", before == grown, (int)((char *)sbrk(0) - before)); sbrk(-8192);
    printf("%d\n", (char *)sbrk(0) == before);
    return 0;
}
