// Strings that do not end where their blocks do, next to memory that happens to be 0; and others that do.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int used;

static char *filled(int size) {
  char *text = malloc(size);
  memset(text, 'a', size);
  return text;
}

static void right(void) {
  char *text = filled(32), *whole = filled(5000);
  text[31] = whole[4999] = 0;
  used += strlen(text) + strlen(whole) + strlen(whole + 4990);
  char *copy = strdup(text + 16);
  used += strlen(copy);
  strcpy(copy, text + 20);
  strcat(copy, "");
}

int main(void) {
  for (int i = 0; i < 2000; i++) right();
  char copy[200] = "";
  char *text = filled(32), *zeros = calloc(1, 64), *odd = filled(45), *last = filled(1);
  used += strlen(text);      // MARK: strlen
  used += strlen(odd + 40);  // MARK: strlen inside
  strcpy(copy, last);        // MARK: strcpy
  strcat(copy, text);        // MARK: strcat
  puts(text);                // MARK: puts
  return used == zeros[0];
}
