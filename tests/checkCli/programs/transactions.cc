// A request keeps memory beyond its end: its function is of C++, in a namespace.
#include <stdlib.h>

static char *held;

namespace shop {

void transaction(int size, bool keeps) {
  char *memory = (char *)malloc(size);
  if (keeps) held = memory;
  else free(memory);
}

}

int main() {
  shop::transaction(20, false);
  shop::transaction(30, true);
  free(held);
}
