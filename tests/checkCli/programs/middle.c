/* Gives memset the middle of a block, and of a variable, that end too soon. */
#include <stdlib.h>
#include <string.h>

char genstr[16];

int main(void) {
  char *p = malloc(20);
  memset(p + 7, 0, 30);
  memset(genstr + 5, 0, 20);
  return 0;
}
