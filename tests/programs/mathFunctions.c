// libm in double and float on ordinary and special arguments, as exact bits.
#include <math.h>
#include <stdio.h>
static const double values[] = {0, -0.0, 1, -1, 0.5, 2, 3.7, -2.3, 1e-10, 1e10, 100.25, 1e-310, 1e300, INFINITY, -INFINITY, NAN, 0.7853981633974483, 3.141592653589793, 1e22, 709.5};
#define N (int)(sizeof values / sizeof *values)
typedef double (*Unary)(double);
static const struct { const char *name; Unary f; } unary[] = {
    {"sin", sin}, {"cos", cos}, {"tan", tan}, {"asin", asin}, {"acos", acos}, {"atan", atan}, {"sinh", sinh}, {"cosh", cosh}, {"tanh", tanh},
    {"asinh", asinh}, {"acosh", acosh}, {"atanh", atanh}, {"exp", exp}, {"exp2", exp2}, {"expm1", expm1}, {"log", log}, {"log2", log2}, {"log10", log10},
    {"log1p", log1p}, {"sqrt", sqrt}, {"cbrt", cbrt}, {"floor", floor}, {"ceil", ceil}, {"trunc", trunc}, {"round", round}, {"rint", rint}, {"erf", erf}, {"erfc", erfc},
    {"tgamma", tgamma}, {"lgamma", lgamma}, {"fabs", fabs}, {"logb", logb}, {"j0", j0}, {"y1", y1}};
int main(void) {
    for (unsigned i = 0; i < sizeof unary / sizeof *unary; i++) {
        printf("%s", unary[i].name);
        for (int k = 0; k < N; k++) { double r = unary[i].f(values[k]); if (isnan(r)) printf(" nan"); else printf(" %a", r); }
        puts("");
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double x = values[i], y = values[k], r[] = {pow(x, y), atan2(x, y), fmod(x, y), hypot(x, y), remainder(x, y), fmax(x, y), fdim(x, y), copysign(x, y), nextafter(x, y)};
            for (int j = 0; j < 9; j++) { if (isnan(r[j])) printf("nan "); else printf("%a ", r[j]); }
            puts("");
        }
    for (int i = 0; i < N; i++) {
        float x = (float)values[i];
        int e; double whole, frac = modf(values[i], &whole), m = frexp(values[i], &e);
        float r[] = {sinf(x), cosf(x), expf(x), logf(x), powf(x, 1.5f), sqrtf(x), atanf(x), roundf(x), cbrtf(x), tanhf(x)};
        for (int j = 0; j < 10; j++) { if (isnan(r[j])) printf("nan "); else printf("%a ", (double)r[j]); }
        if (isfinite(values[i])) printf("%a %a %a %d %a", whole, frac, m, e, fma(values[i], 1.1, -0.3));
        puts("");
    }
    return 0;
}
