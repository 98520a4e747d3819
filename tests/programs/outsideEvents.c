// Says "ready" and waits for something from outside: a blocked signal (signal), a change in a directory (change), or input (input).
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void on_signal(void) {
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGTERM), sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, 0);
  printf("ready\n");
  struct signalfd_siginfo info = { 0 };
  ssize_t n = read(fd, &info, sizeof info);
  printf("%zd bytes, signal %u\n", n, info.ssi_signo);
}

static void on_change(const char *directory) {
  int fd = inotify_init();
  inotify_add_watch(fd, directory, IN_CLOSE_WRITE | IN_DELETE);
  printf("ready\n");
  for (int deleted = 0; !deleted;) {
    char buffer[4096] __attribute__((aligned(8)));
    ssize_t n = read(fd, buffer, sizeof buffer);
    for (char *at = buffer; at < buffer + n;) {
      struct inotify_event *e = (void *)at;
      printf("%s %s\n", e->mask & IN_DELETE ? "deleted" : "written", e->name);
      deleted |= e->mask & IN_DELETE;
      at += sizeof *e + e->len;
    }
  }
}

/** Edge-triggered, and read until there is nothing left. */
static void on_input(void) {
  int ep = epoll_create1(0);
  struct epoll_event e = { .events = EPOLLIN | EPOLLET };
  epoll_ctl(ep, EPOLL_CTL_ADD, 0, &e);
  printf("ready\n");
  for (int open = 1; open;) {
    epoll_wait(ep, &e, 1, -1);
    for (;;) {
      char text[64];
      struct pollfd p = { .fd = 0, .events = POLLIN };
      if (poll(&p, 1, 0) == 0) break;
      ssize_t n = read(0, text, sizeof text);
      if (n > 0) printf("%.*s", (int)n, text);
      else {
        open = 0;
        break;
      }
    }
  }
  printf("end\n");
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(argv[1], "signal") == 0) on_signal();
  else if (strcmp(argv[1], "change") == 0) on_change(argv[2]);
  else on_input();
  return 0;
}
