/* Allocates and frees in many ways, in threads and processes, and says at the end what it has seen. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT = 64 };

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void check(const char *bytes, size_t count, char value) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value) abort();
}

static uint64_t churn(uint64_t seed, int rounds) {
    char *kept[KEPT] = { 0 };
    uint64_t state = seed, sum = 0;
    for (int i = 0; i < rounds; i++) {
        char **slot = &kept[next(&state) % KEPT];
        size_t size = 1 + next(&state) % (i % 100 == 0 ? 200000 : 300);
        switch (next(&state) % 4) {
            case 0: free(*slot); *slot = malloc(size); (*slot)[0] = 1; break;
            case 1: free(*slot); *slot = calloc(size, 1); check(*slot, size, 0); break;
            case 2: {
                char first = *slot == 0 ? 0 : (*slot)[0];
                int isNew = *slot == 0;
                *slot = realloc(*slot, size);
                if (!isNew) check(*slot, 1, first);
                (*slot)[0] = 2;
                break;
            }
            default: free(*slot); *slot = 0; continue;
        }
        memset(*slot, i, size / 2);
        sum = sum * 31 + (*slot)[size / 3] + ((uintptr_t)*slot & 0xfff);
    }
    for (int i = 0; i < KEPT; i++) free(kept[i]);
    return sum;
}

static void *work(void *seed) {
    return (void *)churn((uintptr_t)seed, 150);
}

int main(void) {
    pthread_t threads[2];
    void *sums[2];
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++) pthread_join(threads[i], &sums[i]);
    printf("%lx %lx\n", (unsigned long)sums[0], (unsigned long)sums[1]);
    fflush(stdout);
    if (fork() == 0) {
        printf("child %lx\n", (unsigned long)churn(7, 200));
        return 0;
    }
    wait(0);
    printf("parent %lx\n", (unsigned long)churn(8, 1500));
    return 0;
}
