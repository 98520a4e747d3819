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
char buffer[64];
int main(void) {
  int fd[2]; pipe(fd); write(fd[1], "\xff\xff\xff\x7f", 4);
  char line[16] = "clean";
  read(fd[0], (void *)&source, 8);
  int *p = (int *)(source << 16);
  puts(line);
  *p = 5;
  puts("end");
  return 0;
}
