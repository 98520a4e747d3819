/* Bugs within a function, for a tool that looks no farther. */
#include <stdlib.h>

static int read_null(int count)
{
  int *place = NULL;
  if (count > 3) {
    count = 0;
  } else {
    count++;
  }
  return *place + count;
}

int main(int argc, char **argv)
{
  char *text = malloc(10);
  (void)argv;
  if (argc > 3)
    free(text);
  text[0] = 'a';
  free(text);
  return read_null(argc);
}
