#include <stdio.h>
char *title = "title";
char lead[12];
char line[12];
int index_of = 3;
static void put(int at) { line[at] = 'x'; }
int main(void) {
  put(2);
  put(-1);
  printf("%s %c %d\n", title, line[2], index_of + lead[0]);
  return 0;
}
