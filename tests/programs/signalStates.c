/* Waits for signals in some state: STATE ACTION [FAMILY]. Says "ready", then what it got. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};
#define COUNT (sizeof signals / sizeof *signals)
static const char *who = "main";
static int restops;

static void say(const char *what, int n) {
  char line[64];
  int length = snprintf(line, sizeof line, n < 0 ? "%s %s\n" : "%s %s %d\n", who, what, n);
  write(1, line, length);
}

/* Those that would end it do so, with a status of its own. */
static void handler(int n) {
  say("got", n);
  if (n == SIGTSTP && restops) raise(SIGSTOP);
  if (n != SIGCONT && n != SIGTSTP && n != SIGWINCH) _exit(7);
}

static void act(const char *action) {
  sigset_t all;
  sigemptyset(&all);
  restops = strcmp(action, "restop") == 0;
  for (unsigned i = 0; i < COUNT; i++) {
    sigaddset(&all, signals[i]);
    if (strcmp(action, "handle") == 0 || restops) signal(signals[i], handler);
    if (strcmp(action, "ignore") == 0) signal(signals[i], SIG_IGN);
  }
  if (strcmp(action, "block") == 0) sigprocmask(SIG_BLOCK, &all, NULL);
}

static void inState(const char *state) {
  char byte;
  if (strcmp(state, "spin") == 0 || strcmp(state, "compute") == 0) for (volatile long i = 0;; i++);
  if (strcmp(state, "sleep") == 0) for (;;) sleep(100);
  if (strcmp(state, "pause") == 0) for (;;) pause();
  if (strcmp(state, "read") == 0) while (read(0, &byte, 1) != 0) ;
  if (strcmp(state, "wait") == 0) {
    int status;
    while (wait(&status) < 0 && errno == EINTR) ;
    say(WIFSIGNALED(status) ? "child killed by" : "child exited with", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    exit(5);
  }
  if (strcmp(state, "stop") == 0) { raise(SIGSTOP); say("continued", -1); exit(6); }
  if (strcmp(state, "exit") == 0) exit(3);
  /* What comes while it is blocked. */
  for (;;) {
    sigset_t pending;
    struct timespec moment = {0, 10000000};
    sigpending(&pending);
    for (unsigned i = 0; i < COUNT; i++) if (sigismember(&pending, signals[i])) { say("pending", signals[i]); exit(8); }
    nanosleep(&moment, NULL);
  }
}

/* A child of its own, which is in the same group: FAMILY is its state and action. */
int main(int argc, char **argv) {
  int ready[2];
  char byte;
  pipe(ready);
  if (argc > 4 && fork() == 0) {
    who = "child";
    act(argv[4]);
    write(ready[1], "", 1);
    inState(argv[3]);
  }
  if (argc > 4) read(ready[0], &byte, 1);
  act(argv[2]);
  say("ready", -1);
  inState(argv[1]);
}
