// A stack overflow, handled on the alternate stack and recovered from; the stack grows on demand before.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
static sigjmp_buf back;
static char alternate[65536];
static char *top;
static volatile int depth;
static int endless(int n) {
    volatile char frame[4000];
    frame[0] = (char)n; depth = n;
    return endless(n + 1) + frame[0];
}
static void handler(int number, siginfo_t *info, void *context) {
    char here; stack_t now; (void)context;
    sigaltstack(NULL, &now);
    long below = top - (char *)info->si_addr;
    printf("signal %d on alternate %d flags %d about %d MiB below\n", number, &here > alternate && &here < alternate + sizeof alternate, now.ss_flags, (int)((below + 65536) >> 20));
    siglongjmp(back, 1);
}
int main(void) {
    char here; top = &here;
    struct rlimit limit; getrlimit(RLIMIT_STACK, &limit); printf("limit %ld\n", (long)limit.rlim_cur);
    if (limit.rlim_cur == RLIM_INFINITY) return 1;
    stack_t ss = {.ss_sp = alternate, .ss_size = sizeof alternate};
    sigaltstack(&ss, NULL);
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 2; i++) {
        if (sigsetjmp(back, 1) == 0) endless(0);
        printf("recovered, deep %d\n", depth > 1000);
    }
    stack_t off = {.ss_flags = SS_DISABLE}; sigaltstack(&off, &ss); printf("%zu %d\n", ss.ss_size, ss.ss_flags); fflush(stdout);
    endless(0);
    return 0;
}
