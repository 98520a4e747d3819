/* Addresses that a double has no room for. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    int local[10];
    long index = 0x0123456789abcdef;
    if (argc > 1)
        local[index] = 1;
    free((void *)0xdeadbeefcafebabe);
    return 0;
}
