#include <stdio.h>
#include <stdlib.h>
struct node { int *p; int v; };
__attribute__((noinline)) static void dirty(void) { volatile long a[64]; for (int i = 0; i < 64; i++) a[i] = 0x4141414141414141; }
__attribute__((noinline)) static int use(int set) { struct node n; n.v = 3; if (set) n.p = &n.v; return *n.p; }
int main(int argc, char **argv) { dirty(); printf("%d\n", use(argc > 1)); return 0; }
