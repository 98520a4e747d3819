/* A global array runs over a function pointer behind it. */
#include <string.h>
static void hello(void) {}
struct globals { char name[12]; int length; void (*action)(void); };
struct globals g = { .action = hello };
int main(void) {
  g.action();
  memcpy(g.name, "BBBBBBBBBBBBBBBBCCCCCC", 22);
  g.action();
  return 0;
}
