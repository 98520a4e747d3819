/* A wrong total: one condition is the wrong way round. */
#include <stdio.h>

static int limit = 3;
static int total;

static void add(int n)
{
    if (n > limit) /* MARK: condition */
        total += n; /* MARK: add */
}

int main(void)
{
    int unused = 7;
    for (int i = 1; i <= 5; i++)
        add(i);
    unused++; /* MARK: unused */
    printf("%d\n", total); /* MARK: print */
    return unused - 8;
}
