// POSIX timers and interval timers: settings, overruns, clocks, notification, processor time, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int count, last_value, last_code, last_overrun, last_signal;
static void handler(int n, siginfo_t *info, void *context) {
  count++, last_signal = n, last_value = info->si_value.sival_int, last_code = info->si_code, last_overrun = info->si_overrun;
}

static void install(int n) {
  struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  sigaction(n, &sa, NULL);
}

static timer_t make(clockid_t clock, int signal, int value) {
  struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal, .sigev_value.sival_int = value };
  timer_t t = 0;
  if (timer_create(clock, &e, &t) != 0) printf("timer_create: %d\n", errno);
  return t;
}

static struct itimerspec in(long ms, long interval) {
  return (struct itimerspec){ { interval / 1000, interval % 1000 * 1000000 }, { ms / 1000, ms % 1000 * 1000000 } };
}

static long since(struct timespec a) {
  struct timespec b;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
}

static void once_and_again(void) {
  install(SIGRTMIN);
  timer_t t = make(CLOCK_MONOTONIC, SIGRTMIN, 5);
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  struct itimerspec s = in(20, 0), old;
  timer_settime(t, 0, &s, NULL);
  while (count == 0) pause();
  long ms = since(start);
  printf("20 ms: %d, signal %d value %d code %d overrun %d\n", ms >= 19 && ms < 900, last_signal - SIGRTMIN, last_value, last_code, timer_getoverrun(t));
  timer_gettime(t, &old);
  printf("spent %ld %ld\n", (long)old.it_value.tv_sec, old.it_value.tv_nsec);
  s = in(10, 10), count = 0;
  timer_settime(t, 0, &s, NULL);
  while (count < 4) pause();
  timer_gettime(t, &old);
  printf("periods %d, interval %ld, left %d\n", count, old.it_interval.tv_nsec, old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 10000000);
  // Blocked: one signal, and the others are counted.
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGRTMIN);
  sigprocmask(SIG_BLOCK, &set, NULL);
  s = in(10, 10), count = 0;
  timer_settime(t, 0, &s, &old);
  struct timespec pause_time = { 0, 75000000 };
  nanosleep(&pause_time, NULL);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("blocked: %d signal, overruns %d, same as told %d\n", count, last_overrun >= 5 && last_overrun < 90, last_overrun == timer_getoverrun(t));
  s = in(0, 0);
  timer_settime(t, 0, &s, &old);
  printf("disarmed, had interval %ld\n", old.it_interval.tv_nsec);
  printf("delete %d\n", timer_delete(t));
}

static void absolute(void) {
  install(SIGUSR1);
  timer_t t = make(CLOCK_REALTIME, SIGUSR1, 9);
  struct itimerspec s = { 0 };
  clock_gettime(CLOCK_REALTIME, &s.it_value);
  s.it_value.tv_nsec += 20000000;
  if (s.it_value.tv_nsec >= 1000000000) s.it_value.tv_sec++, s.it_value.tv_nsec -= 1000000000;
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  count = 0;
  timer_settime(t, TIMER_ABSTIME, &s, NULL);
  while (count == 0) pause();
  long ms = since(start);
  printf("absolute: %d value %d\n", ms >= 18 && ms < 900, last_value);
  s.it_value.tv_sec = 1, count = 0;
  timer_settime(t, TIMER_ABSTIME, &s, NULL);
  printf("long ago: %d\n", count);
  timer_delete(t);
}

static void spin_until(volatile int *what, int enough) {
  volatile unsigned long x = 0;
  while (*what < enough) x++;
}

static void processor_time(void) {
  install(SIGVTALRM), install(SIGPROF), install(SIGUSR2);
  struct itimerval v = { { 0, 5000 }, { 0, 5000 } }, old;
  count = 0;
  printf("virtual %d", setitimer(ITIMER_VIRTUAL, &v, NULL));
  spin_until(&count, 3);
  printf(" signal %d code %d", last_signal, last_code);
  struct itimerval stop = { 0 };
  setitimer(ITIMER_VIRTUAL, &stop, &old);
  printf(" interval %ld, left %d\n", (long)old.it_interval.tv_usec, old.it_value.tv_usec <= 5000 + 4000);
  count = 0;
  setitimer(ITIMER_PROF, &v, NULL);
  spin_until(&count, 3);
  setitimer(ITIMER_PROF, &stop, NULL);
  printf("prof signal %d\n", last_signal);
  // Sleeping uses no processor time.
  count = 0;
  setitimer(ITIMER_VIRTUAL, &v, NULL);
  struct timespec t = { 0, 100000000 };
  nanosleep(&t, NULL);
  getitimer(ITIMER_VIRTUAL, &old);
  setitimer(ITIMER_VIRTUAL, &stop, NULL);
  printf("asleep %d, left %d\n", count, old.it_value.tv_usec > 0);
  timer_t timer = make(CLOCK_PROCESS_CPUTIME_ID, SIGUSR2, 3);
  struct itimerspec s = in(10, 0);
  count = 0;
  timer_settime(timer, 0, &s, NULL);
  spin_until(&count, 1);
  printf("process time signal %d value %d\n", last_signal, last_value);
  timer_delete(timer);
  timer = make(CLOCK_THREAD_CPUTIME_ID, SIGUSR2, 4);
  count = 0;
  timer_settime(timer, 0, &s, NULL);
  spin_until(&count, 1);
  printf("thread time signal %d value %d\n", last_signal, last_value);
  timer_delete(timer);
}

