/* A member of a structure that is not there. */
#include <stddef.h>
struct record { char name[100]; struct record *parent; int count; };
__attribute__((noinline)) static int count(struct record *r) { return r->parent->count; }
int main(int argc, char **argv) {
  (void)argv;
  struct record r = { .parent = argc > 5 ? &r : NULL };
  return count(&r);
}
