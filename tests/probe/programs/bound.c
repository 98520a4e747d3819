/** A loop that goes one too far, and hits the divisor that lies behind the array. */
#include <stdio.h>
static struct { int cells[4]; int divisor; } table = { { 1, 2, 3, 4 }, 5 };
APART void clear(int count) {
    for (int i = 0; COND(i <= count); i++) // @loop
        table.cells[i] = 0;
}
APART int share(int amount) {
    return amount / table.divisor;
}
int main(void) {
    CALL(clear(4)); // @clear
    int part = 0;
    if COND(table.cells[0] == 0) // @empty
        CALL(part = share(100)); // @share
    printf("%d\n", part);
    return 0;
}
