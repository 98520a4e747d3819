#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#define APART __attribute__((noipa))
volatile long source;
int done;
APART int one(int x) { done = x; return 1; }
APART int two(int x) { done = 2 * x; return 2; }
int (*volatile action)(int);
int main(void) {
  source = (long)one;
  action = (int (*)(int))source;
  int r = action(5);
  printf("done %d\n", done);
  if (r == 1) abort();
  puts("end");
  return 0;
}
