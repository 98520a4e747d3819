/* Loops whose conditions an optimising compiler copies: before the body, and after it. */
#include <stdio.h>

static __attribute__((noipa)) int step(int x)
{
    return x * 3 % 7;
}

static __attribute__((noipa)) int sum(int n)
{
    int result = 0;
    for (int i = 0; i < n; i++) // @for
        result += step(i);
    return result;
}

static __attribute__((noipa)) int climb(int n)
{
    int height = 0;
    while (height < n) // @while
        height += step(height + 1);
    return height;
}

/* It calls itself before its own condition is decided. */
static __attribute__((noipa)) int deep(int n)
{
    if (n > 0 && deep(n - 1) % 2 == 0) // @deep
        return n + 1;
    return n;
}

/* Between its conditions there is no room for a longer jump. */
static __attribute__((noipa)) int odd(int n)
{
    return n & 1;
}

static __attribute__((noipa)) int tight(int b)
{
    int n = 0;
    do {
        n++;
    } while (odd(b + n) && step(n) < 5); // @tight
    return n;
}

int main(void)
{
    printf("%d\n", sum(5));
    printf("%d\n", climb(4));
    printf("%d\n", deep(4));
    for (int i = 0; i < 6; i++)
        printf("%d\n", tight(i));
    return 0;
}
