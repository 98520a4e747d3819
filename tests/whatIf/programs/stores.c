/* Assignments of all kinds, and calls whose results are used or not. */
#define APART static __attribute__((noipa))
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
    unsigned small : 3;
    unsigned wide : 13;
};

static int global = 1;
static struct point where = { 1, 2, 3, 4 };
static int numbers[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static double ratio = 0.5;
static float single = 1.25f;

APART int twice(int x)
{
    printf("twice %d\n", x);
    return x * 2;
}

APART double half(double x)
{ // @half
    printf("half %g\n", x);
    return x / 2;
}

APART void note(const char *text)
{
    printf("note %s\n", text); // @inNote
}

APART int factorial(int n)
{
    if (n < 2)
        return 1;
    int below = factorial(n - 1);
    global += n; // @recursion
    return n * below;
}

APART int depth(int n)
{
    if (n == 0) // @recursionEnd
        return 0;
    return depth(n - 1) + 1;
}

APART char * label(int n)
{
    static char text[32];
    sprintf(text, "label %d", n); // @sprintf
    return text;
}

APART long wide(void)
{ // @wide
    return 1L << 40;
}

int main(void)
{
    setlinebuf(stdout);
    int local = 5, other = 6;
    int *pointer = &numbers[2];
    char text[32] = "first";
    local = 17; // @local
    global = 18; // @global
    where.y = 19; // @field
    where.small = 5; // @bits
    where.wide = 1000;
    numbers[3] = 20; // @element
    *pointer = 21; // @pointer
    local += 3; // @compound
    other++; // @increment
    --other;
    ratio *= 3.5; // @double
    single = ratio + 1; // @float
    printf("%d %d %d %d %d %d %d %d\n", local, other, global, where.y, where.small, where.wide, numbers[3], numbers[2]);
    printf("%g %g\n", ratio, single);
    note("called"); // @call
    local = twice(other); // @result
    local = twice(twice(3)); // @nestedCalls
    printf("local %d\n", local);
    strcpy(text, "second"); // @strcpy
    strcat(text, " and more"); // @strcat
    printf("%s %zu\n", text, strlen(text)); // @printf
    puts("a line"); // @puts
    global = 0;
    printf("factorial %d", factorial(6));
    printf(" global %d depth %d\n", global, depth(4));
    printf("half %g\n", half(3.0) + half(5.0));
    printf("%s\n", label(7));
    void *block = malloc(16); // @malloc
    printf("block %d\n", block == NULL);
    free(block);
    struct point copy = where; // @structure
    copy.x += 100;
    printf("copy %d %d\n", copy.x, copy.y);
    if (ratio == 1.75) // @floatCondition
        printf("equal\n");
    else
        printf("different\n");
    int a = 0, b = 0;
    a = 3; b = a + 2; // @several
    printf("a %d b %d\n", a, b);
    printf("wide %ld\n", wide());
    memset(numbers, 0, sizeof numbers); // @memset
    printf("numbers %d\n", numbers[7]);
    return global & 0x7f;
}
