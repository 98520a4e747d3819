// What a program may do that root has started and that has become another user. Arguments: a process of root's and one of that user's, a file
// and a socket that only root may use, a program that only root may execute, where to make a fifo.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER 65534
static void tell(const char *what, long result) { printf("  %s: %s\n", what, result < 0 ? strerror(errno) : "done"); }
static int reach(const char *path) {
    struct sockaddr_un address = {AF_UNIX}; strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), result = connect(fd, (void *)&address, sizeof address), error = errno; close(fd); errno = error; return result;
}
static void tryAll(const char *who, char **argv) {
    printf("%s\n", who);
    tell("root's", kill(atoi(argv[1]), 0)); tell("the other's", kill(atoi(argv[2]), 0)); tell("init", kill(1, 0)); tell("nobody's", kill(4194000, 0));
    int fd = open(argv[3], O_RDONLY); tell("open", fd); if (fd >= 0) close(fd);
    tell("connect", reach(argv[4]));
    tell("access", access(argv[3], R_OK)); tell("effective access", faccessat(AT_FDCWD, argv[3], R_OK, AT_EACCESS));
    pid_t runner = fork(); if (runner == 0) { execl(argv[5], argv[5], "-c", "exit 0", NULL); tell("execute", -1); _exit(1); } int status; waitpid(runner, &status, 0); printf("  ran %x\n", status);
    int fifo = open(argv[6], O_RDONLY | O_NONBLOCK); tell("fifo", fifo); if (fifo >= 0) close(fifo);
    int watch = inotify_init1(0); tell("watch", inotify_add_watch(watch, argv[3], IN_MODIFY)); close(watch);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 7) return 2;
    mkfifo(argv[6], 0600);
    int ready[2], sentence[2]; pipe(ready); pipe(sentence);
    pid_t child = fork();
    if (child == 0) { close(sentence[1]); char byte; read(sentence[0], &byte, 1); _exit(0); }
    tryAll("root", argv);
    if (seteuid(OTHER)) puts("cannot become another user"); else { tryAll("effective", argv); seteuid(0); }
    if (setfsuid(OTHER) == 0) { tryAll("files only", argv); setfsuid(0); }
    setgid(OTHER);
    if (setresuid(OTHER, OTHER, 0) == 0) tryAll("saved is root", argv);
    setuid(0); setuid(OTHER); setresuid(OTHER, OTHER, OTHER);
    tryAll("altogether", argv);
    tell("end root's", kill(atoi(argv[1]), SIGTERM)); tell("stop root's", kill(atoi(argv[1]), SIGSTOP)); tell("end the other's", kill(atoi(argv[2]), SIGTERM));
    tell("root's child", kill(child, SIGTERM)); tell("thread", syscall(SYS_tgkill, child, child, SIGTERM)); union sigval value = {0}; tell("queue", sigqueue(child, SIGTERM, value));
    tell("nice", setpriority(PRIO_PROCESS, child, 5)); struct sched_param param = {0}; tell("policy", sched_setscheduler(child, SCHED_BATCH, &param));
    cpu_set_t set; CPU_ZERO(&set); CPU_SET(0, &set); tell("affinity", sched_setaffinity(child, sizeof set, &set));
    char path[64], text[8]; snprintf(path, sizeof path, "/proc/%d/mem", child); tell("memory", open(path, O_RDONLY)); snprintf(path, sizeof path, "/proc/%d/maps", child); int maps = open(path, O_RDONLY); tell("maps", maps < 0 ? maps : read(maps, text, 1)); snprintf(path, sizeof path, "/proc/%d/fd", child); tell("files", open(path, O_RDONLY));
    int fds[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, fds); fcntl(fds[0], F_SETOWN, child); fcntl(fds[0], F_SETSIG, SIGTERM); fcntl(fds[0], F_SETFL, O_ASYNC); write(fds[1], "x", 1);
    int status; close(sentence[1]); waitpid(child, &status, 0); printf("child %x\n", status);
    return 0;
}
