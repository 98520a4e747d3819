// Parents that end before their children: who is the parent then, subreapers, and the signal at a parent's end.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void rest(void) { nanosleep(&(struct timespec){0, 30000000}, NULL); }

/* A child that ends at once, leaving a grandchild that runs `work` and exits with its result. */
static void leave(int (*work)(pid_t parent), int out) {
  pid_t middle = fork();
  if (middle == 0) {
    pid_t parent = getpid();
    if (fork() == 0) {
      rest();
      char result = work(parent);
      write(out, &result, 1);
      _exit(result);
    }
    _exit(9);
  }
  int status;
  waitpid(middle, &status, 0);
  printf("middle %d\n", WEXITSTATUS(status));
}

static pid_t reaper;
static int parentIsReaper(pid_t parent) { return getppid() != parent && getppid() == reaper; }
static int parentIsOther(pid_t parent) { return getppid() != parent && getppid() != reaper; }

static volatile sig_atomic_t got;
static void onSignal(int signal) { got = signal; }

static void deathSignal(int out) {
  pid_t middle = fork();
  if (middle == 0) {
    int ready[2];
    pipe(ready);
    if (fork() == 0) {
      signal(SIGUSR2, onSignal);
      prctl(PR_SET_PDEATHSIG, SIGUSR2);
      int number;
      prctl(PR_GET_PDEATHSIG, &number);
      write(ready[1], "x", 1);
      while (!got) rest();
      char result = got == SIGUSR2 && number == SIGUSR2;
      write(out, &result, 1);
      _exit(0);
    }
    char c;
    read(ready[0], &c, 1);
    _exit(0);
  }
  waitpid(middle, NULL, 0);
}

static void zombies(void) {
  pid_t middle = fork();
  if (middle == 0) {
    for (int i = 0; i < 3; i++)
      if (fork() == 0) _exit(i);
    rest();
    _exit(0);
  }
  waitpid(middle, NULL, 0);
  int count = 0, sum = 0, status;
  while (waitpid(-1, &status, 0) > 0) {
    count++;
    sum += WEXITSTATUS(status);
  }
  printf("inherited %d, sum %d, %s\n", count, sum, strerror(errno));
}

int main(void) {
  int ends[2];
  char result = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  pipe(ends);
  reaper = getpid();
  leave(parentIsOther, ends[1]);
  read(ends[0], &result, 1);
  printf("without reaper: %d\n", result);
  int on = 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_GET_CHILD_SUBREAPER, &on);
  leave(parentIsReaper, ends[1]);
  read(ends[0], &result, 1);
  int status = 0;
  wait(&status);
  printf("subreaper %d: %d, status %d\n", on, result, WEXITSTATUS(status));
  zombies();
  deathSignal(ends[1]);
  read(ends[0], &result, 1);
  printf("death signal: %d\n", result);
  return 0;
}
