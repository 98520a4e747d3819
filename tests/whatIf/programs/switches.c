/* Statements of the kind `switch`: compare chains, jump tables, ranges, with and without a default. */
#define APART static __attribute__((noipa))
#include <stdio.h>

APART const char * chain(int n)
{
    const char *name = "?";
    switch (n) { // @chain
    case 3: name = "three"; break;
    case 100: name = "hundred"; break;
    case -7: name = "minus seven"; break;
    default: name = "other"; break;
    }
    return name;
}

APART int table(int n)
{
    switch (n) { // @table
    case 0: return 10;
    case 1: return 21;
    case 2: return 32;
    case 3: return 45;
    case 4: return 51;
    case 5: return 67;
    case 6: return 72;
    default: return -1;
    }
}

APART int noDefault(unsigned char n)
{
    int r = 1;
    switch (n) { // @noDefault
    case 'a': r = 2;
    case 'b': r += 10; break; // @fallThrough
    case 'c' ... 'f': r = 30; break;
    }
    return r;
}

APART int ranges(int n)
{
    switch (n) { // @ranges
    case 0 ... 9: return 1;
    case 10 ... 99: return 2;
    case 100 ... 999: return 3;
    }
    return 4;
}

APART int fromTen(int n)
{
    switch (n) { // @fromTen
    case 10: return 5;
    case 11: return 8;
    case 12: return 31;
    case 13: return 4;
    case 14: return 77;
    case 15: return 2;
    default: return -3;
    }
}

APART int less(int n)
{
    switch (n - 40) { // @less
    case 0: return 5;
    case 1: return 8;
    case 2: return 31;
    case 3: return 4;
    case 4: return 77;
    case 5: return 2;
    default: return -3;
    }
}

APART int both(int n)
{
    switch (n - 7) { // @both
    case 10: return 5;
    case 11: return 8;
    case 12: return 31;
    case 13: return 4;
    case 14: return 77;
    default: return -3;
    }
}

int main(void)
{
    setlinebuf(stdout);
    for (int i = -7; i < 9; i += 5)
        printf("%s %d %d\n", chain(i), table(i), ranges(i * 12));
    for (const char *p = "abcdz"; *p != '\0'; p++)
        printf("%c %d\n", *p, noDefault((unsigned char)*p));
    for (int i = 9; i < 12; i++)
        printf("%d %d %d\n", fromTen(i), less(i + 30), both(i + 9));
    return table(4);
}
