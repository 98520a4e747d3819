// Signals from one process to another: values, senders, permission, everybody at once.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *error(int result) { return result < 0 ? strerror(errno) : "ok"; }

static int end(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static pid_t sleeper(void) {
  pid_t pid = fork();
  while (pid == 0) pause();
  return pid;
}

static void values(sigset_t *set) {
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    for (int i = 3; i > 0; i--) sigqueue(parent, SIGRTMIN, (union sigval){.sival_int = i});
    kill(parent, SIGUSR1);
    kill(parent, SIGUSR1);
    _exit(0);
  }
  end(pid);
  for (int i = 0; i < 4; i++) {
    siginfo_t info;
    int signal = sigwaitinfo(set, &info);
    printf("%s code %d from it %d uid %d value %d\n", signal == SIGUSR1 ? "usr1" : "rtmin", info.si_code, info.si_pid == pid,
           info.si_uid == getuid(), signal == SIGUSR1 ? 0 : info.si_value.sival_int);
  }
  struct timespec none = {0, 0};
  siginfo_t info;
  memset(&info, 0, sizeof info);
  printf("no more: %s\n", error(sigtimedwait(set, &info, &none)));
  info.si_code = SI_USER;
  info.si_signo = SIGUSR1;
  pid = sleeper();
  printf("forged: %s", error(syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, &info)));
  info.si_code = SI_QUEUE;
  printf(", queued: %s\n", error(syscall(SYS_rt_sigqueueinfo, pid, SIGTERM, &info)));
  printf("ended by %d\n", end(pid));
  printf("tgkill: %s %s\n", error(syscall(SYS_tgkill, 999999, 999999, 0)), error(syscall(SYS_tgkill, 0, 1, 0)));
  pid = sleeper();
  printf("tgkill: %s", error(syscall(SYS_tgkill, pid, pid, SIGUSR2)));
  printf(" %d\n", end(pid));
}

static void permission(void) {
  pid_t target = sleeper(), pid = fork();
  if (pid == 0) {
    if (getuid() != 0) {
      printf("other user: Operation not permitted\nsame session: ok\n");
      _exit(0);
    }
    setuid(65534);
    printf("other user: %s\n", error(kill(target, SIGTERM)));
    printf("same session: %s\n", error(kill(target, SIGCONT)));
    _exit(0);
  }
  end(pid);
  kill(target, SIGKILL);
  printf("ended by %d\n", end(target));
}

static void zombie(void) {
  pid_t pid = fork();
  if (pid == 0) _exit(1);
  siginfo_t info;
  waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
  printf("zombie: %s, ", error(kill(pid, SIGTERM)));
  printf("status %d, ", end(pid));
  printf("gone: %s\n", error(kill(pid, 0)));
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  values(&set);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  permission();
  zombie();
  return 0;
}
