/* A return address is overwritten, long before the end: "smash N TEXT" runs N rounds, then copies TEXT into a short buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long sum;

static void work(int n) { sum += n; }

__attribute__((noinline)) static void greet(const char *name, size_t length) {
    char buffer[16];
    memcpy(buffer, name, length);               /* MARK: overflow */
    work(buffer[0]);
}

static void landing(void) {
    puts("Now I pwn your computer");
    exit(3);
}

int main(int argc, char **argv) {
    int rounds = atoi(argv[1]);
    char name[64] = "a guest";
    for (int i = 0; i < rounds; i++) {
        work(i);
        greet("somebody", 8);
    }
    if (argc > 2) {
        void (*target)(void) = landing;
        memset(name, 'A', sizeof name);
        for (int i = 16; i + sizeof target <= 40; i += sizeof target) memcpy(name + i, &target, sizeof target);
        greet(name, 40);
    }
    printf("%lu\n", sum);
    return 0;
}
