/* Through variable arguments, in registers and on the stack; doubles, characters, structures by value. */
#include <stdarg.h>
#include <stdlib.h>

struct pair {
  char *left;
  long right;
};

struct big {
  long before[5];
  char *inside;
};

static char *pick(int which, ...) {
  va_list list;
  va_start(list, which);
  char *found = 0;
  for (int i = 0; i <= which; i++) found = va_arg(list, char *);
  va_end(list);
  return found;
}

static double half(double whole) {
  double kept = whole;
  return kept;
}

static struct pair both(char *text) {
  struct pair made = {text, 5};
  return made;
}

static char *inner(struct big given) {
  return given.inside;
}

static struct big *outer(char *text, struct big *target) {
  struct big local;
  local.inside = text;
  *target = local;
  return target;
}

int main(void) {
  char *a = malloc(1), *b = malloc(2);
  char *second = pick(1, a, b, 0, 0, 0, 0, 0);
  char *eighth = pick(7, 0, 0, 0, 0, 0, 0, 0, b);
  double number = 2.5;
  double result = half(number);
  struct pair pair = both(eighth);
  char *left = pair.left;
  struct big big;
  outer(left, &big);
  char *inside = inner(big);
  unsigned char small = 200;
  int wide = small;
  long wider = wide;
  return inside == second && result > 1 && wider > 3; // MARK: end
}
