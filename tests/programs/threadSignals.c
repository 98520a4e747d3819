/* Signals and threads: masks of their own, pthread_kill, sigwait, who gets what was sent to the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled[3];
static __thread int mine;
static sem_t started;
static volatile int stop;

static void handler(int signal) { handled[mine]++; }

static void *sleeping(void *arg) {
  mine = (int)(long)arg;
  sem_post(&started);
  struct timespec long_ = {100, 0};
  int result = nanosleep(&long_, NULL);
  printf("thread %d: %s, handled %d\n", mine, result != 0 && errno == EINTR ? "interrupted" : "slept", handled[mine]);
  return NULL;
}

static void *spinning(void *arg) {
  mine = (int)(long)arg;
  sem_post(&started);
  while (!stop) ;
  return NULL;
}

static void *taking(void *arg) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGRTMIN);
  sem_post(&started);
  for (int i = 0; i < 3; i++) {
    siginfo_t info;
    int signal = sigwaitinfo(&set, &info);
    printf("took %s with %d\n", signal == SIGUSR2 ? "SIGUSR2" : "SIGRTMIN", info.si_code == SI_QUEUE ? info.si_value.sival_int : -1);
  }
  return NULL;
}

static void *blockingAll(void *arg) {
  sigset_t all, pending;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  pthread_kill(pthread_self(), SIGUSR1);
  raise(SIGTERM);
  sigpending(&pending);
  printf("pending: %d %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGTERM), sigismember(&pending, SIGINT));
  return NULL;
}

static void *faulting(void *arg) {
  mine = 2;
  raise(SIGSEGV);
  return (void *)(long)handled[2];
}

int main(void) {
  pthread_t thread;
  void *result;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGSEGV, &action, NULL);
  sem_init(&started, 0, 0);

  pthread_create(&thread, NULL, sleeping, (void *)1L);
  sem_wait(&started);
  usleep(10000);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);

  handled[0] = handled[1] = 0;
  pthread_create(&thread, NULL, spinning, (void *)1L);
  sem_wait(&started);
  for (int i = 1; i <= 3; i++) {
    pthread_kill(thread, SIGUSR1);
    while (handled[1] < i) sched_yield();
  }
  kill(getpid(), SIGUSR1);
  stop = 1;
  pthread_join(thread, NULL);
  printf("handled by main %d, by the other %d\n", handled[0], handled[1]);

  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, &old);
  pthread_create(&thread, NULL, taking, NULL);
  sem_wait(&started);
  usleep(10000);
  kill(getpid(), SIGUSR2);
  usleep(10000);
  for (int i = 0; i < 2; i++) {
    union sigval value = {.sival_int = 40 + i};
    sigqueue(getpid(), SIGRTMIN, value);
  }
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, blockingAll, NULL);
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, faulting, NULL);
  pthread_join(thread, &result);
  printf("raised %ld\n", (long)result);
  printf("tgkill: %ld %d\n", syscall(SYS_tgkill, getpid(), getpid(), 0), (int)syscall(SYS_tgkill, getpid(), 1 << 21, 0));
  sigpending(&set);
  printf("left: %d\n", sigismember(&set, SIGTERM));
  return 0;
}
