/* What functions that allocate answer to alignments and sizes of all kinds, errno included: the same under check as natively. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY(name, call) do { errno = 0; void *got = call; printf("%s: %s, errno %d\n", name, got == NULL ? "NULL" : "a block", errno); } while (0)

static const size_t ALIGNMENTS[] = {
    0, 1, 2, 3, 7, 8, 12, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 1000, 4095, 4096, 4097, 65536,
    (size_t)1 << 40, (size_t)1 << 62, (size_t)1 << 63, ((size_t)1 << 63) + 1, (size_t)-1,
};

static const char *place(void *p, size_t alignment)
{
    if (p == NULL)
        return "NULL";
    size_t power = 1;
    while (power < alignment)
        power *= 2;
    memset(p, 1, 100);
    return (uintptr_t)p % power == 0 ? "right" : "wrong";
}

int main(void)
{
    for (size_t i = 0; i < sizeof ALIGNMENTS / sizeof *ALIGNMENTS; i++) {
        size_t alignment = ALIGNMENTS[i];
        errno = 0;
        void *p = memalign(alignment, 100);
        printf("%zx: memalign %d %s, ", alignment, errno, place(p, alignment));
        errno = 0;
        p = aligned_alloc(alignment, 100);
        printf("aligned_alloc %d %s, ", errno, place(p, alignment));
        errno = 0;
        p = NULL;
        int error = posix_memalign(&p, alignment, 100);
        printf("posix_memalign %d %d %s\n", error, errno, place(p, alignment));
    }
    void *p = valloc(5000);
    printf("valloc %s\n", place(p, 4096));
    p = pvalloc(5000);
    printf("pvalloc %s %d\n", place(p, 4096), malloc_usable_size(p) >= 8192);
    memset(p, 1, 8192);
    SAY("pvalloc(0)", pvalloc(0));
    SAY("pvalloc(-1)", pvalloc(-1));
    SAY("valloc(-1)", valloc(-1));
    SAY("malloc(-1)", malloc(-1));
    SAY("malloc(2^62)", malloc((size_t)1 << 62));
    SAY("malloc(0)", malloc(0));
    SAY("calloc", calloc((size_t)1 << 33, (size_t)1 << 33));
    SAY("memalign", memalign(64, -1));
    SAY("aligned_alloc", aligned_alloc(64, -1));
    char *kept = malloc(10);
    SAY("realloc", realloc(kept, -1));
    SAY("reallocarray", reallocarray(kept, (size_t)1 << 33, (size_t)1 << 33));
    kept[9] = 1;
    SAY("realloc of 0", realloc(kept, 0));
    errno = 7;
    free(malloc(10));
    printf("errno stays %d\n", errno);
    return 0;
}
