// 80-bit floats: printing, parsing, arithmetic and the functions of libm on them.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void show(const char *what, long double x) {
    unsigned char bytes[16] = {0};
    memcpy(bytes, &x, 10);
    printf("%-12s %.25Lg %La ", what, x, x);
    for (int i = 9; i >= 0; i--) printf("%02x", bytes[i]);
    puts("");
}
// The CPU's own logarithm, exponential and arctangent may be off by one in the last place, and are on some.
static void nearly(const char *what, long double x) { printf("%-12s %.17Lg\n", what, x); }
int main(void) {
    const char *texts[] = {"0.1", "1e4932", "1e4933", "3.64519953188247460253e-4951", "1e-4960", "0x1.fffffffffffffffep+16383", "inf", "-nan", "1.18973149535723176502e+4932", "123456789012345678901234567890", "0x.8p-16444", "4.9406564584124654418e-324"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        show(texts[i], strtold(texts[i], &end));
        printf("  double %a float %a %s\n", strtod(texts[i], NULL), strtof(texts[i], NULL), *end ? end : "all");
    }
    volatile long double x = 2.0L, y = 3.0L, tiny = LDBL_MIN;
    show("x/y", x / y); show("x*y", x * y + 0.1L); show("tiny/3", tiny / y); show("eps", 1.0L + LDBL_EPSILON); show("max*2", LDBL_MAX * x);
    show("sqrtl", sqrtl(x)); nearly("sinl", sinl(x)); nearly("cosl", cosl(1e10L)); nearly("tanl", tanl(y)); nearly("expl", expl(y)); nearly("logl", logl(y));
    nearly("powl", powl(x, 0.5L)); nearly("atan2l", atan2l(x, y)); show("fmodl", fmodl(1e20L, y)); show("remainderl", remainderl(1e20L, 7)); nearly("log2l", log2l(y));
    show("floorl", floorl(-2.5L)); show("rintl", rintl(2.5L)); show("roundl", roundl(2.5L)); show("truncl", truncl(-2.7L)); show("cbrtl", cbrtl(27)); show("hypotl", hypotl(3, 4));
    int e; show("frexpl", frexpl(1e-4940L, &e)); printf("%d %ld %lld %d\n", e, lrintl(1e15L + 0.5L), llroundl(-2.5L), ilogbl(tiny));
    show("ldexpl", ldexpl(1, -16445)); show("nextafterl", nextafterl(1, 2)); show("modfl", modfl(3.75L, (long double *)&x)); show("whole", x);
    show("from int", (long double)(1ULL << 63)); show("from min", (long double)(-0x7fffffffffffffffLL - 1)); printf("%llu %d\n", (unsigned long long)9223372036854775809.0L, (int)-1.9L);
    printf("%d %d %d %d\n", isnan(strtold("nan", 0)), isinf(LDBL_MAX * y), fpclassify(tiny / 4) == FP_SUBNORMAL, signbit(-0.0L) != 0);
    double sum = 0; for (int i = 1; i < 1000; i++) sum += (double)(1.0L / i); printf("%.17g %.21Lg\n", sum, (long double)sum / 3);
    return 0;
}
