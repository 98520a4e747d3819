// FIFOs between processes: opening that waits, readiness for poll and epoll, edges, hang-ups, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap(int ms) {
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

static int ready(int fd) {
  struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
  poll(&p, 1, 0);
  return p.revents;
}

static void show(const char *what, int ep) {
  struct epoll_event e[4];
  int n = epoll_wait(ep, e, 4, 0);
  printf("%s: %d", what, n);
  for (int i = 0; i < n; i++) printf(" %x", e[i].events);
  printf("\n");
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  mkfifo("fifo", 0600);
  printf("nobody reads: %d", open("fifo", O_WRONLY | O_NONBLOCK));
  printf(" %d\n", errno);
  int r = open("fifo", O_RDONLY | O_NONBLOCK);
  char text[16];
  printf("nobody writes: ready %x", ready(r));
  printf(" read %zd\n", read(r, text, 16));
  int ep = epoll_create1(0);
  struct epoll_event e = { .events = EPOLLIN | EPOLLET };
  epoll_ctl(ep, EPOLL_CTL_ADD, r, &e);
  show("quiet", ep);
  int w = open("fifo", O_WRONLY | O_NONBLOCK);
  printf("open: ready %x %x, empty read %zd", ready(r), ready(w), read(r, text, 16));
  printf(" %d\n", errno);
  show("opened", ep);
  write(w, "one", 3);
  show("written", ep);
  show("no news", ep);
  printf("ready %x, read %zd\n", ready(r), read(r, text, 16));
  int second = open("fifo", O_WRONLY);
  close(w);
  printf("one writer left: ready %x\n", ready(r));
  write(second, "two", 3);
  close(second);
  show("last writer gone", ep);
  printf("ready %x", ready(r));
  printf(" read %zd", read(r, text, 16));
  printf(" then %x", ready(r));
  printf(" end %zd\n", read(r, text, 16));
  w = open("fifo", O_WRONLY);
  printf("another writer: ready %x\n", ready(r));
  close(r);
  printf("no reader: ready %x", ready(w));
  signal(SIGPIPE, SIG_IGN);
  printf(" write %zd", write(w, "x", 1));
  printf(" %d\n", errno);
  close(w);
  int both = open("fifo", O_RDWR);
  printf("both ends: ready %x", ready(both));
  write(both, "me", 2);
  printf(" %x", ready(both));
  printf(" read %zd\n", read(both, text, 16));
  close(both);
  // Opening waits for the other side.
  pid_t child = fork();
  if (child == 0) {
    nap(50);
    int out = open("fifo", O_WRONLY);
    for (int i = 0; i < 3; i++) write(out, "abc", 3), nap(10);
    _exit(0);
  }
  r = open("fifo", O_RDONLY);
  int total = 0;
  for (ssize_t n; (n = read(r, text, 16)) > 0;) total += n;
  printf("from child %d\n", total);
  close(r);
  waitpid(child, NULL, 0);
  child = fork();
  if (child == 0) {
    r = open("fifo", O_RDONLY);
    _exit(read(r, text, 16));
  }
  w = open("fifo", O_WRONLY);
  write(w, "12345", 5);
  int status;
  waitpid(child, &status, 0);
  printf("child read %d\n", WEXITSTATUS(status));
  close(w);
  // A signal ends the waiting.
  signal(SIGALRM, SIG_IGN);
  struct sigaction sa = { .sa_handler = (void (*)(int))nap };
  sigaction(SIGALRM, &sa, NULL);
  alarm(1);
  printf("interrupted %d", open("fifo", O_RDONLY));
  printf(" %d\n", errno);
  return 0;
}
