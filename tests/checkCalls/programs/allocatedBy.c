// What make_set and make_text have allocated may be looked at before it is written, and what known does is known; nothing else may.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// More often than an instruction is looked at that meets unwritten bytes for nothing.
#define OFTEN 100
// More often than the same place is looked at if it is reported.
#define MANY 1100

// An index that is never cleared: what it says is believed only if dense says the same.
struct set {
  unsigned members;
  unsigned *dense, *sparse;
};

static int used;

static struct set *filled(struct set *set) {
  set->dense = malloc(16 * sizeof(unsigned));
  set->sparse = malloc(16 * sizeof(unsigned));
  set->members = 1;
  set->dense[0] = 3;
  set->sparse[3] = 0;
  return set;
}

// What it returns is not what is read before it is written.
struct set *make_set(void) {
  return filled(malloc(sizeof(struct set)));
}

static int has(const struct set *set, unsigned element) {
  unsigned index = set->sparse[element];
  return index < set->members && set->dense[index] == element;
}

static void drop(struct set *set) {
  free(set->dense);
  free(set->sparse);
  free(set);
}

static void *in_thread(void *unused) {
  struct set *set = make_set();
  used += has(set, 5);
  drop(set);
  return unused;
}

static void sets(void) {
  struct set *set = make_set();
  pthread_t thread;
  for (int i = 0; i < OFTEN; i++) used += has(set, 4 + i % 12); // MARK: set
  pthread_create(&thread, NULL, in_thread, NULL);
  pthread_join(thread, NULL);
  drop(set);
}

static char *unwritten(void) {
  char *text = malloc(8);
  text[7] = 0;
  return text;
}

char *make_text(void) {
  return unwritten();
}

static void known(char *text) {
  for (int i = 0; i < MANY; i++) used += strlen(text);
}

int main(void) {
  sets();
  char *text = make_text();
  for (int i = 0; i < MANY; i++) used += strlen(text);
  known(unwritten());
  struct set *own = filled(malloc(sizeof *own));
  used += has(own, 5); // MARK: own set
  used += strlen(unwritten()); // MARK: own text
  return 0;
}
