// SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP with siginfo, recovered from by siglongjmp.
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
static sigjmp_buf back;
static char *base;
static void handler(int number, siginfo_t *info, void *context) {
    ucontext_t *uc = context;
    intptr_t address = (intptr_t)info->si_addr;
    printf("signal %d code %d trap %lld error %lld ", number, info->si_code, (long long)uc->uc_mcontext.gregs[REG_TRAPNO], (long long)uc->uc_mcontext.gregs[REG_ERR]);
    if (base && address >= (intptr_t)base && address < (intptr_t)base + 0x10000) printf("at base + %ld\n", (long)(address - (intptr_t)base));
    else if (number == SIGSEGV || number == SIGBUS) printf("at %lx\n", (long)address);
    else printf("at rip %d\n", address == uc->uc_mcontext.gregs[REG_RIP]);
    siglongjmp(back, 1);
}
#define TRY(what, code) do { printf("%-22s", what); fflush(stdout); if (sigsetjmp(back, 1) == 0) { code; puts("nothing"); } } while (0)
static volatile int zero, sink;
static volatile long minimum = INT64_MIN, minus = -1;
int main(void) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    for (int i = 0; i < 5; i++) sigaction(signals[i], &action, NULL);
    base = mmap(NULL, 0x4000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(base, 0x90, 0x4000); base[0] = 0xc3 - 256;   // a return, if only it could be executed
    mprotect(base + 0x1000, 0x1000, PROT_READ); mprotect(base + 0x2000, 0x1000, PROT_NONE); munmap(base + 0x3000, 0x1000);
    TRY("null read", sink = *(volatile char *)0);
    TRY("null write", *(volatile char *)8 = 1);
    TRY("read-only write", base[0x1010] = 1);
    TRY("no access read", sink = ((volatile char *)base)[0x2345]);
    TRY("unmapped read", sink = ((volatile char *)base)[0x3001]);
    TRY("across the edge", *(volatile uint64_t *)(base + 0x1ffd) = 1);
    TRY("read across the edge", sink = (int)*(volatile uint64_t *)(base + 0x1ffc));
    TRY("non-canonical", sink = *(volatile char *)0x800000000000);
    TRY("kernel address", sink = *(volatile char *)0xffffffff80000000);
    TRY("jump to data", ((void (*)(void))base)());
    TRY("jump to null", ((void (*)(void))(uintptr_t)zero)());
    TRY("jump to 1", ((void (*)(void))(uintptr_t)(zero + 1))());
    TRY("division by zero", sink = 1 / zero);
    TRY("division overflow", sink = (int)(minimum / minus));
    TRY("ud2", __asm__ volatile("ud2"));
    TRY("hlt", __asm__ volatile("hlt"));
    TRY("int3", __asm__ volatile("int3"));
    TRY("int $3", __asm__ volatile(".byte 0xcd, 3"));
    TRY("int $4", __asm__ volatile("int $4"));
    TRY("int $5", __asm__ volatile("int $5"));
    TRY("movaps", __asm__ volatile("movaps 1(%0), %%xmm0" : : "r"(base) : "xmm0"));
    int fd = open("short", O_RDWR | O_CREAT, 0600); ftruncate(fd, 100); base = mmap(NULL, 0x2000, PROT_READ, MAP_SHARED, fd, 0);
    TRY("beyond the file", sink = ((volatile char *)base)[0x1000]);
    TRY("within the file", sink = ((volatile char *)base)[0xfff]);
    raise(SIGUSR1);
    return 0;
}
