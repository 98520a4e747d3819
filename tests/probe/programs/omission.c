/** An error of omission: a flag that is not set, because a condition was false. */
#include <stdio.h>
static int flags, level = 2, other;
APART void choose(int mode) {
    if COND(mode > 3) // @mode
        flags = 1; // @set
    if COND(mode > 4) // @aside
        other = 1;
}
APART void report(void) {
    int kind = flags; // @kind
    if COND(level > 1) // @level
        kind += 2;
    printf("%d\n", kind); // @print
}
int main(void) {
    for (int i = 0; COND(i < 2); i++) // @loop
        choose(i);
    report();
    return flags ? 0 : 4;
}
