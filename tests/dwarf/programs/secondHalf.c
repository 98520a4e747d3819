#include "halves.h"

struct hidden { long contents; char tag; };
static struct hidden secret = { 77, 't' };
static int local_value = 2;

static int same_name(int x) {
  return x + 2;
}

int other_half(struct shared *s) {
  s->secret = &secret;
  return same_name(both(local_value));
}
