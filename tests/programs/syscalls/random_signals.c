// Random signals, masks, actions and stacks in one process; the argument is the seed.
#include "check.h"
#include <setjmp.h>
#include <sys/signalfd.h>
static uint64_t state; static unsigned rnd(unsigned n) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return (state >> 20) % n; }
static int pool[] = {SIGUSR1, SIGUSR2, SIGHUP, SIGTERM, SIGCHLD, SIGWINCH, 0, 0, 0}; static int depth, handled; static char stack[65536] __attribute__((aligned(16)));
static int sig(void) { return pool[rnd(9)]; } static int shown(int s) { return s >= SIGRTMIN ? 100 + s - SIGRTMIN : s; }
static sigset_t some(void) { sigset_t m; sigemptyset(&m); for (int i = 0; i < 9; i++) if (rnd(3) == 0) sigaddset(&m, pool[i]); return m; }
static void print(const sigset_t *m) { for (int i = 0; i < 9; i++) putchar(sigismember(m, pool[i]) ? '1' : '.'); }
static void blocked(void) { sigset_t m; sigprocmask(SIG_BLOCK, NULL, &m); print(&m); putchar(' '); sigpending(&m); print(&m); puts(""); }
static void send(void) { int s = sig(), r; switch (rnd(4)) { case 0: r = raise(s); break; case 1: r = kill(getpid(), s); break; case 2: r = sigqueue(getpid(), s, (union sigval){.sival_int = rnd(1000)}); break; default: r = syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), s); } printf("sent %d %d\n", shown(s), r); }
static void on(int s, siginfo_t *i, void *u) { char c; depth++; handled++; printf("%*sgot %d code %d value %d on stack %d ", depth * 2, "", shown(s), i->si_code, i->si_code == SI_QUEUE ? i->si_value.sival_int : -1, &c >= stack && &c < stack + sizeof stack); blocked(); if (depth < 4 && rnd(3) == 0) send(); if (depth < 4 && rnd(4) == 0) { sigset_t m = some(); sigprocmask(rnd(3), &m, NULL); } depth--; }
static void simple(int s) { depth++; handled++; printf("%*sgot %d plainly ", depth * 2, "", shown(s)); blocked(); depth--; }
int main(int argc, char **argv) {
    state = (argc > 1 ? atoi(argv[1]) : 1) * 0x9e3779b97f4a7c15ULL + 1; for (int i = 0; i < 3; i++) pool[6 + i] = SIGRTMIN + i; struct sigaction a; for (int i = 0; i < 9; i++) { a = (struct sigaction){.sa_sigaction = on, .sa_flags = SA_SIGINFO}; sigaction(pool[i], &a, NULL); } sigset_t all; sigemptyset(&all); for (int i = 0; i < 9; i++) sigaddset(&all, pool[i]); int sf = signalfd(-1, &all, SFD_NONBLOCK); struct timespec zero = {0, 0};
    for (int step = 0; step < 200 && handled < 600; step++) {
        printf("%d ", step); sigset_t m = some(); siginfo_t i; int s = sig();
        switch (rnd(16)) {
        case 0: case 1: case 2: case 3: case 4: send(); break;
        case 5: case 6: { int how = rnd(3); printf("mask %d ", how); sigprocmask(how, &m, NULL); puts(""); break; }
        case 7: { static const int flags[] = {0, SA_NODEFER, SA_ONSTACK, SA_RESTART, SA_ONSTACK | SA_NODEFER}; a = (struct sigaction){.sa_sigaction = on, .sa_flags = SA_SIGINFO | flags[rnd(5)]}; a.sa_mask = some(); printf("action %d\n", sigaction(s, &a, NULL)); break; }
        case 8: a = (struct sigaction){.sa_handler = rnd(2) ? simple : SIG_IGN, .sa_flags = rnd(2) ? SA_NODEFER : 0}; a.sa_mask = some(); printf("action %d\n", sigaction(s, &a, NULL)); break;
        case 9: { errno = 0; int r = sigtimedwait(&m, &i, &zero); printf("wait %d %s code %d\n", r < 0 ? r : shown(r), r < 0 ? strerror(errno) : "", r < 0 ? 0 : i.si_code); break; }
        case 10: { struct signalfd_siginfo si[3]; long n = read(sf, si, sizeof si); printf("signalfd %ld", n < 0 ? n : n / (long)sizeof *si); for (int k = 0; k < n / (long)sizeof *si; k++) printf(" %d/%d", shown(si[k].ssi_signo), si[k].ssi_code); puts(""); break; }
        case 11: { stack_t t = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = rnd(3) ? 0 : SS_DISABLE}; printf("stack %d\n", sigaltstack(&t, NULL)); break; }
        case 12: { sigset_t p; sigpending(&p); int any = 0; sigset_t none; sigemptyset(&none); for (int k = 0; k < 9; k++) { struct sigaction o; sigaction(pool[k], NULL, &o); any |= sigismember(&p, pool[k]) && o.sa_handler != SIG_IGN; } if (any) { puts("suspend"); sigsuspend(&none); } else puts("nothing pending"); break; }
        case 13: signalfd(sf, &m, 0); puts("watch"); break;
        case 14: { sigset_t keep, p, ch; sigprocmask(SIG_BLOCK, &all, &keep); fflush(stdout); pid_t c = fork(); if (c == 0) { sigpending(&p); int pend = 0; for (int k = 0; k < 9; k++) pend |= sigismember(&p, pool[k]) << k; _exit(pend ? 255 : 7); } int st = 0x300; waitpid(c, &st, 0); sigemptyset(&ch); sigaddset(&ch, SIGCHLD); sigtimedwait(&ch, &i, &zero); sigprocmask(SIG_SETMASK, &keep, NULL); printf("child %d\n", WEXITSTATUS(st)); break; }
        case 15: blocked(); break;
        }
    }
    blocked(); sigset_t none; sigemptyset(&none); puts("end"); sigprocmask(SIG_SETMASK, &none, NULL); printf("%d handled\n", handled); return 0;
}
