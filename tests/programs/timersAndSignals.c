// Handlers, masks, pending signals, sigaction flags, alarms and interval timers, sigsuspend, sigwait.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t count, last, nested, order[8], orders;
static void handler(int number) { count++; last = number; }
static void recorder(int number) { if (orders < 8) order[orders++] = number; if (number == SIGUSR1 && !nested) { nested = 1; raise(SIGUSR2); } }
static void informed(int number, siginfo_t *info, void *context) { (void)context; printf("info %d code %d value %d self %d\n", number, info->si_code, info->si_value.sival_int, info->si_pid == getpid()); }
static void set(int number, void (*f)(int), int flags) { struct sigaction a = {.sa_handler = f, .sa_flags = flags}; sigaction(number, &a, NULL); }
int main(void) {
    sigset_t mask, old, pending; struct timespec instant = {0, 0}, nap = {0, 200000000}; siginfo_t info;
    set(SIGUSR1, handler, 0); set(SIGALRM, handler, 0);
    raise(SIGUSR1); kill(getpid(), SIGUSR1); printf("%d %d\n", count, last);
    sigemptyset(&mask); sigaddset(&mask, SIGUSR1); sigprocmask(SIG_BLOCK, &mask, &old);
    raise(SIGUSR1); raise(SIGUSR1); sigpending(&pending); printf("blocked %d pending %d\n", count, sigismember(&pending, SIGUSR1));
    sigprocmask(SIG_SETMASK, &old, NULL); printf("delivered once %d\n", count);
    set(SIGUSR1, recorder, 0); set(SIGUSR2, recorder, SA_NODEFER); raise(SIGUSR1); printf("nested %d %d of %d\n", order[0] == SIGUSR1, order[1] == SIGUSR2, orders);
    set(SIGUSR1, handler, SA_RESETHAND); raise(SIGUSR1); struct sigaction now; sigaction(SIGUSR1, NULL, &now); printf("reset %d\n", now.sa_handler == SIG_DFL);
    struct sigaction with = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO}; sigaction(SIGRTMIN, &with, NULL);
    union sigval value = {.sival_int = 77}; sigqueue(getpid(), SIGRTMIN, value); sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 78});
    struct itimerval timer = {{0, 10000}, {0, 10000}}; count = 0; setitimer(ITIMER_REAL, &timer, NULL);
    while (count < 4) pause();
    getitimer(ITIMER_REAL, &timer); printf("ticks %d interval %ld\n", count >= 4, (long)timer.it_interval.tv_usec); memset(&timer, 0, sizeof timer); setitimer(ITIMER_REAL, &timer, NULL);
    count = 0; timer.it_value.tv_usec = 10000; setitimer(ITIMER_VIRTUAL, &timer, NULL); set(SIGVTALRM, handler, 0); while (!count) ; printf("virtual %d\n", last == SIGVTALRM);
    printf("alarm %u %u\n", alarm(100), alarm(0)); timer.it_value.tv_usec = 20000; setitimer(ITIMER_REAL, &timer, NULL);
    errno = 0; int slept = nanosleep(&nap, &nap); printf("interrupted %d %d left %d\n", slept, errno == EINTR, nap.tv_nsec > 0);
    sigemptyset(&mask); sigaddset(&mask, SIGUSR2); sigprocmask(SIG_BLOCK, &mask, NULL); kill(getpid(), SIGUSR2); int got; printf("%d", sigwait(&mask, &got)); printf(" wait %d\n", got == SIGUSR2);
    printf("%d %d\n", sigtimedwait(&mask, &info, &instant), errno == EAGAIN);
    set(SIGUSR2, handler, 0); raise(SIGUSR2); sigemptyset(&old); count = 0; printf("suspend %d %d\n", sigsuspend(&old), count);
    signal(SIGUSR2, SIG_IGN); sigprocmask(SIG_UNBLOCK, &mask, NULL); raise(SIGUSR2);
    timer_t id; struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}; struct itimerspec spec = {{0, 0}, {0, 10000000}}; count = 0;
    printf("%d", timer_create(CLOCK_MONOTONIC, &event, &id)); printf(" %d\n", timer_settime(id, 0, &spec, NULL)); while (!count) pause(); printf("%d\n", timer_delete(id));
    printf("%d %d %d\n", sigaction(SIGKILL, &now, NULL), errno == EINVAL, kill(getpid(), 0)); fflush(stdout);
    abort();
}
