// Random mappings in one stretch of address space, and what its pages hold; the argument is the seed. What is mapped
// privately does not change: whether that would show is left open by POSIX, and we show it less than Linux does.
#include "check.h"
#include <setjmp.h>
enum { PAGES = 48 }; static uint64_t state; static unsigned rnd(unsigned n) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return (state >> 20) % n; }
static sigjmp_buf back; static void caught(int s) { siglongjmp(back, s); } static char *base;
static void put(const char *what, int at, int n, long r) { if (r == -1) printf("%s %d+%d: %s\n", what, at, n, strerror(errno)); else printf("%s %d+%d ok\n", what, at, n); }
static int peek(int page) { int s = sigsetjmp(back, 1); return s ? -s : (unsigned char)base[page * 4096L + 5]; }
static int poke(int page, int v) { int s = sigsetjmp(back, 1); if (s) return -s; base[page * 4096L + 5] = v; return 0; }
int main(int argc, char **argv) {
    state = (argc > 1 ? atoi(argv[1]) : 1) * 0x9e3779b97f4a7c15ULL + 1; struct sigaction sa = {.sa_handler = caught}; sigaction(SIGSEGV, &sa, NULL); sigaction(SIGBUS, &sa, NULL); base = mmap(NULL, PAGES * 4096L, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); int fd = open("f", O_RDWR | O_CREAT, 0644), mem = memfd_create("m", 0), fixed = open("g", O_RDWR | O_CREAT, 0644); ftruncate(mem, 20 * 4096); char page[4096]; for (int i = 0; i < 20; i++) { memset(page, 'A' + i, 4096); pwrite(fd, page, 4096, i * 4096); pwrite(fixed, page, 4096, i * 4096); } static const int prots[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE | PROT_EXEC};
    for (int step = 0; step < 250; step++) {
        int at = rnd(PAGES), n = 1 + rnd(8), prot = prots[rnd(5)]; if (at + n > PAGES) n = PAGES - at; char *p = base + at * 4096L; printf("%d ", step);
        switch (rnd(20)) {
        case 0: case 1: put("anon", at, n, (long)mmap(p, n * 4096L, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)); break;
        case 2: put("shared", at, n, (long)mmap(p, n * 4096L, prot, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0)); break;
        case 3: { int k = rnd(22); printf("from %d prot %d ", k, prot); put("file", at, n, (long)mmap(p, n * 4096L, prot, MAP_SHARED | MAP_FIXED, fd, k * 4096L)); break; }
        case 4: put("private", at, n, (long)mmap(p, n * 4096L, prot, MAP_PRIVATE | MAP_FIXED, fixed, rnd(22) * 4096L)); break;
        case 5: { int k = rnd(22); printf("from %d prot %d ", k, prot); put("memfd", at, n, (long)mmap(p, n * 4096L, prot, MAP_SHARED | MAP_FIXED, mem, k * 4096L)); break; }
        case 6: put("munmap", at, n, munmap(p, n * 4096L)); break;
        case 7: case 8: put("mprotect", at, n, mprotect(p, n * 4096L, prot)); break;
        case 9: put("dontneed", at, n, madvise(p, n * 4096L, MADV_DONTNEED)); break;
        case 10: { int to = rnd(PAGES - n + 1), m = 1 + rnd(4); if (m > n) m = n; put("mremap", at, n, (long)mremap(p, m * 4096L, m * 4096L, MREMAP_MAYMOVE | MREMAP_FIXED, base + to * 4096L)); break; }
        case 11: put("noreplace", at, n, (long)mmap(p, n * 4096L, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)); break;
        case 12: { int k = rnd(22), v = rnd(256); char c = v; int w = rnd(2); SAY("pwrite %s %d %d %ld", w ? "file" : "memfd", k, v, (long)pwrite(w ? fd : mem, &c, 1, k * 4096 + 5)); break; }
        case 13: { char c = 0; int k = rnd(22); long r = pread(rnd(2) ? fd : mem, &c, 1, k * 4096 + 5); SAY("pread %d %ld %d", k, r, (unsigned char)c); break; }
        case 14: { int k = rnd(25); int which = rnd(2); SAY("truncate %s %d %d", which ? "file" : "memfd", k, ftruncate(which ? fd : mem, k * 4096L - rnd(2) * 1000 * (k > 0))); break; }
        case 15: put("msync", at, n, msync(p, n * 4096L, rnd(2) ? MS_SYNC : MS_ASYNC)); break;
        default: { int v = rnd(256), r = poke(at, v); SAY("poke %d %d: %d", at, v, r); break; }
        }
        for (int k = 0; k < 3; k++) { int i = rnd(PAGES); printf("  %d=%d", i, peek(i)); } puts("");
    }
    for (int i = 0; i < PAGES; i++) printf("%d ", peek(i)); puts(""); fflush(stdout); if (fork() == 0) { for (int i = 0; i < PAGES; i++) poke(i, 99); for (int i = 0; i < PAGES; i++) printf("%d ", peek(i)); puts(""); fflush(stdout); _exit(0); } wait(NULL); for (int i = 0; i < PAGES; i++) printf("%d ", peek(i)); puts(""); return 0;
}
