// eventfd, timerfd and signalfd: values, blocking, overflow, readiness, settings, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static short ready(int fd) {
  struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI | POLLRDNORM | POLLWRNORM };
  return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

static void get(const char *what, int fd) {
  uint64_t value = 0;
  ssize_t n = read(fd, &value, 8);
  if (n < 0) printf("%s: error %d\n", what, errno);
  else printf("%s: %zd bytes, %llu\n", what, n, (unsigned long long)value);
}

static void put(const char *what, int fd, uint64_t value) {
  ssize_t n = write(fd, &value, 8);
  printf("%s: %zd %d, ready %x\n", what, n, n < 0 ? errno : 0, ready(fd));
}

static void counters(void) {
  int e = eventfd(3, EFD_NONBLOCK | EFD_CLOEXEC);
  printf("flags %x %x, ready %x\n", fcntl(e, F_GETFL), fcntl(e, F_GETFD), ready(e));
  get("first", e);
  get("empty", e);
  printf("ready %x\n", ready(e));
  put("one", e, 1);
  put("fill", e, 0xfffffffffffffffdull);
  put("too much", e, 1);
  put("invalid", e, ~0ull);
  get("largest", e);
  put("zero", e, 0);
  get("zero", e);
  char small[4], big[16] = { 5 };
  printf("short read %zd", read(e, small, 4));
  printf(" %d, short write %zd", errno, write(e, small, 4));
  printf(" %d, long write %zd", errno, write(e, big, 16));
  printf(", long read %zd %d\n", read(e, big, 16), big[0]);
  int s = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
  get("semaphore", s), get("semaphore", s), get("semaphore", s);
  printf("flags %d", eventfd(0, 0x10));
  printf(" %d, seek %ld", errno, (long)lseek(e, 0, SEEK_CUR));
  printf(" %d\n", errno);
  printf("pread %zd", pread(e, big, 8, 0));
  printf(" %d\n", errno);
  close(e), close(s);
}

static long since(struct timespec a) {
  struct timespec b;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
}

static void set(int t, int flags, long value, long interval) {
  struct itimerspec s = {
    { interval / 1000, interval % 1000 * 1000000 }, { value / 1000, value % 1000 * 1000000 }
  };
  printf("set %d", timerfd_settime(t, flags, &s, NULL));
  struct itimerspec now;
  timerfd_gettime(t, &now);
  printf(": interval %ld.%09ld, armed %d, at most %d\n", (long)now.it_interval.tv_sec, now.it_interval.tv_nsec,
         now.it_value.tv_sec != 0 || now.it_value.tv_nsec != 0, now.it_value.tv_sec * 1000 + now.it_value.tv_nsec / 1000000 <= value);
}

static void timers(void) {
  int t = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct timespec start;
  printf("flags %x\n", fcntl(t, F_GETFL));
  get("not armed", t);
  set(t, 0, 20, 0);
  get("not yet", t);
  fcntl(t, F_SETFL, 0);
  clock_gettime(CLOCK_MONOTONIC, &start);
  get("once", t);
  long ms = since(start);
  printf("20 ms: %d, ready %x\n", ms >= 19 && ms < 900, ready(t));
  set(t, 0, 10, 10);
  struct timespec pause = { 0, 55000000 };
  nanosleep(&pause, NULL);
  uint64_t count;
  read(t, &count, 8);
  printf("periods %d\n", count >= 5 && count < 90);
  set(t, 0, 0, 0);
  fcntl(t, F_SETFL, O_NONBLOCK);
  get("disarmed", t);
  clock_gettime(CLOCK_MONOTONIC, &start);
  struct itimerspec s = { .it_value = { start.tv_sec, start.tv_nsec } }, old;
  s.it_value.tv_nsec += 15000000;
  if (s.it_value.tv_nsec >= 1000000000) s.it_value.tv_sec++, s.it_value.tv_nsec -= 1000000000;
  printf("absolute %d", timerfd_settime(t, TFD_TIMER_ABSTIME, &s, &old));
  printf(", old %ld %ld\n", (long)old.it_value.tv_sec, old.it_value.tv_nsec);
  fcntl(t, F_SETFL, 0);
  get("absolute", t);
  ms = since(start);
  printf("15 ms: %d\n", ms >= 14 && ms < 900);
  s.it_value.tv_sec = 1, s.it_value.tv_nsec = 0;
  timerfd_settime(t, TFD_TIMER_ABSTIME, &s, NULL);
  get("long ago", t);
  int real = timerfd_create(CLOCK_REALTIME, 0);
  clock_gettime(CLOCK_REALTIME, &start);
  s.it_value = start, s.it_value.tv_nsec += 15000000;
  if (s.it_value.tv_nsec >= 1000000000) s.it_value.tv_sec++, s.it_value.tv_nsec -= 1000000000;
  printf("cancellable %d\n", timerfd_settime(real, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &s, NULL));
  get("real time", real);
  printf("clocks:");
  for (int c = 0; c < 13; c++) {
    int fd = timerfd_create(c, 0);
    printf(" %d", fd < 0 ? -errno : 0);
    if (fd >= 0) close(fd);
  }
  printf("\nerrors: %d", timerfd_create(1, 1));
  s.it_value.tv_nsec = 1000000000;
  printf(" %d %d", errno, timerfd_settime(t, 0, &s, NULL));
  printf(" %d %d", errno, timerfd_settime(t, 8, &old, NULL));
  printf(" %d %d", errno, timerfd_settime(0, 0, &old, NULL));
  printf(" %d %d", errno, timerfd_settime(99, 0, &old, NULL));
  printf(" %d %d", errno, timerfd_gettime(99, &old));
  printf(" %d %ld", errno, syscall(SYS_timerfd_settime, t, 0, NULL, NULL));
  char small[4];
  printf(" %d short %zd", errno, read(t, small, 4));
  printf(" %d write %zd", errno, write(t, "12345678", 8));
  printf(" %d\n", errno);
  close(t), close(real);
}

