// setjmp and longjmp, nested; values that must survive; sigsetjmp with the mask.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static jmp_buf outer, inner;
static int depth(int n) { if (n == 0) longjmp(inner, 5); volatile char pad[100] = {0}; return depth(n - 1) + pad[3]; }
static double keep(double a, double b) {
    volatile int round = 0;
    if (setjmp(inner) == 0) depth(50);
    else round = 1;
    return a * b + round;
}
int main(void) {
    volatile int count = 0;
    int value = setjmp(outer);
    printf("outer %d count %d\n", value, count);
    if (count++ < 3) longjmp(outer, count - 1);   // 0 becomes 1
    printf("%.3f\n", keep(1.5, 2.25));
    for (volatile int i = 0; i < 1000; i++) if (setjmp(inner) == 0) longjmp(inner, 1); else count++;
    sigset_t mask, now; sigjmp_buf saved;
    sigemptyset(&mask); sigaddset(&mask, SIGUSR1);
    if (sigsetjmp(saved, 1) == 0) { sigprocmask(SIG_BLOCK, &mask, NULL); siglongjmp(saved, 1); }
    sigprocmask(SIG_BLOCK, NULL, &now); printf("%d %d\n", count, sigismember(&now, SIGUSR1));
    return count & 0x7f;
}
