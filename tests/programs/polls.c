// poll, select, ppoll and pselect: readiness of every kind of file, timeouts and what is left of them, masks, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void ready(const char *what, int fd) {
  struct pollfd p = { .fd = fd, .events = 0x7fff, .revents = 0x5555 };
  int n = poll(&p, 1, 0);
  fd_set r, w, x;
  FD_ZERO(&r); FD_ZERO(&w); FD_ZERO(&x);
  FD_SET(fd, &r), FD_SET(fd, &w), FD_SET(fd, &x);
  struct timeval now = { 0, 0 };
  int s = select(fd + 1, &r, &w, &x, &now);
  printf("%s: poll %d %x, select %d %d%d%d\n", what, n, p.revents, s, !!FD_ISSET(fd, &r), !!FD_ISSET(fd, &w), !!FD_ISSET(fd, &x));
}

static void kinds(void) {
  int file = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);
  ready("regular", file);
  ready("read only", open("file", O_RDONLY));
  ready("directory", open(".", O_RDONLY));
  ready("/dev/null", open("/dev/null", O_RDWR));
  ready("/dev/zero", open("/dev/zero", O_RDONLY));
  ready("memfd", memfd_create("m", 0));
  ready("/proc/self/stat", open("/proc/self/stat", O_RDONLY));
  int p[2];
  pipe(p);
  ready("pipe, reading end", p[0]);
  ready("pipe, writing end", p[1]);
  write(p[1], "x", 1);
  ready("pipe with data", p[0]);
  fcntl(p[1], F_SETFL, O_NONBLOCK);
  char page[4096];
  while (write(p[1], page, sizeof page) > 0);
  ready("full pipe", p[1]);
  read(p[0], page, 1);
  ready("not quite full pipe", p[1]);
  close(p[0]);
  ready("pipe without reader", p[1]);
  close(p[1]);
  pipe(p);
  write(p[1], "x", 1);
  close(p[1]);
  ready("pipe without writer, data", p[0]);
  read(p[0], page, 1);
  ready("pipe without writer", p[0]);
  close(p[0]);
  ready("eventfd", eventfd(1, 0));
}

static void many(void) {
  int p[2];
  pipe(p);
  write(p[1], "x", 1);
  struct pollfd set[4] = { { p[0], POLLIN }, { -1, POLLIN, 7 }, { 99, POLLIN }, { p[1], POLLOUT | POLLIN } };
  printf("poll %d:", poll(set, 4, -1));
  for (int i = 0; i < 4; i++) printf(" %x", set[i].revents);
  printf("\nnone %d, null %d", poll(NULL, 0, 0), poll(NULL, 1, 0));
  printf(" %d\n", errno);
  struct rlimit limit = { 8, 8 }, old;
  getrlimit(RLIMIT_NOFILE, &old);
  limit.rlim_max = old.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  printf("too many %d", poll(set, 9, 0));
  printf(" %d\n", errno);
  setrlimit(RLIMIT_NOFILE, &old);
  fd_set r;
  struct timeval t = { 0, 0 };
  FD_ZERO(&r); FD_SET(50, &r);
  printf("select on what is closed %d", select(64, &r, NULL, NULL, &t));
  printf(" %d\n", errno);
  FD_ZERO(&r); FD_SET(900, &r);
  printf("far beyond %d", select(1024, &r, NULL, NULL, &t));
  printf(" %d\n", !!FD_ISSET(900, &r));
  printf("negative %d", select(-1, NULL, NULL, NULL, &t));
  t.tv_usec = -1;
  printf(" %d, time %d", errno, select(0, NULL, NULL, NULL, &t));
  t.tv_sec = -1, t.tv_usec = 0;
  printf(" %d, time %d", errno, select(0, NULL, NULL, NULL, &t));
  printf(" %d\n", errno);
  struct timespec s = { 0, 1000000000 };
  printf("ppoll %d", ppoll(NULL, 0, &s, NULL));
  printf(" %d, pselect %d", errno, pselect(0, NULL, NULL, NULL, &s, NULL));
  printf(" %d, bad mask %ld", errno, syscall(SYS_ppoll, NULL, 0L, NULL, &s, 4L));
  printf(" %d\n", errno);
  close(p[0]), close(p[1]);
}

