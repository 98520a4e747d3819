#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct attr { const char *name; char *php; };

static char *copy(const char *s)
{
    char *p = malloc(strlen(s) + 1);
    strcpy(p, s);
    return p;
}

static void release(struct attr *a)
{
    free(a->php); /* BUG */
    a->php = NULL;
}

int main(void)
{
    struct attr one = { "one", copy("hello") };
    struct attr two = one; /* ROOT */
    puts("working");
    fflush(stdout);
    release(&one);
    release(&two);
    puts("never said");
    return 0;
}
