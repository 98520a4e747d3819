// execve of itself with another environment and of a script; what an exec keeps and what it drops.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int stage = argc > 1 ? atoi(argv[1]) : 0; struct sigaction action; sigset_t mask;
    sigaction(SIGUSR1, NULL, &action); sigprocmask(SIG_BLOCK, NULL, &mask); int ignored = action.sa_handler == SIG_IGN; sigaction(SIGUSR2, NULL, &action);
    printf("stage %d argc %d VAR %s kept %d closed %d ignored %d default %d blocked %d alarm %d\n", stage, argc, getenv("VAR") ? getenv("VAR") : "unset", fcntl(50, F_GETFD), fcntl(51, F_GETFD), ignored, action.sa_handler == SIG_DFL, sigismember(&mask, SIGHUP), alarm(0) > 0); fflush(stdout);
    if (stage == 0) {
        int fd = open("/dev/null", O_RDONLY); dup2(fd, 50); dup3(fd, 51, O_CLOEXEC); close(fd);
        signal(SIGUSR1, SIG_IGN); signal(SIGUSR2, (void (*)(int))main); sigemptyset(&mask); sigaddset(&mask, SIGHUP); sigprocmask(SIG_BLOCK, &mask, NULL); alarm(1000);
        execl("/nowhere", "x", NULL); printf("%d\n", errno == ENOENT); execl("/", "x", NULL); printf("%d\n", errno == EACCES); FILE *f = fopen("text", "w"); fputs("no program\n", f); fchmod(fileno(f), 0755); fclose(f); execl("./text", "x", NULL); printf("%d\n", errno == ENOEXEC); fflush(stdout);
        char *args[] = {argv[0], "1", NULL}, *env[] = {"VAR=first", NULL}; execve("/proc/self/exe", args, env); return 1;
    }
    if (stage == 1) { char path[4096] = {0}; readlink("/proc/self/exe", path, sizeof path - 1); FILE *f = fopen("script", "w"); fprintf(f, "#!%s 2\n", path); fchmod(fileno(f), 0755); fclose(f); setenv("VAR", "second", 1); execl("./script", "name", "argument", NULL); perror("execl"); return 1; }
    for (int i = 2; i < argc; i++) puts(argv[i]);
    if (stage == 2) { setenv("PATH", "/nowhere:/bin:/usr/bin", 1); execlp("echo", "echo", "the", "end", NULL); }
    return 5;
}
