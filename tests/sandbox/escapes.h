/* Rows: what a guest tries, and what it is to get. A row's function returns the result of its call, -errno if it failed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct row {
    const char *name;
    long (*act)(void);
    /* Results that are as they should be; unused ones are 0, so that success is always written as DONE. */
    long expected[4];
};

#define DONE 1000000
#define WRONG 2000000

/* The arguments: the directory of canaries, and more of what is outside. */
extern const char *canaries;
extern int outside_pid;
extern const char *outside_terminal;
extern int outside_port;
extern int outside_key;

extern const struct row file_rows[], stream_rows[], terminal_rows[], process_rows[], system_rows[], memory_rows[];

#define RESULT(call) ({ long r_ = (call); r_ < 0 ? -(long)errno : r_; })
#define CALL(...) RESULT(syscall(__VA_ARGS__))
#define STEP(call) ({ long r_ = (call); if (r_ < 0) return -(long)errno; r_; })

/* A path in the directory of canaries; good until four more are made. */
static inline const char *at(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", canaries, name);
    return path;
}

/* DONE if the file holds that text for us. */
static inline long holds(const char *path, const char *text)
{
    char buffer[4096] = "";
    int fd = open(path, O_RDONLY);
    if (fd < 0) return -errno;
    long n = read(fd, buffer, sizeof buffer - 1);
    close(fd);
    return n == (long)strlen(text) && memcmp(buffer, text, n) == 0 ? DONE : WRONG;
}
