#include <stdio.h>
#include <string.h>
#include <stdlib.h>
__attribute__((noinline)) static int parse(const char *s, int *out) {
    char buf[16];
    int n = 0;
    for (int i = 0; s[i]; i++) buf[i] = s[i] ^ 1;
    for (int i = 0; i < 16; i++) n += buf[i];
    *out = n;
    return n;
}
int main(int argc, char **argv) {
    int v;
    parse(argv[1], &v);
    printf("%d\n", v);
    return 0;
}
