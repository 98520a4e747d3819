/* Compiled without optimisation: calls, branches, linked nodes and bit operations in tight loops. */
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *next;
  unsigned key;
  unsigned count;
};

static struct node *table[1024];

static unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  x ^= x >> 15;
  return x;
}

static struct node *find(unsigned key) {
  struct node *n = table[key & 1023];
  while (n != NULL && n->key != key) n = n->next;
  return n;
}

static void add(unsigned key) {
  struct node *n = find(key);
  if (n == NULL) {
    n = malloc(sizeof *n);
    n->key = key;
    n->count = 0;
    n->next = table[key & 1023];
    table[key & 1023] = n;
  }
  n->count++;
}

static int collatz(unsigned long n) {
  int steps = 0;
  while (n != 1) {
    n = (n & 1) ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  unsigned long total = 0;
  for (unsigned i = 1; i <= rounds; i++) {
    add(mix(i) % 3000);
    total += (unsigned long)collatz(i);
  }
  for (int i = 0; i < 1024; i++)
    for (struct node *n = table[i]; n != NULL; n = n->next) total = total * 31 + n->count;
  printf("%lu\n", total);
  return 0;
}
