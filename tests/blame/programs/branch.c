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
int a = 1, b = 2; long other;
int main(void) {
  source = 7;
  if (source > 3) { a = 100; other = source; } else b = 200;
  if (a == 1) puts("a is clean"); 
  if (b == 2) puts("b is clean");
  puts("end");
  return 0;
}
