// wait4 and waitid: which children, which changes of state, what is reported and when.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t spawn(int status) {
  pid_t pid = fork();
  if (pid == 0) _exit(status);
  return pid;
}

static pid_t sleeper(void) {
  pid_t pid = fork();
  if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (pid == 0) pause();
  return pid;
}

static void show(const char *what, pid_t pid, pid_t result, int status) {
  printf("%s: %s", what, result == pid ? "it" : result == 0 ? "none" : result < 0 ? strerror(errno) : "another");
  if (result > 0 && WIFEXITED(status)) printf(", exited %d", WEXITSTATUS(status));
  if (result > 0 && WIFSIGNALED(status)) printf(", signal %d", WTERMSIG(status));
  if (result > 0 && WIFSTOPPED(status)) printf(", stopped %d", WSTOPSIG(status));
  if (result > 0 && WIFCONTINUED(status)) printf(", continued");
  printf("\n");
}

static void showInfo(const char *what, pid_t pid, int result, const siginfo_t *info) {
  if (result < 0) printf("%s: %s\n", what, strerror(errno));
  else
    printf("%s: signo %d code %d status %d pid %s uid %d\n", what, info->si_signo, info->si_code, info->si_status,
           info->si_pid == pid ? "it" : info->si_pid == 0 ? "0" : "?", info->si_uid == getuid());
}

static void selecting(void) {
  int status = 0;
  pid_t first = spawn(1), second = spawn(2), waiting = sleeper();
  show("second", second, waitpid(second, &status, 0), status);
  show("again", second, waitpid(second, &status, 0), status);
  show("any", first, waitpid(-1, &status, 0), status);
  show("not yet", waiting, waitpid(waiting, &status, WNOHANG), status);
  show("group 0", waiting, waitpid(0, &status, WNOHANG), status);
  show("other group", waiting, waitpid(-getpgrp() - 12345, &status, WNOHANG), status);
  setpgid(waiting, waiting);
  show("group 0", waiting, waitpid(0, &status, WNOHANG), status);
  kill(waiting, SIGTERM);
  show("its group", waiting, waitpid(-waiting, &status, 0), status);
  show("options", 0, waitpid(-1, &status, 0x100), status);
  show("nobody", 0, waitpid(-1, &status, WNOHANG), status);
}

static void stopping(void) {
  int status = 0;
  pid_t pid = sleeper();
  kill(pid, SIGSTOP);
  show("untraced", pid, waitpid(pid, &status, WUNTRACED), status);
  show("told", pid, waitpid(pid, &status, WUNTRACED | WNOHANG), status);
  kill(pid, SIGCONT);
  show("continued", pid, waitpid(pid, &status, WCONTINUED), status);
  show("told", pid, waitpid(pid, &status, WCONTINUED | WNOHANG), status);
  /* In a group of its own: if no process outside controls the test's group, this signal does nothing there. */
  setpgid(pid, pid);
  kill(pid, SIGTSTP);
  siginfo_t info;
  memset(&info, 0, sizeof info);
  int result = waitid(P_PID, pid, &info, WSTOPPED | WNOWAIT);
  showInfo("stopped, look", pid, result, &info);
  result = waitid(P_PID, pid, &info, WSTOPPED);
  showInfo("stopped", pid, result, &info);
  memset(&info, 1, sizeof info);
  result = waitid(P_PID, pid, &info, WSTOPPED | WNOHANG);
  showInfo("none", pid, result, &info);
  kill(pid, SIGTERM);
  show("stopped with SIGTERM", pid, waitpid(pid, &status, WNOHANG), status);
  kill(pid, SIGCONT);
  show("terminated", pid, waitpid(pid, &status, 0), status);
  pid = sleeper();
  kill(pid, SIGSTOP);
  waitpid(pid, &status, WUNTRACED);
  kill(pid, SIGKILL);
  show("killed while stopped", pid, waitpid(pid, &status, 0), status);
}

static void withInfo(void) {
  siginfo_t info;
  pid_t pid = spawn(77);
  int result = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
  showInfo("exited, look", pid, result, &info);
  struct rusage usage;
  int status;
  show("wait4", pid, wait4(pid, &status, 0, &usage), status);
  printf("usage %d\n", usage.ru_utime.tv_sec == 0);
  result = waitid(P_ALL, 0, &info, WEXITED);
  showInfo("nobody", 0, result, &info);
  result = waitid(P_ALL, 0, &info, WNOHANG);
  showInfo("no kind", 0, result, &info);
  result = waitid(9, 0, &info, WEXITED);
  showInfo("bad type", 0, result, &info);
  pid = spawn(5);
  printf("without info %d\n", waitid(P_PID, pid, NULL, WEXITED));
  pid = fork();
  if (pid == 0) raise(SIGUSR2);
  result = waitid(P_PGID, 0, &info, WEXITED);
  showInfo("signal", pid, result, &info);
}

static volatile sig_atomic_t code, status_, signals;
static void onChild(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  signals++;
  code = info->si_code;
  status_ = info->si_status;
}

static void waitForSignal(int count) {
  while (signals < count) nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void byHandler(void) {
  struct sigaction action = {.sa_sigaction = onChild, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGCHLD, &action, NULL);
  pid_t pid = sleeper();
  kill(pid, SIGSTOP);
  waitForSignal(1);
  printf("handler: code %d status %d\n", (int)code, (int)status_);
  kill(pid, SIGCONT);
  waitForSignal(2);
  printf("handler: code %d status %d\n", (int)code, (int)status_);
  kill(pid, SIGKILL);
  waitForSignal(3);
  printf("handler: code %d status %d\n", (int)code, (int)status_);
  waitpid(pid, NULL, 0);
  action.sa_flags |= SA_NOCLDSTOP;
  sigaction(SIGCHLD, &action, NULL);
  pid = sleeper();
  kill(pid, SIGSTOP);
  waitpid(pid, NULL, WUNTRACED);
  printf("without stops: %d\n", (int)signals);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  signal(SIGCHLD, SIG_IGN);
  pid = spawn(3);
  errno = 0;
  pid_t result = waitpid(pid, NULL, 0);
  printf("ignored: %d %s\n", result, strerror(errno));
  action = (struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
  sigaction(SIGCHLD, &action, NULL);
  spawn(4);
  errno = 0;
  result = wait(NULL);
  printf("no wait: %d %s\n", result, strerror(errno));
  signal(SIGCHLD, SIG_DFL);
}

static void onAlarm(int signal) { (void)signal; }

static void interrupted(void) {
  pid_t pid = sleeper();
  struct sigaction action = {.sa_handler = onAlarm};
  sigaction(SIGALRM, &action, NULL);
  ualarm(20000, 0);
  errno = 0;
  pid_t result = waitpid(pid, NULL, 0);
  printf("interrupted: %d %s\n", result, strerror(errno));
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  selecting();
  stopping();
  withInfo();
  byHandler();
  interrupted();
  return 0;
}
