/* Compares with the rules of no locale: the fourth argument, of a function that glibc chooses by the CPU. */
#define _GNU_SOURCE
#include <locale.h>
#include <strings.h>

int main(void) {
  volatile locale_t none = 0;
  return strncasecmp_l("a", "b", 1, none);
}
