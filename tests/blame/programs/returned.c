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
volatile long *slot;
APART void overwrite(long *where) { source = 0x4141414141414141; for (int i = 0; i < 4; i++) where[i] = source; }
APART int victim(void) { long buffer[2] = { 1, 2 }; overwrite(buffer + 1); return (int)buffer[0]; }
int main(void) {
  long local = 33;
  int r = victim();
  printf("back %ld\n", local);
  puts("end");
  return 0;
}
