/* A loop whose rounds can be altered one by one, and variables to change by hand. */
#include <stdio.h>

int total;
int extra;

static __attribute__((noipa)) void add(int n)
{
    if (n % 2 == 0) // @even
        total += n; // @add
    total += extra; // @extra
}

int main(void)
{
    for (int i = 1; i <= 6; i++)
        add(i); // @round
    printf("%d %d\n", total, extra); // @print
    return 0;
}
