// Variable arguments in registers and on the stack, of all classes; struct passing; function pointers.
#include <stdarg.h>
#include <stdio.h>
struct small { int a; double b; }; struct big { long v[5]; char tail; }; struct mixed { float x, y, z; };
static double total(const char *kinds, ...) {
    va_list list, again; double sum = 0;
    va_start(list, kinds); va_copy(again, list);
    for (int pass = 0; pass < 2; pass++)
        for (const char *k = kinds; *k; k++) {
            va_list *from = pass ? &again : &list;
            switch (*k) {
            case 'i': sum += va_arg(*from, int); break;
            case 'l': sum += va_arg(*from, long); break;
            case 'd': sum += va_arg(*from, double); break;
            case 'L': sum += (double)va_arg(*from, long double); break;
            case 's': { struct small s = va_arg(*from, struct small); sum += s.a + s.b; break; }
            case 'B': { struct big s = va_arg(*from, struct big); sum += s.v[4] + s.tail; break; }
            case 'p': sum += *va_arg(*from, const char *); break;
            }
        }
    va_end(list); va_end(again);
    return sum;
}
static struct big grow(struct big in, struct small by, struct mixed m) { for (int i = 0; i < 5; i++) in.v[i] += by.a + (long)(by.b * m.x + m.y - m.z); in.tail++; return in; }
static struct mixed scale(struct mixed m, float f) { return (struct mixed){m.x * f, m.y * f, m.z * f}; }
static long many(long a, long b, long c, long d, long e, long f, long g, char h, short i, double x, double y, float z) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + (long)(x * y + z); }
int main(void) {
    struct small s = {3, 0.5}; struct big b = {{1, 2, 3, 4, 5}, 'x'};
    printf("%.6f\n", total("iidLlsBpiiiiddddddddd", 1, -2, 3.25, 4.5L, 5L, s, b, "A", 6, 7, 8, 9, .1, .2, .3, .4, .5, .6, .7, .8, .9));
    struct big g = grow(b, s, (struct mixed){2, 3, 4}); printf("%ld %ld %c\n", g.v[0], g.v[4], g.tail);
    struct mixed m = scale((struct mixed){1, 2, 3}, 1.5f); printf("%g %g %g\n", m.x, m.y, m.z);
    long (*pointer)(long, long, long, long, long, long, long, char, short, double, double, float) = many;
    printf("%ld\n", pointer(1, 2, 3, 4, 5, 6, 7, -8, -9, 1.5, 2.5, 3.5f));
    return 0;
}
