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
int main(void) {
  source = 100;
  char *p = malloc(source);
  memset(p, 1, source);
  char *q = malloc(50); strcpy(q, "clean");
  p = realloc(p, source * 2);
  free(p);
  printf("%s\n", q);
  int *r = calloc(source, 4);
  r[source] = 4;
  free(r); free(q);
  puts("end");
  return 0;
}
