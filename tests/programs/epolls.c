// epoll: level and edge, one shot, exclusive, nested, order of reports, what closing does, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int add(int ep, int fd, uint32_t events, int data) {
  struct epoll_event e = { .events = events, .data.u32 = data };
  return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

static int mod(int ep, int fd, uint32_t events, int data) {
  struct epoll_event e = { .events = events, .data.u32 = data };
  return epoll_ctl(ep, EPOLL_CTL_MOD, fd, &e) < 0 ? -errno : 0;
}

static void show(const char *what, int ep, int most) {
  struct epoll_event e[16];
  int n = epoll_wait(ep, e, most, 0);
  printf("%s: %d", what, n < 0 ? -errno : n);
  for (int i = 0; i < n; i++) printf(" %d:%x", e[i].data.u32, e[i].events);
  printf("\n");
}

static void bump(int fd) {
  uint64_t one = 1;
  write(fd, &one, 8);
}

static void drain(int fd) {
  char buffer[4096];
  read(fd, buffer, sizeof buffer);
}

static void levels_and_edges(void) {
  int p[2];
  pipe(p);
  int level = epoll_create1(0), edge = epoll_create1(EPOLL_CLOEXEC);
  printf("add %d %d\n", add(level, p[0], EPOLLIN, 1), add(edge, p[0], EPOLLIN | EPOLLET, 2));
  show("level nothing", level, 4);
  write(p[1], "a", 1);
  show("level", level, 4);
  show("level again", level, 4);
  show("edge", edge, 4);
  show("edge again", edge, 4);
  write(p[1], "b", 1);
  show("edge after more", edge, 4);
  char c;
  read(p[0], &c, 1);
  show("edge after read of a part", edge, 4);
  drain(p[0]);
  write(p[1], "c", 1);
  show("edge after empty and full", edge, 4);
  printf("mod %d\n", mod(edge, p[0], EPOLLIN | EPOLLET, 3));
  show("edge after mod", edge, 4);
  // The writing end: full and not.
  int out = epoll_create1(0);
  add(out, p[1], EPOLLOUT | EPOLLET, 4);
  show("room", out, 4);
  fcntl(p[1], F_SETFL, O_NONBLOCK);
  char block[4096] = { 0 };
  while (write(p[1], block, sizeof block) > 0);
  show("full", out, 4);
  drain(p[0]);
  show("room again", out, 4);
  close(p[0]);
  show("nobody reads", out, 4);
  close(p[1]);
  show("gone", out, 4);
  show("gone", level, 4);
  close(level), close(edge), close(out);
}

