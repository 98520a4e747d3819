/* Copied in pieces, in loops of our own; swapped; through unions and bits. */
#include <stdlib.h>
#include <string.h>

static char *global;

static void copyBytes(void *to, const void *from, int size) {
  for (int i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
}

static void swap(char **a, char **b) {
  char *kept = *a;
  *a = *b;
  *b = kept;
}

union both {
  char *pointer;
  unsigned long number;
};

int main(void) {
  char *made = malloc(8);
  char *copied;
  copyBytes(&copied, &made, sizeof copied);
  char *other = 0;
  swap(&copied, &other);
  union both both;
  both.pointer = other;
  unsigned long number = both.number;
  global = (char *)number;
  char *array[4] = {0};
  array[2] = global;
  int index = 2;
  char *element = array[index];
  unsigned long count = 5;
  unsigned long sum = count * 3 + 1;
  unsigned long total = sum;
  char *nothing = other == 0 ? made : copied;
  char *chosen = nothing;
  return element == 0 && chosen == 0 && total == 0; // MARK: end
}
