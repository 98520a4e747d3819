/* Functions that end with a jump, to be compiled with -O2: twice goes away through a pointer, pick has cases in a table and stays. */
#include <stdio.h>

__attribute__((noipa)) int next(int x) { return x + 1; }

int (*volatile chosen)(int) = next;

__attribute__((noipa)) int twice(int x) { return chosen(2 * x); }

__attribute__((noipa)) int pick(int x) {
    switch (x) {
    case 0: puts("none"); return 7;
    case 1: puts("one"); return 3;
    case 2: putchar('2'); return 12;
    case 3: printf("%d\n", 3 * x); return 1;
    case 4: puts("four"); return 9;
    case 5: putchar('5'); return 5;
    default: return 0;
    }
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 6; i++) sum += twice(i) + pick(i);
    printf("%d\n", sum);
    return 0;
}
