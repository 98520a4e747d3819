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
int g[8];
APART int f(int n) { if (n <= 0) return source > 5 ? 1 : 2; int x = f(n - 1); g[n & 7] += x; return x + n; }
int main(void) {
  source = 9;
  int r = f(5);
  for (int i = 0; i < 8; i++) if (g[i] > 100) puts("big");
  ((volatile char *)((long)r << 40))[0] = 1;
  puts("end");
  return r & 1;
}
