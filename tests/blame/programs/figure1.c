/*
 * Figure 1 of "Execution Suppression" (Jeffrey and others): statements have its numbers. With the input that is fitting
 * the run crashes at 12 (far outside), without that at 13 (a null pointer), without that at 15 (freed twice).
 */
#include <stdio.h>
#include <stdlib.h>

struct record { int f; };

/* Only the first records are there; others are null. */
enum { INTEGERS = 64, RECORDS = 1000000, MADE = 64 };

static int readInt(void) {
    int sign = 1, value = 0, c = getchar();
    while (c == ' ' || c == '\n')
        c = getchar();
    if (c == '-') {
        sign = -1;
        c = getchar();
    }
    for (; c >= '0' && c <= '9'; c = getchar())
        value = value * 10 + (c - '0');
    return sign * value;
}

int main(void) {
    int *x = malloc(2 * sizeof *x);
    int *y = malloc(2 * sizeof *y);
    int *intArray = malloc(INTEGERS * sizeof *intArray);
    struct record **structArray = calloc(RECORDS, sizeof *structArray);
    for (int i = 0; i < MADE; i++)
        structArray[i] = calloc(1, sizeof **structArray);

    int *p1 = &x[1];                // @1
    int *p2 = &x[0];                // @2
    int *q1 = &y[1];                // @3
    int *q2 = &x[0];                // @4 should be &y[0]
    *p1 = readInt();                // @5
    *p2 = readInt();                // @6
    *q1 = readInt();                // @7
    *q2 = readInt();                // @8
    int a = *p1 + *p2;              // @9
    int b = *q1 + *q2;              // @10
    int c = a + b + 1;              // @11
    intArray[c] = 0;                // @12
    structArray[*p2]->f = 0;        // @13
    free(p2);                       // @14
    free(q2);                       // @15
    return 0;
}
