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
  int ends[2]; pipe(ends);
  source = 1L << 42;
  long got = 0, two = 0;
  write(ends[1], (void *)&source, 8);
  write(ends[1], "clean!!", 8);
  read(ends[0], &got, 8);
  read(ends[0], &two, 8);
  printf("%s\n", (char *)&two);
  printf("%d\n", *(int *)got);
  puts("end");
  return 0;
}
