// SIGFPE from unmasked SSE and x87 exceptions.
#define _GNU_SOURCE
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static void handler(int number, siginfo_t *info, void *context) {
    (void)context;
    printf("signal %d code %d\n", number, info->si_code);
    siglongjmp(back, 1);
}
static void unmask(unsigned short bits) {
    unsigned mxcsr = 0x1f80 & ~(bits << 7); unsigned short control = 0x37f & ~bits;
    __asm__ volatile("fnclex; fldcw %0; ldmxcsr %1" : : "m"(control), "m"(mxcsr));
}
#define TRY(bits, code) do { printf("%-40s ", #code); fflush(stdout); if (sigsetjmp(back, 1) == 0) { unmask(bits); code; unmask(0); puts("nothing"); } unmask(0); } while (0)
static volatile double zero = 0, one = 1, huge = 1e308, tiny = 1e-308; static volatile long double lzero = 0, lone = 1; static volatile float fone = 1, fthree = 3; static volatile double r; static volatile long double lr; static volatile float fr; static volatile int i;
int main(void) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGFPE, &action, NULL);
    TRY(4, r = one / zero); TRY(1, r = zero / zero); TRY(8, r = huge * huge); TRY(16, r = tiny * tiny); TRY(32, fr = fone / fthree); TRY(0, r = one / zero);
    TRY(4, lr = lone / lzero; __asm__ volatile("fwait")); TRY(1, lr = lzero / lzero; __asm__ volatile("fwait")); TRY(1, i = (int)huge); TRY(32, i = (int)0.5 + (int)(one * 1.5)); TRY(5, r = one + one);
    printf("%d\n", i);
    return 0;
}
