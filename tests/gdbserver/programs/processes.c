/* A process forks one that calculates, and one that executes another program; the first child crashes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int value = 1;

static void calculate(int times) {
  for (int i = 0; i < times; i++) value *= 3;
  if (value > 100) *(volatile int *)0 = value;
}

int main(int argc, char **argv) {
  if (argc > 1) return puts("executed") < 0;
  int status;
  if (fork() == 0) {
    value = 2;
    calculate(5);
    _exit(0);
  }
  wait(&status);
  if (fork() == 0) {
    execl(argv[0], argv[0], "again", (char *)0);
    _exit(1);
  }
  wait(&status);
  calculate(2);
  printf("%d\n", value);
  return 0;
}
