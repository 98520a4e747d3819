/* The program of figure 4.8, smaller: nested loops that call two functions which do nothing. */
#include <stdio.h>
#include <stdlib.h>

struct point { int x, y; struct point *next; };

int counter;
struct point origin = { 3, 4, &origin };
double ratio = 0.5;
const char *title = "calls";

void foo(int x, int y) { counter += x - y; }
void bar(int z) {}
int twice(int n) { return 2 * n; }

int main(void) {
    int i, j, k;
    for (i = 0; i < 4; i++) {
        for (j = 0; j < 4; j++) {
            for (k = 0; k < 4; k++) bar(i * 4 + k);
            foo(i, i * 4 + j);
        }
        char *made = malloc(100 + i);
        if (i % 2) free(made);
    }
    printf("%d %d\n", counter, twice(21));
    return 0;
}