static long since(struct timespec a) {
  struct timespec b;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
}

static void times(void) {
  struct timespec start, s = { 0, 30000000 };
  clock_gettime(CLOCK_MONOTONIC, &start);
  printf("poll %d", poll(NULL, 0, 25));
  long ms = since(start);
  printf(" 25 ms: %d\n", ms >= 24 && ms < 900);
  struct timeval t = { 0, 1000 };
  printf("select %d", select(0, NULL, NULL, NULL, &t));
  printf(" left %ld %ld\n", (long)t.tv_sec, (long)t.tv_usec);
  int p[2];
  pipe(p);
  write(p[1], "x", 1);
  fd_set r;
  FD_ZERO(&r); FD_SET(p[0], &r);
  t.tv_sec = 5, t.tv_usec = 3000000;
  printf("ready at once %d", select(p[0] + 1, &r, NULL, NULL, &t));
  printf(", left %d\n", t.tv_sec >= 7);
  printf("ppoll %ld", syscall(SYS_ppoll, NULL, 0L, &s, NULL, 8L));
  printf(" left %ld %ld\n", (long)s.tv_sec, s.tv_nsec);
}

static volatile int caught;
static void handler(int n) {
  caught = n;
}

static void masks(void) {
  struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
  sigaction(SIGALRM, &sa, NULL), sigaction(SIGUSR1, &sa, NULL);
  struct itimerval v = { .it_value.tv_usec = 20000 };
  setitimer(ITIMER_REAL, &v, NULL);
  printf("poll %d", poll(NULL, 0, -1));
  printf(" %d caught %d\n", errno, caught);
  setitimer(ITIMER_REAL, &v, NULL);
  struct timeval t = { 30, 0 };
  printf("select %d", select(0, NULL, NULL, NULL, &t));
  printf(" %d, left %d\n", errno, t.tv_sec == 29);
  sigset_t mask, none, now;
  sigemptyset(&mask), sigemptyset(&none), sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  raise(SIGUSR1);
  caught = 0;
  struct timespec s = { 5, 0 };
  printf("ppoll %d", ppoll(NULL, 0, &s, &none));
  printf(" %d caught %d\n", errno, caught == SIGUSR1);
  raise(SIGUSR1);
  caught = 0;
  printf("pselect %d", pselect(0, NULL, NULL, NULL, &s, &none));
  sigprocmask(SIG_SETMASK, NULL, &now);
  printf(" %d caught %d, blocked %d\n", errno, caught == SIGUSR1, sigismember(&now, SIGUSR1));
  // A signal that is ignored does not end the waiting.
  signal(SIGALRM, SIG_IGN);
  setitimer(ITIMER_REAL, &v, NULL);
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  printf("ignored %d", poll(NULL, 0, 60));
  printf(" %d\n", since(start) >= 59);
  // Stopped and continued: poll goes on with the time that is left, and other signals end it as before.
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    clock_gettime(CLOCK_MONOTONIC, &start);
    int r = poll(NULL, 0, 300);
    long ms = since(start);
    printf("continued %d %d\n", r, ms >= 299 && ms < 450);
    struct timespec t = { 0, 300000000 };
    clock_gettime(CLOCK_MONOTONIC, &start);
    r = ppoll(NULL, 0, &t, NULL);
    ms = since(start);
    printf("continued %d %d\n", r, ms >= 299 && ms < 450);
    _exit(0);
  }
  struct timespec nap = { 0, 100000000 };
  for (int i = 0; i < 2; i++) {
    nanosleep(&nap, NULL), kill(child, SIGSTOP), nanosleep(&nap, NULL), kill(child, SIGCONT), nanosleep(&nap, NULL);
  }
  int status;
  waitpid(child, &status, 0);
  printf("child %x\n", status);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  kinds();
  many();
  times();
  masks();
  return 0;
}
