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
  source = 12; long kept = source;
  int status = 0;
  pid_t p = fork();
  if (p == 0) { long x = kept + source; *(int *)(x << 40) = 1; puts("child"); exit(3); }
  waitpid(p, &status, 0);
  printf("status %d\n", WEXITSTATUS(status));
  *(int *)(kept << 40) = 1;
  puts("end");
  return 0;
}
