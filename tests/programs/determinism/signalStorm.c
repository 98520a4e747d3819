// Processes send each other signals while they compute: how far everybody was at each.
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long work; static long *log_; static volatile int n; static void on(int s) { if (n < 60) log_[n] = work; n++; }
int main(void) {
    long *all = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); pid_t p[3]; struct sigaction a = {.sa_handler = on}; sigset_t m, o; sigemptyset(&m); sigaddset(&m, SIGUSR1); sigprocmask(SIG_BLOCK, &m, &o); for (int i = 0; i < 3; i++) if ((p[i] = fork()) == 0) { log_ = all + i * 64; sigaction(SIGUSR1, &a, NULL); sigprocmask(SIG_SETMASK, &o, NULL); for (; n < 20; work++); log_[60] = n; log_[61] = work; _exit(0); }
    for (int k = 0; k < 40; k++) for (int i = 0; i < 3; i++) { kill(p[i], SIGUSR1); for (volatile int w = 0; w < 3000 + i * 700; w++); } for (int i = 0; i < 3; i++) { kill(p[i], SIGUSR1); int st; while (waitpid(p[i], &st, WNOHANG) == 0) { kill(p[i], SIGUSR1); usleep(100); } } for (int i = 0; i < 3; i++) { printf("%ld signals, %ld steps:", all[i * 64 + 60], all[i * 64 + 61]); for (int k = 0; k < 20; k++) printf(" %ld", all[i * 64 + k]); puts(""); } return 0;
}
