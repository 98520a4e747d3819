// Threads and processes that wait at the same epoll, eventfd, pipe, semaphore or queue: who is woken, and that none is forgotten.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4

static void nap(int ms) {
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

static int add(int ep, int fd, uint32_t events) {
  struct epoll_event e = { .events = events, .data.fd = fd };
  return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
}

static int ep, counter;
static volatile int woken;
static uint64_t total;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *takes_one(void *argument) {
  struct epoll_event e;
  int n = epoll_wait(ep, &e, 1, 2000);
  uint64_t value = 0;
  pthread_mutex_lock(&mutex);
  if (n == 1) woken++;
  if (n == 1 && read(counter, &value, 8) == 8) total += value;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

/** Several threads in one epoll_wait: an edge wakes one of them, a level may wake more. */
static void one_edge_one_thread(void) {
  ep = epoll_create1(0), counter = eventfd(0, EFD_NONBLOCK);
  add(ep, counter, EPOLLIN | EPOLLET);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, takes_one, NULL);
  nap(50);
  for (int i = 0; i < THREADS; i++) {
    uint64_t one = 1;
    write(counter, &one, 8);
    nap(30);
    printf("edge %d woke %d\n", i + 1, woken);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  printf("total %d\n", (int)total);
  close(ep), close(counter);
}

static int pipes[2];
static void *reads_bytes(void *argument) {
  long count = 0;
  char c;
  while (read(pipes[0], &c, 1) == 1) count++;
  return (void *)count;
}

static void shared_pipe(void) {
  pipe(pipes);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, reads_bytes, NULL);
  for (int i = 0; i < 200; i++) write(pipes[1], "x", 1);
  close(pipes[1]);
  long sum = 0;
  for (int i = 0; i < THREADS; i++) {
    void *n;
    pthread_join(threads[i], &n);
    sum += (long)n;
  }
  printf("bytes %ld\n", sum);
  close(pipes[0]);
}

static int semaphore;
static void *takes_tokens(void *argument) {
  long count = 0;
  uint64_t value;
  for (;;) {
    read(semaphore, &value, 8);
    if (count++ >= 49) break;
  }
  return (void *)count;
}

static void counting(void) {
  semaphore = eventfd(0, EFD_SEMAPHORE);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, takes_tokens, NULL);
  for (int i = 0; i < 50; i++) {
    uint64_t n = THREADS;
    write(semaphore, &n, 8);
  }
  long sum = 0;
  for (int i = 0; i < THREADS; i++) {
    void *n;
    pthread_join(threads[i], &n);
    sum += (long)n;
  }
  printf("tokens %ld\n", sum);
}

/** A writer that waits for room, in another process. */
static void full_counter(void) {
  int e = eventfd(0, 0);
  uint64_t most = 0xfffffffffffffffeull, one = 1, value;
  write(e, &most, 8);
  pid_t child = fork();
  if (child == 0) {
    write(e, &one, 8);
    _exit(3);
  }
  nap(50);
  printf("still waiting %d\n", waitpid(child, NULL, WNOHANG));
  read(e, &value, 8);
  int status;
  waitpid(child, &status, 0);
  read(e, &value, 8);
  printf("then %d, left %llu\n", WEXITSTATUS(status), (unsigned long long)value);
}

/** Children inherit the epoll and what it watches. */
static void inherited(void) {
  int s[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  int poller = epoll_create1(0);
  add(poller, s[0], EPOLLIN);
  pid_t child = fork();
  if (child == 0) {
    struct epoll_event e;
    int n = epoll_wait(poller, &e, 1, 2000);
    char text[8] = { 0 };
    read(e.data.fd, text, 7);
    _exit(n == 1 && strcmp(text, "hello") == 0 ? 5 : 6);
  }
  nap(30);
  write(s[1], "hello", 5);
  int status;
  waitpid(child, &status, 0);
  printf("child heard %d\n", WEXITSTATUS(status));
  // It stays watched while the child has it.
  child = fork();
  if (child == 0) {
    nap(100);
    _exit(0);
  }
  close(s[0]);
  write(s[1], "more", 4);
  struct epoll_event e;
  printf("closed here, open there: %d\n", epoll_wait(poller, &e, 1, 0));
  waitpid(child, NULL, 0);
  printf("closed everywhere: %d\n", epoll_wait(poller, &e, 1, 0));
}

/** A signalfd shows each process its own signals. */
static void own_signals(void) {
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGUSR1), sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, 0);
  pid_t child = fork();
  if (child == 0) {
    struct signalfd_siginfo info;
    read(fd, &info, sizeof info);
    _exit(info.ssi_signo == SIGUSR1 && info.ssi_pid == (unsigned)getppid() ? 9 : 1);
  }
  nap(30);
  kill(child, SIGUSR1);
  struct signalfd_siginfo info;
  read(fd, &info, sizeof info);
  printf("child ended: signal %d code %d status %d it %d\n", info.ssi_signo == SIGCHLD, info.ssi_code, info.ssi_status, info.ssi_pid == (unsigned)child);
  waitpid(child, NULL, 0);
}

/** A timer in one epoll with a pipe that another process fills. */
static void mixed(void) {
  int p[2], poller = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0), ticks = 0, bytes = 0;
  pipe(p);
  struct itimerspec every = { { 0, 20000000 }, { 0, 20000000 } };
  timerfd_settime(timer, 0, &every, NULL);
  add(poller, p[0], EPOLLIN), add(poller, timer, EPOLLIN);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; i++) nap(15), write(p[1], "abc", 3);
    _exit(0);
  }
  close(p[1]);
  for (int open = 1; open;) {
    struct epoll_event e[2];
    int n = epoll_wait(poller, e, 2, -1);
    for (int i = 0; i < n; i++) {
      char buffer[64];
      if (e[i].data.fd == timer) read(timer, buffer, 8), ticks++;
      else {
        int got = read(p[0], buffer, sizeof buffer);
        if (got == 0) open = 0;
        else bytes += got;
      }
    }
  }
  waitpid(child, NULL, 0);
  printf("bytes %d, ticks %d\n", bytes, ticks >= 3 && ticks <= 9);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  one_edge_one_thread();
  shared_pipe();
  counting();
  full_counter();
  inherited();
  own_signals();
  mixed();
  return 0;
}