static void hangups(void) {
  int p[2];
  pipe(p);
  int ep = epoll_create1(0);
  add(ep, p[0], 0, 1);
  show("no events", ep, 4);
  write(p[1], "x", 1);
  show("not asked for", ep, 4);
  close(p[1]);
  show("hang-up", ep, 4);
  mod(ep, p[0], EPOLLIN | EPOLLRDHUP, 1);
  show("with data", ep, 4);
  drain(p[0]);
  show("without", ep, 4);
  close(p[0]);
  int s[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  add(ep, s[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP, 2);
  show("socket", ep, 4);
  shutdown(s[1], SHUT_WR);
  show("other side is done", ep, 4);
  close(s[1]);
  show("other side is gone", ep, 4);
  close(s[0]);
  close(ep);
}

static void one_shot(void) {
  int ep = epoll_create1(0), e = eventfd(0, 0);
  add(ep, e, EPOLLIN | EPOLLONESHOT, 1);
  bump(e);
  show("shot", ep, 4);
  bump(e);
  show("spent", ep, 4);
  mod(ep, e, EPOLLIN | EPOLLONESHOT, 2);
  show("armed", ep, 4);
  mod(ep, e, EPOLLIN | EPOLLET, 3);
  show("edge", ep, 4);
  bump(e);
  show("edge 2", ep, 4);
  close(e), close(ep);
}

static void order(void) {
  int ep = epoll_create1(0), e[5];
  for (int i = 0; i < 5; i++) e[i] = eventfd(0, 0), add(ep, e[i], EPOLLIN | (i == 4 ? EPOLLET : 0), i);
  int sequence[] = { 3, 0, 4, 1, 2 };
  for (int i = 0; i < 5; i++) bump(e[sequence[i]]);
  show("two", ep, 2);
  show("two more", ep, 2);
  show("all", ep, 16);
  show("all", ep, 16);
  drain(e[0]);
  show("without 0", ep, 16);
  bump(e[0]);
  show("with 0", ep, 16);
  for (int i = 0; i < 5; i++) close(e[i]);
  show("closed", ep, 16);
  close(ep);
}

static void nested(void) {
  int outer = epoll_create1(0), inner = epoll_create1(0), e = eventfd(0, 0);
  printf("nest %d %d\n", add(outer, inner, EPOLLIN, 1), add(inner, e, EPOLLIN, 2));
  show("quiet", outer, 4);
  bump(e);
  show("outer", outer, 4);
  show("inner", inner, 4);
  show("outer again", outer, 4);
  struct pollfd p = { .fd = outer, .events = POLLIN | POLLOUT };
  printf("poll %d", poll(&p, 1, 0));
  printf(" %x\n", p.revents);
  drain(e);
  show("outer after drain", outer, 4);
  printf("circle %d self %d\n", add(inner, outer, EPOLLIN, 3), add(inner, inner, EPOLLIN, 3));
  int chain[8];
  for (int i = 0; i < 8; i++) chain[i] = epoll_create1(0);
  for (int i = 0; i < 7; i++) printf("chain %d: %d\n", i, add(chain[i], chain[i + 1], EPOLLIN, i));
  for (int i = 0; i < 8; i++) close(chain[i]);
  for (int i = 0; i < 8; i++) chain[i] = epoll_create1(0);
  for (int i = 6; i >= 0; i--) printf("chain upwards %d: %d\n", i, add(chain[i], chain[i + 1], EPOLLIN, i));
  // An edge seen from outside.
  int edge = epoll_create1(0);
  add(edge, inner, EPOLLIN | EPOLLET, 5);
  bump(e);
  show("edge outer", edge, 4);
  show("edge outer again", edge, 4);
  bump(e);
  show("edge outer after more", edge, 4);
}

static void closing(void) {
  int ep = epoll_create1(0), e = eventfd(1, 0), copy = dup(e);
  add(ep, e, EPOLLIN, 1);
  printf("the copy too %d, twice %d\n", add(ep, copy, EPOLLIN, 2), add(ep, copy, EPOLLIN, 2));
  show("both", ep, 4);
  close(e);
  show("still both", ep, 4);
  int other = eventfd(0, 0);
  printf("same number %d: %d\n", other == e, add(ep, other, EPOLLIN, 3));
  bump(other);
  show("three", ep, 4);
  close(copy);
  show("one", ep, 4);
  printf("del %d", epoll_ctl(ep, EPOLL_CTL_DEL, other, NULL));
  printf(" %d %d\n", epoll_ctl(ep, EPOLL_CTL_DEL, other, NULL), errno);
  close(other), close(ep);
}

static void errors(void) {
  int ep = epoll_create1(0), e = eventfd(0, 0), file = open("/etc/passwd", O_RDONLY), dir = open("/", O_RDONLY);
  int null = open("/dev/null", O_RDWR), path = open("/", O_PATH);
  struct epoll_event one;
  printf("create %d", epoll_create(0));
  printf(" %d", errno);
  printf(" %d %d\n", epoll_create1(1), errno);
  printf("file %d dir %d null %d path %d\n", add(ep, file, EPOLLIN, 0), add(ep, dir, EPOLLIN, 0), add(ep, null, EPOLLIN, 0), add(ep, path, EPOLLIN, 0));
  printf("bad fd %d bad epoll %d no epoll %d\n", add(ep, 99, EPOLLIN, 0), add(99, e, EPOLLIN, 0), add(e, ep, EPOLLIN, 0));
  printf("mod absent %d\n", mod(ep, e, EPOLLIN, 0));
  printf("null event %d", epoll_ctl(ep, EPOLL_CTL_ADD, e, NULL));
  printf(" %d\n", errno);
  printf("operation %d", epoll_ctl(ep, 9, e, &one));
  printf(" %d\n", errno);
  printf("wait 0 %d", epoll_wait(ep, &one, 0, 0));
  printf(" %d, bad %d", errno, epoll_wait(99, &one, 1, 0));
  printf(" %d, no epoll %d", errno, epoll_wait(e, &one, 1, 0));
  printf(" %d\n", errno);
  printf("exclusive %d", add(ep, e, EPOLLIN | EPOLLEXCLUSIVE, 0));
  printf(" mod %d", mod(ep, e, EPOLLIN, 0));
  printf(" mod to %d", mod(ep, e, EPOLLIN | EPOLLEXCLUSIVE, 0));
  printf(" one shot %d", add(ep, dup(e), EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT, 0));
  printf(" epoll %d\n", add(ep, epoll_create1(0), EPOLLIN | EPOLLEXCLUSIVE, 0));
  bump(e);
  printf("fault %ld", syscall(SYS_epoll_wait, ep, (void *)8, 1, 0));
  printf(" %d\n", errno);
  show("kept", ep, 1);
  char c;
  printf("read %zd", read(ep, &c, 1));
  printf(" %d write %zd", errno, write(ep, &c, 1));
  printf(" %d\n", errno);
}

static volatile int caught;
static void handler(int n) {
  caught = n;
}

static void signals(void) {
  struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
  sigaction(SIGALRM, &sa, NULL);
  sigaction(SIGUSR1, &sa, NULL);
  int ep = epoll_create1(0);
  struct epoll_event e;
  alarm(1);
  printf("interrupted %d", epoll_wait(ep, &e, 1, -1));
  printf(" %d, caught %d\n", errno, caught);
  sigset_t mask, none;
  sigemptyset(&mask), sigemptyset(&none);
  sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  raise(SIGUSR1);
  caught = 0;
  printf("blocked %d", epoll_pwait(ep, &e, 1, 10, NULL));
  printf(" %d", caught);
  printf(", let in %d", epoll_pwait(ep, &e, 1, -1, &none));
  printf(" %d %d", errno, caught);
  sigset_t now;
  sigprocmask(SIG_SETMASK, NULL, &now);
  printf(", blocked again %d\n", sigismember(&now, SIGUSR1));
  int ready = eventfd(1, 0);
  add(ep, ready, EPOLLIN, 7);
  raise(SIGUSR1);
  caught = 0;
  printf("ready and signalled %d", epoll_pwait(ep, &e, 1, -1, &none));
  printf(" caught %d\n", caught);
  printf("size of mask %ld", syscall(SYS_epoll_pwait, ep, &e, 1, 0, &none, 4L));
  printf(" %d\n", errno);
}

static void times(void) {
  int ep = epoll_create1(0), t = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec s = { .it_value.tv_nsec = 20000000 };
  timerfd_settime(t, 0, &s, NULL);
  add(ep, t, EPOLLIN, 1);
  struct epoll_event e;
  struct timespec a, b, limit = { 0, 30000000 };
  clock_gettime(CLOCK_MONOTONIC, &a);
  printf("timer %d", epoll_wait(ep, &e, 1, -1));
  clock_gettime(CLOCK_MONOTONIC, &b);
  long ms = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
  printf(" after 20 ms: %d\n", ms >= 19 && ms < 900);
  drain(t);
  clock_gettime(CLOCK_MONOTONIC, &a);
  printf("timeout %ld", syscall(SYS_epoll_pwait2, ep, &e, 1, &limit, NULL, 8L));
  clock_gettime(CLOCK_MONOTONIC, &b);
  ms = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
  printf(" after 30 ms: %d\n", ms >= 29 && ms < 900);
  limit.tv_nsec = -1;
  printf("bad timeout %ld", syscall(SYS_epoll_pwait2, ep, &e, 1, &limit, NULL, 8L));
  printf(" %d\n", errno);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  levels_and_edges();
  hangups();
  one_shot();
  order();
  nested();
  closing();
  errors();
  signals();
  times();
  return 0;
}
