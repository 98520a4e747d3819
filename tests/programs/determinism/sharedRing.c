// Processes with a ring in shared memory and a spin lock: which of them gets how much.
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct ring { atomic_int lock; int head, tail; int item[16]; long taken[4], sum[4]; unsigned log; } *r;
static void lock(void) { while (atomic_exchange(&r->lock, 1)) sched_yield(); } static void unlock(void) { atomic_store(&r->lock, 0); }
int main(void) {
    r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); for (int c = 0; c < 4; c++) if (fork() == 0) { for (;;) { lock(); if (r->tail > r->head) { int v = r->item[r->head++ % 16]; r->taken[c]++; r->sum[c] += v; r->log = r->log * 31 + c * 1000 + v; unlock(); if (v < 0) _exit(0); } else { unlock(); sched_yield(); } } }
    for (int i = 0; i < 400;) { lock(); if (r->tail - r->head < 16) r->item[r->tail++ % 16] = i++; unlock(); } for (int i = 0; i < 4;) { lock(); if (r->tail - r->head < 16) { r->item[r->tail++ % 16] = -1; i++; } unlock(); } for (int c = 0; c < 4; c++) wait(NULL); for (int c = 0; c < 4; c++) printf("%ld items, sum %ld\n", r->taken[c], r->sum[c]); printf("%u\n", r->log); return 0;
}
