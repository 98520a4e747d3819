// What all of these programs need: calls that print themselves with their result, or the error.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The call as it is written, with its result.
#define CALL(call) ({ errno = 0; long r_ = (long)(call); int e_ = errno; \
    if (r_ == -1) printf("%s: %s\n", #call, strerror(e_)); else printf("%s = %ld\n", #call, r_); errno = e_; r_; })
// For results that differ from run to run (addresses, process ids): only whether it worked.
#define WORKS(call) ({ errno = 0; long r_ = (long)(call); int e_ = errno; \
    printf("%s: %s\n", #call, r_ == -1 ? strerror(e_) : "ok"); errno = e_; r_; })
#define SHOW(value) printf("%s: %ld\n", #value, (long)(value))
#define TEXT(value) printf("%s: %s\n", #value, (value))
#define SAY(...) (printf(__VA_ARGS__), putchar('\n'))
#define BAD ((void *)8)

static void put_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (write(fd, text, strlen(text)) < 0) perror(path);
    close(fd);
}

__attribute__((constructor)) static void by_lines(void) { setvbuf(stdout, NULL, _IOLBF, 4096); }
