/* The library's checked copy notices. */
#include <string.h>
int main(int argc, char **argv) {
  char buffer[8];
  strcpy(buffer, argc > 0 ? argv[0] : "");
  return buffer[3];
}
