/** Orders that are carried out by `switch` statements: one by a jump table, one by comparisons. */
#include <stdio.h>
#include <stdlib.h>
static int amount = 4, price, *share;
static const int orders[] = { 12, 15, 13 };
APART void carryOut(int order) {
    switch SELECT(order) { // @order
    case 10: amount += 2; break;
    case 11: amount = 9; break;
    case 12: amount -= 4; break;
    case 13: price = 100 / amount; break;
    case 14: exit(3);
    case 15: price += 7; break;
    case 17: abort();
    default: amount = 1;
    }
}
APART int kindOf(int n) {
    switch SELECT(n) { // @kind
    case 3: return 1;
    case 100: return 2;
    case -7: return 3;
    }
    return 4;
}
int main(void) {
    for (int i = 0; COND(i < 2); i++) // @loop
        carryOut(orders[i]);
    if COND(kindOf(100) == 2) // @two
        CALL(carryOut(orders[2])); // @carry
    printf("%d\n", price);
    return 0;
}
