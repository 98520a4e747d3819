/* Conditions of all kinds; each function prints what it came to. Lines that are altered have a mark, as @name. */
#define APART static __attribute__((noipa))
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

APART int pick(int a)
{
    int r = 0;
    if (a > 3) // @if
        r = 1;
    else
        r = 2; // @else
    return r;
}

APART int both(int a, int b)
{
    if (a > 1 && b > 1) // @and
        return 1;
    return 0;
}

APART int either(int a, int b)
{
    int r = 0;
    if (a > 10 || b > 10) { // @or
        r += 1;
        r += 10;
        r += 100;
        r *= 3;
        printf("either %d %d", a, b);
        printf(" has come to its first branch, which is long enough that a short jump ");
        printf("does not reach its end: %d %d %d %d\n", r, a, b, r + a);
    } else {
        r = 7;
    }
    return r;
}

APART int mixed(int a, int b, int c)
{
    if ((a && b) || c) // @mixed
        return 1;
    return 2;
}

APART int nested(int a, int b, int c)
{
    if (a && (b || c)) // @nested
        return 1;
    return 2;
}

APART int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) { // @for
        s += i; // @body
        if (s > 1000) {
            s += 7;
            break; // @break
        }
    }
    return s;
}

APART int oneLine(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) s += i; // @oneLine
    return s;
}

APART int empty(const char *text)
{
    const char *p = text;
    while (*p++ != '!'); // @empty
    return (int)(p - text);
}

APART int count(int n)
{
    int i = 0;
    while (i < n) { // @while
        i += 3;
        if (i > 20)
            return i;
    }
    return i;
}

APART int atLeastOnce(int n)
{
    int i = 0;
    do {
        i++;
        if (i > 50)
            break;
    } while (i < n); // @do
    return i;
}

APART int ternary(int a)
{
    int r = a > 2 ? 10 : 20; // @ternary
    return r;
}

APART int asValue(int a, int b)
{
    int r = a == b; // @value
    return r;
}

APART int logical(int a, int b)
{
    int r = a && b; // @logical
    return r;
}

APART int negated(int a)
{
    if (!a) // @not
        return 5;
    return 6;
}

APART int early(int a)
{
    if (a > 0)
        return 1; // @return
    return 2;
}

APART int skipping(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 2) {
            s += 100;
            continue; // @continue
        }
        if (i == 8)
            continue; // @folded
        s += i;
    }
    return s;
}

APART int instances(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        if (i % 3 == 0) // @third
            s += 1 << i;
    return s;
}

APART int unsignedCompare(unsigned a, unsigned b)
{
    if (a < b) // @unsigned
        return 1;
    return 0;
}

APART int text(const char *a)
{
    if (strcmp(a, "yes") == 0) // @strcmp
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    setlinebuf(stdout);
    printf("pick %d %d\n", pick(argc), pick(argc + 5));
    printf("both %d %d %d %d\n", both(0, 0), both(2, 0), both(0, 2), both(2, 2));
    printf("either %d %d %d %d\n", either(0, 0), either(20, 0), either(0, 20), either(20, 20));
    for (int i = 0; i < 8; i++)
        printf("mixed %d nested %d\n", mixed(i & 4, i & 2, i & 1), nested(i & 4, i & 2, i & 1));
    printf("sum %d %d %d\n", sum(10), sum(0), sum(50));
    printf("oneLine %d\n", oneLine(10));
    printf("empty %d\n", empty("abc!def!"));
    printf("count %d\n", count(10));
    printf("atLeastOnce %d\n", atLeastOnce(5));
    printf("ternary %d %d\n", ternary(argc), ternary(argc + 5));
    printf("asValue %d %d\n", asValue(argc, 1), asValue(argc, 2));
    printf("logical %d %d %d\n", logical(0, 1), logical(1, 0), logical(1, 1));
    printf("negated %d %d\n", negated(0), negated(argc));
    printf("early %d %d\n", early(argc), early(-argc));
    printf("skipping %d\n", skipping(10));
    printf("instances %d\n", instances(10));
    printf("unsigned %d %d\n", unsignedCompare(1, -1), unsignedCompare(5, 5));
    printf("text %d %d\n", text("yes"), text("no"));
    return argc > 1 ? atoi(argv[1]) : 3; // @exit
}
