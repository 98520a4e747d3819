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
int sum; int after = 5;
int main(void) {
  source = 1000;
  for (long i = 0; i < source; i++) sum += i;
  if (sum > 3) *(volatile int *)8 = 1;
  after++;
  printf("after %d\n", after);
  return after;
}
