/* A maximum that is wrong at the end, in a loop that calls a function, with a variable that has no part in it. */
#include <stdio.h>
#include <stdlib.h>

static int values[] = {3, 9, 4, 7};
static int calls;

static int larger(int a, int b)
{
    calls++;
    if (a > b)
        return a;
    return b;
}

int main(void)
{
    int most = 0;
    for (int i = 0; i < 4; i++)
        most = larger(values[i], most);
    printf("%d\n", most);
    if (most == 9)
        abort();
    return calls;
}
