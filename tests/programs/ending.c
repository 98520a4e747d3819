// Ways to end: argument says which. atexit, destructors and buffers where they belong.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
static void first(void) { puts("first registered"); }
static void second(void) { puts("second registered"); }
__attribute__((constructor)) static void before(void) { puts("constructor"); }
__attribute__((destructor)) static void after(void) { puts("destructor"); }
int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "return";
    struct rlimit none = {0, 0}; setrlimit(RLIMIT_CORE, &none);
    atexit(first); atexit(second);
    printf("%s", how); putchar('\n');
    if (!strcmp(how, "exit")) exit(300);
    if (!strcmp(how, "_exit")) { fflush(stdout); _exit(-1); }
    if (!strcmp(how, "quick")) { fflush(stdout); quick_exit(4); }
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "term")) { fflush(stdout); raise(SIGTERM); }
    if (!strcmp(how, "segv")) { fflush(stdout); *(volatile int *)0 = 1; }
    if (!strcmp(how, "ill")) { fflush(stdout); __asm__ volatile("ud2"); }
    if (!strcmp(how, "fpe")) { fflush(stdout); volatile int zero = 0; return 1 / zero; }
    if (!strcmp(how, "pipe")) { fflush(stdout); int ends[2]; pipe(ends); close(ends[0]); write(ends[1], "x", 1); }
    if (!strcmp(how, "xfsz")) { fflush(stdout); struct rlimit small = {100, 100}; setrlimit(RLIMIT_FSIZE, &small); FILE *f = fopen("f", "w"); for (int i = 0; i < 200; i++) { fputc('x', f); fflush(f); } }
    if (!strcmp(how, "smash")) { char small[8]; strcpy(small, getenv("LONG")); puts(small); }
    if (!strcmp(how, "closed")) { fclose(stdout); return 3; }
    return 7;
}
