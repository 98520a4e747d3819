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
#include <math.h>
double reals[4]; long double wide;
int main(void) {
  source = 12; double d = source; reals[0] = sqrt(d) * 3.5; wide = (long double)d * 2.5L;
  int i = (int)reals[0]; long w = (long)wide;
  ((volatile char *)(((long)i << 40)))[0] = 1;
  ((volatile char *)((w << 40)))[0] = 1;
  if (reals[0] > 2.0) abort();
  if (wide > 2.0L) abort();
  float f[4] = { 1, 2, 3, 4 }; 
  printf("%.1f\n", f[2]);
  int q = 100 / (source - 12 + 3 * (int)(d - d)); 
  puts("end");
  return 0;
}
