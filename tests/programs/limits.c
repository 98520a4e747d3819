// Asks for what culprit does not have; then fails, or gets along. Arguments: what, and whether it fails for it.
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static sigjmp_buf back;
static void onIllegal(int signal) { siglongjmp(back, 1); }
// Large reservations without memory, of which some is used later, as virtual machines make them.
static int reserve(void) {
    struct sysinfo info; sysinfo(&info);
    size_t heap = info.totalram / 4 & ~0xffffful, classes = 1090519040, part = 32 << 20; char *at = MAP_FAILED, *arenas[12];
    for (unsigned long hint = 0xe0000000; hint >= 0x20000000 && at == MAP_FAILED; hint -= heap < 0x20000000 ? 0x20000000 : heap) { at = mmap((void *)hint, heap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); if (at != (void *)hint) { munmap(at, heap); at = MAP_FAILED; } }
    if (at == MAP_FAILED) return 1;
    if (mmap(at, part, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 2;
    char *space = mmap(NULL, classes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED || mmap(space, 12 << 20, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 3;
    for (int i = 0; i < 12; i++) { arenas[i] = mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); if (arenas[i] == MAP_FAILED || mprotect(arenas[i], 1 << 20, PROT_READ | PROT_WRITE)) return 4; arenas[i][0] = 1; }
    for (size_t used = 12 << 20; used < 40 << 20; used += 1 << 20) if (mmap(space + used, 1 << 20, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 5;
    for (size_t used = part; used < heap / 2; used += part) if (mmap(at + used, part, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return 6;
    for (int i = 0; i < 12; i++) if (mprotect(arenas[i], 4 << 20, PROT_READ | PROT_WRITE)) return 7;
    return 0;
}

int main(int argc, char **argv) {
    int fails = argc > 2, failed = 0;
    if (!strcmp(argv[1], "memory")) failed = malloc(3000ul << 20) == NULL;
    if (!strcmp(argv[1], "probe")) { failed = malloc(3000ul << 20) == NULL; for (int i = 0; i < 100; i++) getppid(); syscall(SYS_getppid); }
    if (!strcmp(argv[1], "call")) failed = syscall(SYS_io_uring_setup, 0, NULL) < 0 && errno == ENOSYS;
    if (!strcmp(argv[1], "instruction")) { if (!fails) signal(SIGILL, onIllegal); if (!sigsetjmp(back, 1)) __asm__("vzeroupper"); else failed = 1; }
    if (!strcmp(argv[1], "reserve")) { int step = reserve(); printf("reserved, step %d\n", step); return step != 0; }
    if (failed && fails) { if (argc > 3) abort(); return 1; }
    printf("%s: got along\n", argv[1]);
    return 0;
}
