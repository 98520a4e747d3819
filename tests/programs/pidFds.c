// Descriptors of processes: opening, readiness, signals, waiting, clone with CLONE_PIDFD, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define P_PIDFD_ 3

static int pidfd(pid_t pid, unsigned flags) {
  int r = syscall(SYS_pidfd_open, pid, flags);
  return r < 0 ? -errno : r;
}

static int signal_to(int fd, int n, siginfo_t *info, unsigned flags) {
  int r = syscall(SYS_pidfd_send_signal, fd, n, info, flags);
  return r < 0 ? -errno : r;
}

static int ready(int fd) {
  struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
  poll(&p, 1, 0);
  return p.revents;
}

static volatile int caught, code, value;
static void handler(int n, siginfo_t *info, void *context) {
  caught = n, code = info->si_code, value = info->si_value.sival_int;
}

static pid_t sleeper(void) {
  pid_t child = fork();
  if (child == 0) for (;;) pause();
  return child;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  sigaction(SIGUSR1, &sa, NULL);
  int me = pidfd(getpid(), 0);
  printf("mine: close on exec %d, flags %x, ready %x\n", fcntl(me, F_GETFD), fcntl(me, F_GETFL), ready(me));
  printf("to me %d", signal_to(me, SIGUSR1, NULL, 0));
  printf(" caught %d code %d\n", caught == SIGUSR1, code);
  siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
  info.si_value.sival_int = 5;
  printf("with info %d", signal_to(me, SIGUSR1, &info, 0));
  printf(" code %d value %d, other number %d, probe %d\n", code, value, signal_to(me, SIGUSR2, &info, 0), signal_to(me, 0, NULL, 0));
  pid_t child = sleeper();
  int fd = pidfd(child, 0);
  printf("child ready %x\n", ready(fd));
  siginfo_t result = { 0 };
  printf("not yet %d", waitid(P_PIDFD_, fd, &result, WEXITED | WNOHANG));
  printf(" pid %d\n", result.si_pid);
  int ep = epoll_create1(0);
  struct epoll_event e = { .events = EPOLLIN, .data.u32 = 3 };
  printf("epoll %d\n", epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e));
  printf("kill %d", signal_to(fd, SIGTERM, NULL, 0));
  printf(" waited %d", epoll_wait(ep, &e, 1, 5000));
  printf(" events %x, ready %x\n", e.events, ready(fd));
  printf("zombie %d\n", signal_to(fd, 0, NULL, 0));
  printf("status %d", waitid(P_PIDFD_, fd, &result, WEXITED));
  printf(" it %d code %d status %d, ready %x\n", result.si_pid == child, result.si_code, result.si_status, ready(fd));
  printf("reaped %d, wait %d", signal_to(fd, 0, NULL, 0), waitid(P_PIDFD_, fd, &result, WEXITED));
  printf(" %d\n", errno);
  close(fd);
  // From clone.
  int from_clone = -1;
  struct { uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls; } args = { CLONE_PIDFD, (uint64_t)&from_clone, 0, 0, SIGCHLD };
  child = syscall(SYS_clone3, &args, sizeof args);
  if (child == 0) _exit(7);
  printf("clone gave one %d close on exec %d\n", from_clone >= 0, fcntl(from_clone, F_GETFD));
  struct pollfd p = { .fd = from_clone, .events = POLLIN };
  printf("ends %d\n", poll(&p, 1, 5000));
  waitid(P_PIDFD_, from_clone, &result, WEXITED);
  printf("status %d\n", result.si_status);
  // Another's descriptor.
  int pipes[2];
  pipe(pipes);
  child = fork();
  if (child == 0) {
    close(pipes[1]);
    for (;;) pause();
  }
  close(pipes[0]);
  fd = pidfd(child, 0);
  int taken = syscall(SYS_pidfd_getfd, fd, pipes[0], 0);
  write(pipes[1], "hi", 2);
  char text[3] = { 0 };
  read(taken, text, 2);
  printf("taken %s close on exec %d", text, fcntl(taken, F_GETFD));
  printf(", absent %ld", syscall(SYS_pidfd_getfd, fd, 99, 0));
  printf(" %d, flags %ld", errno, syscall(SYS_pidfd_getfd, fd, 0, 1));
  printf(" %d\n", errno);
  int nonblocking = pidfd(child, O_NONBLOCK);
  printf("flags %x, would wait %d", fcntl(nonblocking, F_GETFL), waitid(P_PIDFD_, nonblocking, &result, WEXITED));
  printf(" %d\n", errno);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  printf("errors %d %d %d %d", pidfd(0, 0), pidfd(-1, 0), pidfd(child, 0), pidfd(getpid(), 1));
  printf(" %d %d", signal_to(0, 0, NULL, 0), signal_to(99, 0, NULL, 0));
  printf(" %d %d", signal_to(me, 99, NULL, 0), signal_to(me, 0, NULL, 0x100));
  printf(" %d", waitid(P_PIDFD_, me, &result, WEXITED));
  printf(" %d %d", errno, waitid(P_PIDFD_, 99, &result, WEXITED));
  printf(" %d %d", errno, waitid(P_PIDFD_, 0, &result, WEXITED));
  char c;
  printf(" %d read %zd", errno, read(me, &c, 1));
  printf(" %d\n", errno);
  return 0;
}
