/* What timers say of themselves once they have expired while their signals are blocked. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const char *rough(long seconds, long nanoseconds) {
  if (seconds == 0 && nanoseconds == 0) return "0";
  return seconds == 0 && nanoseconds <= 1000 ? "next to nothing" : "more";
}

static void compute(void) {
  for (volatile long i = 0; i < 20000000; i++) { }
}

static void showInterval(const char *when, int kind) {
  struct itimerval now;
  getitimer(kind, &now);
  printf("  %s: %s, then every %s\n", when, rough(now.it_value.tv_sec, now.it_value.tv_usec * 1000), rough(now.it_interval.tv_sec, 0));
}

static void intervalTimer(int kind, int signal, int every) {
  printf("interval timer %d every %d s\n", kind, every);
  struct itimerval setting = {{every, 0}, {0, 2000}}, none = {{0, 0}, {0, 0}};
  setitimer(kind, &setting, 0);
  if (kind == ITIMER_REAL) usleep(20000);
  else compute();
  showInterval("signal blocked", kind);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  int got;
  sigwait(&one, &got);
  showInterval("signal taken", kind);
  setitimer(kind, &none, 0);
}

static void posixTimer(clockid_t clock, int notify, long every) {
  struct sigevent event = {.sigev_notify = notify, .sigev_signo = SIGUSR1};
  timer_t timer;
  timer_create(clock, &event, &timer);
  struct itimerspec setting = {{every, 0}, {0, 2000000}}, none = {{0, 0}, {0, 0}}, old;
  timer_settime(timer, 0, &setting, 0);
  if (clock == CLOCK_PROCESS_CPUTIME_ID) compute();
  else usleep(20000);
  timer_gettime(timer, &setting);
  timer_settime(timer, 0, &none, &old);
  printf("clock %d, notify %d, every %ld: %s, old %s\n", (int)clock, notify, every,
         rough(setting.it_value.tv_sec, setting.it_value.tv_nsec), rough(old.it_value.tv_sec, old.it_value.tv_nsec));
  timer_delete(timer);
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, 0);
  const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
  for (int kind = ITIMER_REAL; kind <= ITIMER_PROF; kind++)
    for (int every = 0; every <= 3; every += 3) intervalTimer(kind, signals[kind], every);
  const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
  for (int i = 0; i < 3; i++)
    for (int every = 0; every <= 3; every += 3) {
      posixTimer(clocks[i], SIGEV_SIGNAL, every);
      posixTimer(clocks[i], SIGEV_NONE, every);
    }
  struct itimerval soon = {{0, 0}, {0, 2000}};
  setitimer(ITIMER_REAL, &soon, 0);
  usleep(20000);
  printf("alarm after the alarm: %u\n", alarm(0));
  int file = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec once = {{0, 0}, {0, 2000000}};
  timerfd_settime(file, 0, &once, 0);
  usleep(20000);
  timerfd_gettime(file, &once);
  printf("timerfd: %s\n", rough(once.it_value.tv_sec, once.it_value.tv_nsec));
  return 0;
}
