// fenv: rounding modes in SSE and x87, exception flags raised by operations and by libm.
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma STDC FENV_ACCESS ON
static volatile double a = 1, b = 3, big = 1e308, tiny = 1e-308, half = 2.5; static volatile float fa = 1, fb = 3; static volatile long double la = 1, lb = 3;
static void flags(void) {
    int f = fetestexcept(FE_ALL_EXCEPT);
    printf(" [%s%s%s%s%s]\n", f & FE_INVALID ? "V" : "", f & FE_DIVBYZERO ? "Z" : "", f & FE_OVERFLOW ? "O" : "", f & FE_UNDERFLOW ? "U" : "", f & FE_INEXACT ? "X" : "");
    feclearexcept(FE_ALL_EXCEPT);
}
#define SHOW(e) do { feclearexcept(FE_ALL_EXCEPT); double r = (double)(e); printf("%-22s %a", #e, r); flags(); } while (0)
int main(void) {
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; i++) {
        printf("mode %d %d\n", i, fesetround(modes[i]));
        SHOW(a / b); SHOW(-a / b); SHOW(fa / fb); SHOW(la / lb); SHOW(big * 10); SHOW(tiny / 1e10); SHOW(tiny * tiny); SHOW(rint(half)); SHOW(nearbyint(-half)); SHOW(lrint(half)); SHOW((float)0.1);
        SHOW((float)(a / b)); SHOW((int)half); SHOW(sqrt(b)); SHOW(a + 1e-20); SHOW(llrintl(la / lb * 10)); SHOW((double)0x7fffffffffffffff); SHOW(a - a); SHOW(rintf(-0.5f)); SHOW(strtod("0.1", NULL));
    }
    fesetround(FE_TONEAREST);
    SHOW(a / (a - a)); SHOW((a - a) / (a - a)); SHOW(sqrt(-a)); SHOW(log(a - a)); SHOW(exp(b * 1000)); SHOW((int)big); SHOW(fmod(a, a - a)); SHOW(pow(a - a, -1));
    fenv_t saved; feraiseexcept(FE_OVERFLOW | FE_INEXACT); fegetenv(&saved); feholdexcept(&saved); printf("held"); flags();
    fesetenv(&saved); printf("restored"); flags(); feraiseexcept(FE_INVALID); feupdateenv(FE_DFL_ENV); printf("default round %d", fegetround() == FE_TONEAREST); flags();
    unsigned mxcsr = 0x9fc0; __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));   // flush to zero, denormals are zero
    printf("%a %a\n", tiny / 1e10, 1e-310 * a); mxcsr = 0x1f80; __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    return 0;
}
