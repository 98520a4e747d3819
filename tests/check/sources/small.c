#include <stdio.h>
#include <string.h>
struct p { int x, y; char n[8]; };
static int fib(int n) { return n < 2 ? n : fib(n-1) + fib(n-2); }
int main(int argc, char **argv) { struct p a[3] = {{1,2,"a"},{3,4,"b"},{5,6,"c"}}; double d = 0; for (int i = 0; i < 3; i++) { d += a[i].x * 1.5 + strlen(a[i].n); switch (a[i].y) { case 2: d++; break; case 4: d--; break; default: d *= 2; } } printf("%d %g %s\n", fib(12), d, argc > 5 ? argv[1] : "none"); return 0; }
