// lseek: all origins, holes, ends; shared and private offsets.
#include "check.h"
#include <sys/ioctl.h>
int main(void) {
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644); CALL(write(fd, "0123456789", 10));
    CALL(lseek(fd, 0, SEEK_CUR)); CALL(lseek(fd, 3, SEEK_SET)); CALL(lseek(fd, 4, SEEK_CUR)); CALL(lseek(fd, -8, SEEK_CUR)); CALL(lseek(fd, 0, SEEK_CUR)); CALL(lseek(fd, -2, SEEK_END)); CALL(lseek(fd, 100, SEEK_END));
    CALL(lseek(fd, -1, SEEK_SET)); CALL(lseek(fd, -100, SEEK_END)); CALL(lseek(fd, 0, 99)); CALL(lseek(fd, 0, -1)); CALL(lseek(99, 0, SEEK_SET)); CALL(lseek(fd, LONG_MAX, SEEK_SET)); CALL(lseek(fd, 1L << 45, SEEK_SET));
    CALL(lseek(fd, 50, SEEK_SET)); char c; CALL(read(fd, &c, 1)); CALL(write(fd, "x", 1)); CALL(lseek(fd, 0, SEEK_END)); CALL(pread(fd, &c, 1, 30)); SHOW(c);
    CALL(lseek(fd, 0, SEEK_DATA)); CALL(lseek(fd, 51, SEEK_DATA)); CALL(lseek(fd, 0, SEEK_HOLE)); CALL(lseek(fd, 51, SEEK_HOLE)); CALL(lseek(fd, -1, SEEK_DATA)); CALL(lseek(fd, 1000, SEEK_HOLE));
    int copy = dup(fd), other = open("file", O_RDONLY); lseek(fd, 5, SEEK_SET); CALL(lseek(copy, 0, SEEK_CUR)); CALL(lseek(other, 0, SEEK_CUR)); CALL(read(copy, &c, 1)); CALL(lseek(fd, 0, SEEK_CUR));
    if (fork() == 0) { lseek(fd, 7, SEEK_SET); _exit(0); } wait(NULL); CALL(lseek(fd, 0, SEEK_CUR));
    int p[2]; pipe(p); CALL(lseek(p[0], 0, SEEK_SET)); CALL(lseek(open("/dev/null", O_RDWR), 10, SEEK_SET)); CALL(lseek(open("/dev/zero", O_RDWR), 10, SEEK_SET)); int dir = open(".", O_RDONLY); CALL(lseek(dir, 0, SEEK_SET)); CALL(lseek(dir, -1, SEEK_SET));
    int n; CALL(lseek(fd, 40, SEEK_SET)); CALL(ioctl(fd, FIONREAD, &n)); SHOW(n); CALL(lseek(fd, 200, SEEK_SET)); CALL(ioctl(fd, FIONREAD, &n)); SHOW(n); write(p[1], "abc", 3); CALL(ioctl(p[0], FIONREAD, &n)); SHOW(n);
    int append = open("file", O_WRONLY | O_APPEND); CALL(lseek(append, 0, SEEK_CUR)); CALL(write(append, "yz", 2)); CALL(lseek(append, 0, SEEK_CUR)); CALL(lseek(append, 0, SEEK_SET)); CALL(write(append, "!", 1)); CALL(lseek(append, 0, SEEK_CUR)); CALL(pwrite(append, "?", 1, 0)); CALL(lseek(append, 0, SEEK_END)); CALL(pread(fd, &c, 1, 0)); SHOW(c); CALL(fcntl(append, F_SETFL, 0)); CALL(pwrite(append, "#", 1, 0)); CALL(pread(fd, &c, 1, 0)); SHOW(c);
    return 0;
}
