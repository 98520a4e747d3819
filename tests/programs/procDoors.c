// Every way to /proc/self/mem leads to the program's own memory, and none elsewhere. With arguments: numbers of processes that must not be there.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char mark[64] = "the guest's own memory";
static const char fixed[] = "cannot be written";

static void tell(const char *door, int fd) {
    char seen[64] = {0};
    if (fd < 0) { printf("%-28s %s\n", door, strerror(errno)); return; }
    ssize_t n = pread(fd, seen, sizeof seen, (off_t)mark);
    printf("%-28s %s\n", door, n == sizeof seen && !memcmp(seen, mark, sizeof seen) ? "own" : n < 0 ? strerror(errno) : "ANOTHER'S");
    close(fd);
}

static int at(const char *directory, const char *path) {
    int base = open(directory, O_RDONLY | O_DIRECTORY), fd;
    if (base < 0) return -1;
    fd = openat(base, path, O_RDONLY);
    int error = errno;
    close(base);
    errno = error;
    return fd;
}

static int from(const char *directory, const char *path) {
    int old = open(".", O_PATH), fd = chdir(directory) < 0 ? -1 : open(path, O_RDONLY), error = errno;
    if (fchdir(old) < 0) perror("fchdir");
    close(old);
    errno = error;
    return fd;
}

static void doors(void) {
    char path[200], self[40], other[200];
    snprintf(self, sizeof self, "/proc/%d", getpid());
    tell("mem", open("/proc/self/mem", O_RDONLY));
    tell("slashes", open("//proc/./self//mem", O_RDONLY));
    tell("thread-self", open("/proc/thread-self/mem", O_RDONLY));
    snprintf(path, sizeof path, "%s/mem", self); tell("number", open(path, O_RDONLY));
    snprintf(path, sizeof path, "%s/task/%d/mem", self, getpid()); tell("task", open(path, O_RDONLY));
    tell("root", open("/proc/self/root/proc/self/mem", O_RDONLY));
    tell("root twice", open("/proc/self/root/../proc/self/task/../root/proc/thread-self/mem", O_RDONLY));
    tell("dots", open("/proc/self/../self/mem", O_RDONLY));
    tell("net", open("/proc/net/../mem", O_RDONLY));
    tell("self/net", open("/proc/self/net/../mem", O_RDONLY));
    tell("mounts", open("/proc/self/fd/../fdinfo/../mem", O_RDONLY));
    tell("etc", open("/etc/../proc/self/mem", O_RDONLY));
    tell("dev/fd", open("/dev/fd/../mem", O_RDONLY));
    tell("outside root", access("/proc/1/root", X_OK) ? -1 : open("/proc/1/root/proc/self/mem", O_RDONLY));
    tell("at /", at("/", "proc/self/mem"));
    tell("at /proc", at("/proc", "self/mem"));
    tell("at /proc/self", at("/proc/self", "mem"));
    tell("at task", at("/proc/self/task", "../mem"));
    tell("at /proc/net", at("/proc/net", "../mem"));
    tell("from /proc", from("/proc", "self/mem"));
    tell("from /proc/self", from("/proc/self", "mem"));
    tell("from number", from(self, "mem"));
    tell("from fd", from("/proc/self/fd", "../mem"));
    tell("from /", from("/", "proc/self/mem"));
    symlink("/proc/self/mem", "link"); tell("link", open("link", O_RDONLY));
    symlink("link", "linklink"); tell("link to link", open("linklink", O_RDONLY));
    symlink("/proc/self", "dir"); tell("link on the way", open("dir/mem", O_RDONLY)); tell("link as a directory", at("dir", "mem")); tell("from a link", from("dir", "mem")); symlink("/etc", "etc"); printf("host's link as a directory %d\n", at("etc", "passwd") >= 0); unlink("etc");
    symlink("/proc", "proc"); tell("link to proc", open("proc/self/mem", O_RDONLY));
    snprintf(other, sizeof other, "%s/mem", self); symlink(other, "number"); tell("link to number", open("number", O_RDONLY));
    symlink("dir/..", "up"); tell("link and up", open("up/self/mem", O_RDONLY));
    mkdir("d", 0700); tell("no such file", open("d/mem", O_RDONLY)); rmdir("d");
    symlink("/proc/self", "d"); tell("was a directory", open("d/mem", O_RDONLY)); unlink("d");
    mkdir("d", 0700); tell("no such file", open("d/mem", O_RDONLY)); rename("d", "e"); rename("dir", "d"); tell("was moved", open("d/mem", O_RDONLY)); rename("d", "dir"); rmdir("e");
    int fd = open("/proc/self/mem", O_RDONLY), path_fd = open("/proc/self/mem", O_PATH), dir_fd = open("/proc/self", O_PATH | O_DIRECTORY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd); tell("descriptor", open(path, O_RDONLY));
    snprintf(path, sizeof path, "/dev/fd/%d", path_fd); tell("path descriptor", open(path, O_RDONLY));
    snprintf(path, sizeof path, "/proc/self/fd/%d/mem", dir_fd); tell("below a descriptor", open(path, O_RDONLY));
    snprintf(path, sizeof path, "/proc/self/fd/%d/../self/mem", dir_fd); tell("beside a descriptor", open(path, O_RDONLY));
    tell("at a path descriptor", openat(dir_fd, "mem", O_RDONLY));
    printf("read by O_PATH: %zd", read(path_fd, path, 1)); printf(" %s\n", strerror(errno));
    close(fd); close(path_fd); close(dir_fd);
    struct stat one, two; char target[200] = {0};
    printf("stat %d\n", stat("dir/mem", &one) || stat("/proc/self/mem", &two) || one.st_mode != two.st_mode || (one.st_mode & 0777) != 0600);
    printf("access %d\n", access("dir/exe", F_OK));
    ssize_t n = readlink("dir/exe", target, sizeof target - 1); char again[200] = {0}; n = readlink("/proc/self/exe", again, sizeof again - 1); printf("exe %d\n", n < 0 || strcmp(target, again));
    for (const char **name = (const char *[]){"link", "linklink", "dir", "proc", "number", "up", NULL}; *name; name++) unlink(*name);
}

