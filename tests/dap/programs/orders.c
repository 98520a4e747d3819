#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5 };

struct item {
  int number;
  char name[12];
  double price;
  enum colour colour;
  unsigned low : 3, high : 5;
  struct item *next;
};

int total;
static struct item *orders;
int squares[300];
const char *greeting = "hello";

static struct item *order(int number, const char *name, double price) {
  struct item *made = calloc(1, sizeof *made);
  made->number = number;
  strncpy(made->name, name, sizeof made->name - 1);
  made->price = price;
  made->colour = number % 2 ? GREEN : RED;
  made->low = number;
  made->high = 2 * number;
  made->next = orders;
  orders = made;
  total += number;
  return made;
}

static int visit(int depth) {
  int here = depth * 2;
  if (depth == 0) return 0;
  return here + visit(depth - 1);
}

int main(int argc, char **argv) {
  for (int i = 0; i < 300; i++)
    squares[i] = i * i;
  for (int i = 1; i <= 5; i++) {
    struct item *made = order(i, i == 3 ? "three" : "other", i * 1.5);
    printf("order %d\n", made->number);
  }
  int deep = visit(4);
  fflush(stdout);
  fprintf(stderr, "deep %d of %d, %s\n", deep, argc, greeting);
  if (argc > 1) *(volatile int *) 0 = deep;
  return total & 127;
}
