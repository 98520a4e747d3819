/* Writes to one byte or element of memory on the stack: by what means, how many there are, which. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bytes(int count, int which) {
  char *p = alloca(count);
  memset(p, 1, count);
  p[which] = 2;
  return p[0];
}

static int numbers(int count, int which) {
  int row[count];
  memset(row, 0, sizeof row);
  row[which] = 2;
  return row[0];
}

static int several(int count, int which) {
  char *first = alloca(count);
  long double wide[count];
  memset(wide, 0, sizeof wide);
  first[0] = 1;
  wide[which] = 2;
  return first[0];
}

int main(int count, char **words) {
  int (*const means[])(int, int) = { bytes, numbers, several };
  printf("%d\n", means[atoi(words[1])](atoi(words[2]), atoi(words[3])));
  return 0;
}
