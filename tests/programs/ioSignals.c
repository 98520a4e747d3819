// Signals that tell of input and output: SIGIO and F_SETSIG, for pipes and sockets, to processes and groups.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int count, code, band, fd_told, signal_told;
static void handler(int n, siginfo_t *info, void *context) {
  count++, signal_told = n, code = info->si_code, band = info->si_band, fd_told = info->si_fd;
}

static void told(const char *what, int fd) {
  printf("%s: %d", what, count);
  if (count) printf(" signal %s code %d", signal_told == SIGIO ? "io" : "chosen", code);
  if (count && signal_told != SIGIO) printf(" band %x, fd %d", band, fd_told == fd);
  printf("\n");
  count = 0;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  setpgid(0, 0);
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  sigaction(SIGIO, &sa, NULL), sigaction(SIGRTMIN, &sa, NULL);
  int p[2], s[2];
  pipe(p);
  printf("owner %d", fcntl(p[0], F_GETOWN));
  fcntl(p[0], F_SETOWN, getpid());
  printf(" %d, flags %d\n", fcntl(p[0], F_GETOWN) == getpid(), fcntl(p[0], F_SETFL, O_ASYNC | O_NONBLOCK));
  write(p[1], "x", 1);
  told("written", p[0]);
  char c;
  read(p[0], &c, 1);
  told("read", p[0]);
  printf("signal %d", fcntl(p[0], F_SETSIG, SIGRTMIN));
  printf(" %d\n", fcntl(p[0], F_GETSIG) == SIGRTMIN);
  write(p[1], "x", 1);
  told("written", p[0]);
  pid_t child = fork();
  if (child == 0) {
    close(p[0]);
    write(p[1], "y", 1);
    _exit(0);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR);
  told("by a child", p[0]);
  close(p[1]);
  told("closed", p[0]);
  close(p[0]);
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  fcntl(s[0], F_SETOWN, -getpgrp());
  fcntl(s[0], F_SETSIG, SIGRTMIN);
  int on = 1, off = 0;
  printf("ioctl %d flags %d\n", ioctl(s[0], FIOASYNC, &on), (fcntl(s[0], F_GETFL) & O_ASYNC) != 0);
  write(s[1], "x", 1);
  told("socket", s[0]);
  ioctl(s[0], FIOASYNC, &off);
  write(s[1], "x", 1);
  told("off", s[0]);
  printf("errors %d", fcntl(s[0], F_SETSIG, 99));
  printf(" %d\n", errno);
  return 0;
}
