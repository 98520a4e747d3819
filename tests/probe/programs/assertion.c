/** An assertion about a sum of which one part is left out. */
#include <assert.h>
#include <stdio.h>
static int numbers[] = { 3, 5, 8, 2 };
APART int sum(int least) {
    int total = 0;
    for (int i = 0; COND(i < 4); i++) // @loop
        if COND(numbers[i] > least) // @least
            total += numbers[i];
    return total;
}
APART void check(int total) {
    assert(total == 18); // @assert
}
int main(void) {
    int total = sum(2);
    CALL(check(total)); // @check
    printf("%d\n", total);
    return 0;
}
