// Process groups and sessions: who may be moved where, and who gets a signal that is sent to a group.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *error(int result) { return result < 0 ? strerror(errno) : "ok"; }

static pid_t sleeper(void) {
  pid_t pid = fork();
  while (pid == 0) pause();
  return pid;
}

static int end(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void moving(void) {
  pid_t a = sleeper(), b = sleeper();
  printf("same group %d same session %d\n", getpgid(a) == getpgrp(), getsid(a) == getsid(0));
  printf("own group: %s\n", error(setpgid(a, 0)));
  printf("is leader %d\n", getpgid(a) == a);
  printf("join: %s\n", error(setpgid(b, a)));
  printf("joined %d\n", getpgid(b) == a);
  printf("no such group: %s\n", error(setpgid(b, 999999)));
  printf("negative: %s\n", error(setpgid(b, -1)));
  printf("not my child: %s\n", error(setpgid(getppid(), 0)));
  printf("unknown: %s, %s\n", error(getpgid(999999)), error(getsid(999999)));
  printf("kill group: %s\n", error(kill(-a, SIGTERM)));
  printf("ends %d %d\n", end(a), end(b));
  printf("group gone: %s\n", error(kill(-a, 0)));
}

static void afterExec(void) {
  int ends[2];
  pipe(ends);
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], 1);
    execlp("sh", "sh", "-c", "echo x; exec sleep 100", NULL);
  }
  char c;
  read(ends[0], &c, 1);
  printf("after exec: %s\n", error(setpgid(pid, pid)));
  kill(pid, SIGKILL);
  end(pid);
  close(ends[0]);
  close(ends[1]);
}

static void sessions(void) {
  int ends[2];
  pipe(ends);
  pid_t pid = fork();
  if (pid == 0) {
    pid_t session = setsid();
    printf("setsid %d, group %d\n", session == getpid() && getsid(0) == session, getpgrp() == session);
    printf("again: %s\n", error(setsid()));
    printf("leader moves: %s\n", error(setpgid(0, 0)));
    pid_t inner = fork();
    if (inner == 0) {
      printf("child in session %d group %d\n", getsid(0) == session, getpgrp() == session);
      setpgid(0, 0);
      printf("then setsid: %s\n", error(setsid()));
      exit(0);
    }
    waitpid(inner, NULL, 0);
    fflush(stdout);
    write(ends[1], "x", 1);
    pause();
  }
  char c;
  read(ends[0], &c, 1);
  printf("other session: %s\n", error(setpgid(pid, getpgrp())));
  kill(-pid, SIGINT);
  printf("end %d\n", end(pid));
}

static volatile sig_atomic_t got;
static void onSignal(int signal) { got = signal; }

static void ownGroup(void) {
  pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    pid_t inner = sleeper();
    signal(SIGUSR1, onSignal);
    kill(0, SIGUSR1);
    int status = end(inner);
    printf("I got %d, my child %d\n", got == SIGUSR1, status == -SIGUSR1);
    exit(0);
  }
  end(pid);
  printf("my own group has %d\n", got == 0);
  printf("bad signal: %s, nobody: %s\n", error(kill(getpid(), 65)), error(kill(999999, SIGTERM)));
}

static void orphanedGroup(void) {
  int ends[2];
  pipe(ends);
  pid_t middle = fork();
  if (middle == 0) {
    setpgid(0, 0);
    pid_t stopped = fork();
    if (stopped == 0) {
      signal(SIGHUP, onSignal);
      signal(SIGCONT, SIG_DFL);
      raise(SIGSTOP);
      dprintf(ends[1], "hup %d", got == SIGHUP);
      _exit(0);
    }
    waitpid(stopped, NULL, WUNTRACED);
    _exit(0);
  }
  end(middle);
  close(ends[1]);
  char text[20] = "";
  for (int n = 0, m; (m = read(ends[0], text + n, 19 - n)) > 0; n += m) {}
  printf("orphaned group: %s\n", text);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  moving();
  afterExec();
  sessions();
  ownGroup();
  orphanedGroup();
  return 0;
}
