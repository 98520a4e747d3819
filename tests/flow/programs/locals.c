/* A pointer through locals, calls, returns, a structure and a global. */
#include <stdlib.h>
#include <string.h>

struct node {
  int key;
  char *text;
  struct node *next;
};

static struct node *list;

static char *make(int size) {
  char *made = malloc(size);
  return made;
}

static char *pass(char *given) {
  char *kept = given;
  return kept;
}

static void put(struct node *node, char *text) {
  node->text = text;
  node->next = list;
  list = node;
}

static struct node copied;

int main(void) {
  struct node node;
  char *first = make(16);
  strcpy(first, "hello");
  char *second = pass(first);
  put(&node, second);
  memcpy(&copied, &node, sizeof copied);
  char *end = copied.text + 5;
  return *end; // MARK: end
}
