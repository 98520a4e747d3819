// Timers of all kinds interrupt a computation: where it was at each tick.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
static volatile long work, seen[40]; static volatile int n, other; static void tick(int s) { if (n < 40) seen[n++] = work; } static void extra(int s) { other++; }
static void *busy(void *p) { volatile long w = 0; while (n < 40) w++; return NULL; }
int main(void) { pthread_t t; timer_t id; struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1}; struct itimerspec s = {{0, 700000}, {0, 700000}}; struct itimerval v = {{0, 1000}, {0, 1000}}; signal(SIGALRM, tick); signal(SIGUSR1, extra); signal(SIGVTALRM, extra); timer_create(CLOCK_MONOTONIC, &e, &id); timer_settime(id, 0, &s, NULL); setitimer(ITIMER_REAL, &v, NULL); setitimer(ITIMER_VIRTUAL, &v, NULL); pthread_create(&t, NULL, busy, NULL); while (n < 40) work++; pthread_join(t, NULL); for (int i = 0; i < 40; i++) printf("%ld ", seen[i]); printf("\n%d\n", other); return 0; }
