/* Two places allocate; one of them forgets. */
#include <stdlib.h>
#include <string.h>

static char *kept[4];

static char *copy(const char *text) { return strcpy(malloc(strlen(text) + 1), text); }

static void forget(int i) {
    char *lost = malloc(100);       /* MARK: leak */
    lost[0] = i;
}

static void remember(int i) {
    free(kept[i % 4]);
    kept[i % 4] = copy("remembered");
}

int main(int argc, char **argv) {
    for (int i = 0; i < 40; i++) {
        if (argc > 1) forget(i);
        remember(i);
        kept[0] = realloc(kept[0], 32);
    }
    for (int i = 0; i < 4; i++) free(kept[i]);
    return 0;
}
