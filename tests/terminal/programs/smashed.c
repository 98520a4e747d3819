/* A return address is overwritten, and a block's header, so that a crash is nowhere and in a library. */
#include <stdlib.h>
#include <string.h>

/* Up to where the return address is: what is copied there has a zero in its two highest bytes. */
static void copy_name(const char *name)
{
    char room[16];
    strcpy(room, name);
}

static void overrun(int count)
{
    long *first = malloc(24);
    long *second = malloc(24);
    for (int i = 0; i < count; i++)
        first[i] = 0;
    free(second);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        overrun(atoi(argv[1]));
    copy_name("0123456789abcdef01234567.draft");
    return 0;
}
