/* A stream is used after it was closed, and its memory after another owner wrote there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  FILE *f = fopen("/dev/null", "w");
  fputs("text", f);
  fclose(f);
  char *block = malloc(472);
  memset(block, 0x44, 472);
  fputs("more", f);
  return 0;
}
