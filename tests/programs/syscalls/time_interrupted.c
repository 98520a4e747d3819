/* Sleeps that a signal ends, with places for the rest of the time that are no such places. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "check.h"

#define NOWHERE ((void *)16)

static void ignore(int signal) { (void)signal; }

static void signalSoon(void) {
  struct itimerval soon = {{0, 0}, {0, 20000}};
  setitimer(ITIMER_REAL, &soon, 0);
}

int main(void) {
  struct sigaction action = {.sa_handler = ignore};
  sigaction(SIGALRM, &action, 0);
  struct timespec length = {5, 0}, rest = {-1, -1};
  signalSoon();
  CALL(syscall(SYS_nanosleep, &length, NOWHERE));
  signalSoon();
  CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &length, NOWHERE));
  signalSoon();
  CALL(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &length, &rest));
  printf("%ld s are left\n", (long)rest.tv_sec);
  signalSoon();
  CALL(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &length, 0));
  return 0;
}
