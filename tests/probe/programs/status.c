/** A wrong exit status, and a wrong line in the output. */
#include <stdio.h>
static int errors, total;
static const int values[] = { 4, -1, 7 };
APART void add(int value) {
    if COND(value < 0) // @negative
        errors++;
    else
        total += value;
}
int main(int argc, char **argv) {
    for (int i = 0; COND(i < 3); i++) // @loop
        CALL(add(values[i])); // @add
    if COND(argc > 5) // @many
        total = 0;
    if COND(total == 11) // @total
        puts("total: eleven");
    if COND(errors > 0) { // @errors
        CALL(fprintf(stderr, "%d errors\n", errors)); // @print
        return 3;
    }
    return 0;
}
