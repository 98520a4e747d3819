/* A stream is closed twice. */
#include <stdio.h>
int main(void) {
  FILE *f = fopen("/dev/null", "w");
  fputs("text", f);
  fclose(f);
  fclose(f);
  return 0;
}
