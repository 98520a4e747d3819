/* Two units with names in common; a type that is only declared in this one. */
#include "halves.h"

static int same_name(int x) {
  return x + 1;
}

static int local_value = 1;
int unused_function(int x) {
  return x - 1;
}

int main(void) {
  struct shared s = { 1, 0 };

  return same_name(both(local_value)) + other_half(&s) - 9;
}
