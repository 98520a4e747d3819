// Strings of which some bytes have not been written: the C library looks at them in whole vectors, so that it is its calls that count.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 40

static int used;

// "aaa...", of which one byte was never written.
static char *with_gap(int gap) {
  char *text = malloc(LENGTH + 1);
  for (int i = 0; i <= LENGTH; i++)
    if (i != gap) text[i] = i == LENGTH ? 0 : 'a';
  return text;
}

static void mistakes(void) {
  char *text = with_gap(20), *end = with_gap(LENGTH);
  char other[LENGTH + 1], copy[2 * LENGTH];
  memset(other, 'a', LENGTH);
  memcpy(other + 20, text + 20, 1); // the same as in text, whatever that is
  other[LENGTH] = 0;
  used += strcmp(text, other) == 0;             // MARK: strcmp
  used += strncmp(other, text, 30) == 0;        // MARK: strncmp
  used += memcmp(text, other, 30) == 0;         // MARK: memcmp
  used += strchr(text, 'b') != NULL;            // MARK: strchr
  used += strnlen(text, 30) == 30;              // MARK: strnlen
  used += strlen(end) == LENGTH;                // MARK: strlen
  used += strcpy(copy, text) == copy;           // MARK: strcpy
  char *printed = with_gap(20);
  printf("%s\n", printed);                      // MARK: printf
  fputs(with_gap(20), stdout);                  // MARK: fputs
  char local[LENGTH + 1], last[1];
  memset(local, 'a', 20);
  local[LENGTH] = last[0] = 0;
  used += strlen(last);
  used += strlen(local) > 19;                   // MARK: local
}

// What is decided before the gap is reached.
static void no_mistakes(void) {
  char *text = with_gap(20), other[LENGTH + 1];
  memset(other, 'a', LENGTH);
  other[LENGTH] = 0;
  other[10] = 'b';
  used += strcmp(text, other) < 0;
  used += strncmp(text, "aaaaaaaaaaaaaaaaaaaaaaaaaa", 20) == 0;
  used += memcmp(text, other, 30) < 0;
  used += memcmp(text, "aaaaaaaaaaaaaaaaaaaaaaaaaa", 20) == 0;
  used += strchr(text, 'a') == text;
  used += strnlen(text, 20) == 20;
  printf("%.20s\n", text);
}

// A set whose index is never cleared: what it says is believed only if dense says the same.
struct sparse_set {
  unsigned members;
  unsigned dense[16], sparse[16];
};

struct sparse_set *sparseset_alloc(void) {
  struct sparse_set *set = malloc(sizeof *set);
  set->members = 0;
  return set;
}

static int has(const struct sparse_set *set, unsigned element) {
  unsigned index = set->sparse[element];
  return index < set->members && set->dense[index] == element; // MARK: sparse
}

static void sparse(void) {
  struct sparse_set *set = sparseset_alloc(), *unnamed = malloc(sizeof *unnamed);
  set->dense[set->members] = 3;
  set->sparse[3] = set->members++;
  used += has(set, 3) + has(set, 5);
  unnamed->members = 1;
  used += has(unnamed, 5);
}

int main(void) {
  no_mistakes();
  sparse();
  mistakes();
  return 0;
}
