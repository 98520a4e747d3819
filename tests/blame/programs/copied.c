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
struct item { char name[64]; int *p; } items[3];
int main(void) {
  struct item one; memset(&one, 0, sizeof one);
  strcpy(one.name, "a name");
  source = 1L << 41;
  one.p = (int *)source;
  memcpy(items, &one, sizeof one);
  memmove(items + 1, items, sizeof one);
  items[2] = items[1];
  printf("%s\n", items[2].name);
  printf("%d\n", *items[2].p);
  puts("end");
  return 0;
}
