// Variables of the C library, of which this file has declarations only.
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
  int option = getopt(argc, argv, "ab:");
  printf("%d %d %d\n", option, optind, environ == NULL);
  return stdout == NULL;
}
