#include <stdio.h>

union {
  int whole;
  char parts[4];
} both;
int other;

int main(void) {
  other = 1;
  both.whole = 5;
  other = 2;
  both.parts[1] = 3;
  other += both.whole;
  printf("%d\n", other);
  return 0;
}