static void writes(void) {
    int fd = open("/proc/self/mem", O_RDWR);
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *shared = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0), text[16] = {0};
    munmap(page + 4096, 4096);
    printf("write %zd %s\n", pwrite(fd, "THE", 3, (off_t)mark), mark);
    printf("write to constants %zd %s\n", pwrite(fd, "CAN", 3, (off_t)fixed), *(const char *volatile *)&(const char *){fixed});
    printf("write to code %zd\n", pwrite(fd, (void *)writes, 4, (off_t)writes));
    strcpy(page + 4090, "abcde");
    printf("over the end %zd", pread(fd, text, 10, (off_t)page + 4090)); printf(" %s\n", text);
    printf("unmapped %zd", pread(fd, text, 10, (off_t)page + 4096)); printf(" %s\n", strerror(errno));
    printf("null %zd", pread(fd, text, 1, 0)); printf(" %s\n", strerror(errno));
    printf("write unmapped %zd", pwrite(fd, text, 1, (off_t)page + 4096)); printf(" %s\n", strerror(errno));
    printf("write over the end %zd\n", pwrite(fd, "0123456789", 10, (off_t)page + 4090));
    printf("none %zd\n", pread(fd, text, 4, (off_t)none));
    printf("shared %zd", pwrite(fd, "x", 1, (off_t)shared)); printf(" %s\n", strerror(errno));
    printf("seek %d", lseek(fd, (off_t)mark, SEEK_SET) == (off_t)mark); printf(" %zd", read(fd, text, 3)); printf(" %.3s %d\n", text, lseek(fd, 0, SEEK_CUR) == (off_t)mark + 3);
    printf("end %ld", (long)lseek(fd, 0, SEEK_END)); printf(" %s\n", strerror(errno));
    printf("map %s\n", mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? strerror(errno) : "done");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { strcpy(mark, "the child's"); pause(); _exit(0); }
    char path[64], seen[64] = {0}; snprintf(path, sizeof path, "/proc/%d/mem", child);
    int other = open(path, O_RDWR);
    do pread(other, seen, sizeof seen, (off_t)mark); while (strcmp(seen, "the child's"));
    printf("child %s, parent %s\n", seen, mark);
    printf("child's %zd\n", pwrite(other, "THE", 3, (off_t)mark)); pread(other, seen, sizeof seen, (off_t)mark); printf("child %s, parent %s\n", seen, mark);
    kill(child, SIGKILL); waitpid(child, NULL, 0);
    printf("ended %zd\n", pread(other, seen, 1, (off_t)mark)); printf("gone %s\n", open(path, O_RDONLY) < 0 ? strerror(errno) : "open");
    close(fd); close(other);
}

static void absent(int count, char **numbers) {
    static const char *const names[] = {"", "/mem", "/maps", "/status", "/exe", "/fd", "/environ", "/task", "/root/etc", "/cwd"};
    int found = 0, listed = 0; char path[100];
    for (int i = 0; i < count; i++) {
        for (unsigned j = 0; j < sizeof names / sizeof *names; j++) {
            struct stat stat_of; char target[100];
            snprintf(path, sizeof path, "/proc/%s%s", numbers[i], names[j]);
            if (open(path, O_RDONLY) >= 0 || stat(path, &stat_of) == 0 || readlink(path, target, 100) >= 0 || chdir(path) == 0 || access(path, F_OK) == 0) printf("found %s\n", path), found++;
            symlink(path, "way"); if (open("way", O_RDONLY) >= 0) printf("found a way to %s\n", path), found++; unlink("way");
        }
        snprintf(path, sizeof path, "/proc/self/root/proc/%s/mem", numbers[i]); found += open(path, O_RDONLY) >= 0;
        int pid = atoi(numbers[i]); errno = 0; if (kill(pid, 0) == 0 || errno != ESRCH) printf("kill %d\n", pid), found++;
    }
    DIR *d = opendir("/proc"); struct dirent *e; while ((e = readdir(d))) for (int i = 0; i < count; i++) listed += !strcmp(e->d_name, numbers[i]);
    closedir(d);
    printf("%d numbers: %d found, %d listed\n", count, found, listed);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc > 1) { absent(argc - 1, argv + 1); return 0; }
    char numbers[4096] = {0}; (void)numbers;
    doors();
    writes();
    return 0;
}