static void errors(void) {
  timer_t t;
  struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = 99 };
  struct itimerspec s = in(10, 0);
  printf("signal %d", timer_create(CLOCK_MONOTONIC, &e, &t));
  printf(" %d\n", errno);
  e.sigev_signo = SIGUSR1, e.sigev_notify = 77;
  printf("notify %d", timer_create(CLOCK_MONOTONIC, &e, &t));
  printf(" %d\n", errno);
  e.sigev_notify = SIGEV_THREAD_ID, e._sigev_un._tid = 1;
  printf("no such thread %d", timer_create(CLOCK_MONOTONIC, &e, &t));
  printf(" %d\n", errno);
  e._sigev_un._tid = syscall(SYS_gettid), e.sigev_value.sival_int = 11;
  printf("my thread %d", timer_create(CLOCK_MONOTONIC, &e, &t));
  count = 0;
  timer_settime(t, 0, &s, NULL);
  while (count == 0) pause();
  printf(" value %d\n", last_value);
  timer_delete(t);
  e.sigev_notify = SIGEV_NONE;
  timer_create(CLOCK_MONOTONIC, &e, &t);
  s = in(1000, 0);
  timer_settime(t, 0, &s, NULL);
  struct itimerspec now;
  timer_gettime(t, &now);
  printf("none %d\n", now.it_value.tv_sec == 0 && now.it_value.tv_nsec > 0 || now.it_value.tv_sec == 1);
  s.it_value.tv_nsec = 1000000000;
  printf("time %d", timer_settime(t, 0, &s, NULL));
  printf(" %d\n", errno);
  printf("null %ld", syscall(SYS_timer_settime, 0, 0, NULL, NULL));
  printf(" %d\n", errno);
  printf("bad timer %ld", syscall(SYS_timer_settime, 12345, 0, &now, NULL));
  printf(" %d %ld", errno, syscall(SYS_timer_gettime, 12345, &now));
  printf(" %d %ld", errno, syscall(SYS_timer_getoverrun, 12345));
  printf(" %d %ld", errno, syscall(SYS_timer_delete, 12345));
  printf(" %d\n", errno);
  printf("clocks:");
  for (int c = 0; c < 13; c++) {
    timer_t other;
    e.sigev_notify = SIGEV_NONE;
    int id;
    printf(" %ld", syscall(SYS_timer_create, c, &e, &id) < 0 ? -(long)errno : 0);
  }
  printf("\n");
  struct itimerval v = { { 0, 1000000 }, { 0, 0 } };
  printf("setitimer %d", setitimer(ITIMER_REAL, &v, NULL));
  printf(" %d %d", errno, setitimer(7, &v, NULL));
  printf(" %d %d", errno, getitimer(-1, &v));
  printf(" %d\n", errno);
  printf("alarm %u %u %u\n", alarm(10), alarm(5), alarm(0));
}

static volatile int thread_value;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void in_thread(union sigval v) {
  pthread_mutex_lock(&mutex);
  thread_value += v.sival_int;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static void by_thread(void) {
  struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread, .sigev_value.sival_int = 7 };
  timer_t t;
  printf("thread %d\n", timer_create(CLOCK_MONOTONIC, &e, &t));
  struct itimerspec s = in(10, 10);
  timer_settime(t, 0, &s, NULL);
  pthread_mutex_lock(&mutex);
  while (thread_value < 21) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  printf("called in threads: %d\n", thread_value % 7);
  timer_delete(t);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  once_and_again();
  absolute();
  processor_time();
  errors();
  if (argc > 1) by_thread();
  return 0;
}
