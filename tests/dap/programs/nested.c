#include <stdlib.h>

typedef int operation(int);

static int one(int n) {
  return n + 1;
}

static int two(int n) {
  return 2 * one(n);
}

operation *chosen = two;

int main(int argc, char **argv) {
  int sum = two(one(argc)) + abs(-argc) + one(7) + chosen(5);
  int none = argc > 1 && one(sum);
  return (sum + none) & 1;
}
