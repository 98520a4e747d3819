/* A call through a table of functions in a block that now belongs to another owner. */
#include <stdlib.h>
#include <string.h>
struct shape { const struct methods *methods; long size; };
struct methods { long (*area)(struct shape *); };
static long square(struct shape *s) { return s->size * s->size; }
static const struct methods methods = { square };
int main(void) {
  struct shape *s = malloc(sizeof *s);
  s->methods = &methods;
  s->size = 3;
  long area = s->methods->area(s);
  free(s);
  char *text = malloc(sizeof *s);
  strcpy(text, "abcdef");
  return (int)(s->methods->area(s) + area);
}
