#include <stdio.h>
#include <string.h>
char text[256];
char title[32] = "t";
char *name = "name";
__attribute__((noipa)) static void prepare(void) { memset(text, 'A', sizeof text); }
__attribute__((noipa)) static void put(int count) {
  for (int i = 0; i < count; i++) title[i] = text[i];
  title[0]++;
}
__attribute__((noipa)) static void show(void) { printf("%c %s\n", title[0], name); }
int main(int argc, char **argv) {
  prepare();
  put(argc + 63);
  show();
  return 0;
}
