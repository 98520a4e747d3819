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
APART long deep(long x, long y) { long z = y + 1; if (x == 7) return 3; for (int i = 0; i < 4; i++) z += i * y; return z; }
APART long middle(long x) { long kept = x; long r = deep(source, x); return r + kept; }
int main(void) {
  source = 7;
  long local = 11;
  long m = middle(local);
  printf("local %ld\n", local);
  if (m) ((volatile char *)(m << 40))[0] = 1;
  puts("end");
  return 4;
}
