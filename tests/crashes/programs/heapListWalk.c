/* A long walk over a list whose last node was overwritten: the crash is in hot code. */
#include <stdlib.h>
struct node { struct node *next; long values[3]; };
int main(void) {
  struct node *head = NULL, *first = NULL;
  for (int i = 0; i < 2000; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = head;
    for (int j = 0; j < 3; j++) n->values[j] = i * j;
    if (first == NULL) first = n;
    head = n;
  }
  for (int j = 0; j <= 5; j++) first->values[j - 1] = 0x6161616161 + j;
  long sum = 0;
  for (int round = 0; round < 3; round++)
    for (struct node *n = head; n != NULL; n = n->next) sum += n->values[1];
  return (int)sum;
}
