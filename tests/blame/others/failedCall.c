#include <stdio.h>
int main(void) { FILE *f = fopen("/nonexistent/x", "r"); int c = fgetc(f); printf("%d\n", c); return 0; }
