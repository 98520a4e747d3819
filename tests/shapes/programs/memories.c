/* Nodes wherever memory comes from: heap, a wrapper, an array of them, a pool, globals, resized blocks; written by all means. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { short x, y; };
struct node {
  int key;
  unsigned char flag : 1, colour : 3;
  char name[6];
  double weight;
  struct point at;
  struct node *next[2];
};
typedef struct { long id; struct node *first; } owner;

struct node table[3];
owner boss = { 7, 0 };
struct node *head;

static void *grab(size_t bytes) {
  void *p = malloc(bytes);
  if (!p) exit(1);
  return p;
}

static struct node *fresh(int key) {
  struct node *n = grab(sizeof *n);
  memset(n, 0, sizeof *n);
  n->key = key;
  n->colour = key;
  n->weight = key / 3.0;
  snprintf(n->name, sizeof n->name, "n%d", key);
  return n;
}

int main(void) {
  for (int i = 0; i < 6; i++) {
    struct node *n = fresh(i);
    n->next[0] = head;
    head = n;
    boss.first = n;
  }
  struct node *many = calloc(4, sizeof(struct node));
  for (int i = 0; i < 4; i++) many[i].key = 100 + i;
  many = realloc(many, 40 * sizeof(struct node));
  many[7].next[1] = head;
  table[1] = *head;
  table[2].at = (struct point){ -3, 4 };
  table[0].flag = 1;
  struct node *second = head->next[0];
  head->next[0] = second->next[0];
  free(second);
  struct node *last = malloc(sizeof(struct node));
  last->key = 55;
  last->next[0] = last->next[1] = 0;
  head->next[1] = last;
  FILE *f = fopen("/dev/zero", "r");
  if (f) {
    setvbuf(f, 0, _IONBF, 0);
    if (fread(&last->weight, 8, 1, f) != 1) return 1;
  }
  printf("%d\n", head->key);
  free(many);
  boss.id++;
  return 0;
}
