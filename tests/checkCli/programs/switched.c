/* Three mistakes, with functions called in between that rules can be switched at. */
#include <stdio.h>
#include <stdlib.h>

static void checked(void) {}
static void unchecked(void) {}

int main(void) {
    char *block = malloc(10), *late = malloc(20), *gone = malloc(30);
    free(gone);
    block[10] = 1; /* FIRST */
    checked();
    late[20] = 1; /* SECOND */
    unchecked();
    gone[3] = 1; /* THIRD */
    puts("done");
    return 0;
}
