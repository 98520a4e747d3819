#include <stdio.h>
#include <stdlib.h>
int table[8]; int *cursor = table; int limits[4] = {1, 2, 3, 4};
static void set(int i, int v) { limits[i] = v; }
int main(int argc, char **argv) {
    int k = atoi(argv[1]);
    set(k, 77);
    for (int i = 0; i < 4; i++) *cursor++ = limits[i];
    printf("%d\n", table[2]);
    return 0;
}