static void show_signals(const char *what, int fd, int most) {
  struct signalfd_siginfo info[4];
  memset(info, 0xff, sizeof info);
  ssize_t n = read(fd, info, most * sizeof info[0]);
  printf("%s: %zd", what, n < 0 ? -(ssize_t)errno : n);
  for (int i = 0; i < (int)(n / (ssize_t)sizeof info[0]); i++) {
    int mine = info[i].ssi_pid == (unsigned)getpid();
    printf(" [%u code %d errno %d pid %s uid %u int %d ptr %llx overrun %u status %d]", info[i].ssi_signo, info[i].ssi_code, info[i].ssi_errno,
           mine ? "mine" : info[i].ssi_pid == 0 ? "0" : "other", info[i].ssi_uid, info[i].ssi_int, (unsigned long long)info[i].ssi_ptr, info[i].ssi_overrun, info[i].ssi_status);
  }
  printf("\n");
}

static volatile int caught;
static void handler(int n) {
  caught = n;
}

static void signals(void) {
  sigset_t mask, pending;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1), sigaddset(&mask, SIGUSR2), sigaddset(&mask, SIGRTMIN), sigaddset(&mask, SIGALRM), sigaddset(&mask, SIGKILL);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  int fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
  printf("flags %x %x, ready %x\n", fcntl(fd, F_GETFL), fcntl(fd, F_GETFD), ready(fd));
  show_signals("nothing", fd, 4);
  kill(getpid(), SIGUSR1), raise(SIGUSR2), raise(SIGUSR2);
  sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 7 });
  sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_ptr = (void *)0x123456789abc });
  printf("ready %x\n", ready(fd));
  show_signals("three", fd, 3);
  sigpending(&pending);
  printf("pending %d %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGUSR2), sigismember(&pending, SIGRTMIN));
  show_signals("rest", fd, 4);
  show_signals("none", fd, 4);
  timer_t timer;
  struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 42 };
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  struct itimerspec s = { .it_value.tv_nsec = 10000000 };
  timer_settime(timer, 0, &s, NULL);
  struct pollfd p = { .fd = fd, .events = POLLIN };
  printf("waited for %d", poll(&p, 1, 2000));
  printf(" %x\n", p.revents);
  show_signals("timer", fd, 4);
  fcntl(fd, F_SETFL, 0);
  alarm(1);
  show_signals("blocking", fd, 4);
  // A signal that is not blocked goes to its handler, not here; one that is taken here reaches no handler.
  struct sigaction sa = { .sa_handler = handler };
  sigaction(SIGUSR1, &sa, NULL), sigaction(SIGUSR2, &sa, NULL), sigaction(SIGALRM, &sa, NULL);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  sigset_t one;
  sigemptyset(&one), sigaddset(&one, SIGUSR2);
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  raise(SIGUSR2);
  printf("caught %d", caught == SIGUSR2);
  printf(", ready %x\n", ready(fd));
  raise(SIGUSR1);
  show_signals("taken", fd, 1);
  sigemptyset(&one), sigaddset(&one, SIGUSR1);
  caught = 0;
  sigprocmask(SIG_UNBLOCK, &one, NULL);
  printf("caught %d\n", caught);
  // Another mask for the same descriptor.
  sigprocmask(SIG_BLOCK, &one, NULL);
  sigemptyset(&one), sigaddset(&one, SIGHUP);
  printf("changed %d\n", signalfd(fd, &one, 0) == fd);
  raise(SIGUSR1);
  show_signals("not mine", fd, 1);
  // A wait for it is interrupted by other signals.
  sigaddset(&mask, SIGHUP);
  fcntl(fd, F_SETFL, 0);
  sigprocmask(SIG_SETMASK, &one, NULL);
  caught = 0;
  alarm(1);
  show_signals("interrupted", fd, 1);
  printf("caught %d\n", caught);
  char small[64];
  printf("small %zd", read(fd, small, 64));
  printf(" %d write %zd", errno, write(fd, small, 64));
  printf(" %d flags %d", errno, signalfd(-1, &one, 1));
  printf(" %d bad %d", errno, signalfd(99, &one, 0));
  printf(" %d other %d", errno, signalfd(0, &one, 0));
  printf(" %d size %ld", errno, syscall(SYS_signalfd4, -1, &one, 4L, 0));
  printf(" %d fault %ld", errno, syscall(SYS_signalfd4, -1, NULL, 8L, 0));
  printf(" %d\n", errno);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  counters();
  timers();
  signals();
  return 0;
}
