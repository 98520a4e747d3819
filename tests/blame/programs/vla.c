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
APART void use(char *p, long n) { for (long i = 0; i < n; i++) p[i] = i; }
APART int vla(long n) { char a[n]; a[0] = 1; use(a, n); return a[n - 1]; }
int main(void) {
  source = 100;
  int r = vla(source);
  char keep[8] = "keep";
  printf("%s\n", keep);
  puts("end");
  return 0;
}
