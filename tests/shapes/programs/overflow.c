/* A client of malloc writes over the end of its block, into the header of the next one; free notices much later. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *names[20];

static void rename_to(int i, const char *text) {
  strcpy(names[i], text); // @overflow
}

int main(void) {
  for (int i = 0; i < 20; i++) names[i] = malloc(1100);
  for (int i = 0; i < 20; i++) snprintf(names[i], 1100, "name %d", i);
  char text[1200];
  memset(text, 'A', sizeof text - 1);
  text[1150] = 0;
  rename_to(7, text);
  for (int i = 0; i < 20; i++) printf("%.20s\n", names[i]);
  for (int i = 0; i < 20; i++) free(names[i]);
  return 0;
}
