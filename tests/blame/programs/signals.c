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
volatile int seen;
void handler(int n) { seen += n; if (source > 3) seen += 100; }
int main(void) {
  signal(SIGUSR1, handler);
  source = 12; register long kept = source * 3;
  raise(SIGUSR1); kill(getpid(), SIGUSR1);
  *(int *)(kept << 40) = 1;
  *(int *)((long)seen << 40) = 1;
  puts("end");
  return 0;
}
