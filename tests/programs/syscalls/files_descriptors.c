// dup, dup2, dup3, fcntl, close_range, and the limit of open files.
#include "check.h"
#include <sys/ioctl.h>
#include <sys/resource.h>
int main(void) {
    put_file("file", "0123456789"); int fd = open("file", O_RDWR); SHOW(fd);
    CALL(dup(fd)); CALL(dup(99)); CALL(dup2(fd, 10)); CALL(dup2(fd, fd)); CALL(dup2(99, 99)); CALL(dup2(fd, -1)); CALL(dup2(fd, 1 << 20)); CALL(dup3(fd, fd, 0)); CALL(dup3(fd, 11, O_CLOEXEC)); CALL(fcntl(11, F_GETFD)); CALL(fcntl(10, F_GETFD)); CALL(dup3(fd, 12, O_APPEND)); CALL(dup3(99, 12, 0));
    CALL(fcntl(fd, F_DUPFD, 5)); CALL(fcntl(fd, F_DUPFD, 10)); CALL(fcntl(fd, F_DUPFD_CLOEXEC, 20)); CALL(fcntl(20, F_GETFD)); CALL(fcntl(fd, F_DUPFD, -1)); CALL(fcntl(fd, F_DUPFD, 1 << 22)); CALL(fcntl(99, F_GETFD)); CALL(fcntl(fd, 9999, 0)); CALL(fcntl(fd, F_SETFD, FD_CLOEXEC)); CALL(fcntl(fd, F_GETFD)); CALL(fcntl(10, F_GETFD)); CALL(fcntl(fd, F_SETFD, 0)); CALL(fcntl(fd, F_SETFD, 6)); CALL(fcntl(fd, F_GETFD));
    CALL(ioctl(fd, FIOCLEX)); CALL(fcntl(fd, F_GETFD)); CALL(ioctl(fd, FIONCLEX)); CALL(fcntl(fd, F_GETFD)); int on = 1; CALL(ioctl(fd, FIONBIO, &on)); CALL(fcntl(10, F_GETFL) & O_NONBLOCK ? 1 : 0); CALL(fcntl(fd, F_SETFL, O_RDONLY | O_APPEND | O_CREAT)); SAY("%o", fcntl(10, F_GETFL) & ~O_LARGEFILE); CALL(fcntl(fd, F_SETFL, 0)); CALL(fcntl(fd, F_SETFL, O_DIRECT)); CALL(fcntl(fd, F_SETFL, 0));
    CALL(fcntl(fd, F_SETOWN, getpid())); SHOW(fcntl(fd, F_GETOWN) == getpid()); CALL(fcntl(fd, F_SETSIG, SIGUSR1)); CALL(fcntl(fd, F_GETSIG)); CALL(fcntl(fd, F_SETSIG, 99)); struct f_owner_ex ex = {F_OWNER_PID, 0}; CALL(fcntl(fd, F_GETOWN_EX, &ex)); SHOW(ex.pid == getpid()); CALL(fcntl(fd, F_GETPIPE_SZ));
    CALL(lseek(fd, 4, SEEK_SET)); CALL(lseek(10, 0, SEEK_CUR)); CALL(close(10)); CALL(close(10)); CALL(lseek(fd, 0, SEEK_CUR));
    for (int i = 30; i < 36; i++) dup2(fd, i); CALL(close_range(31, 32, 0)); CALL(fcntl(31, F_GETFD)); CALL(fcntl(33, F_GETFD)); CALL(close_range(33, 34, CLOSE_RANGE_CLOEXEC)); CALL(fcntl(34, F_GETFD)); CALL(fcntl(35, F_GETFD)); CALL(close_range(5, 4, 0)); CALL(close_range(30, ~0U, 0)); CALL(fcntl(35, F_GETFD)); CALL(close_range(3, 4, 0x80));
    struct rlimit limit; getrlimit(RLIMIT_NOFILE, &limit); limit.rlim_cur = 8; CALL(setrlimit(RLIMIT_NOFILE, &limit)); CALL(dup(fd)); CALL(dup(fd)); CALL(open("file", O_RDONLY)); CALL(open("file", O_RDONLY)); int p[2]; CALL(pipe(p)); CALL(close(7)); CALL(pipe(p)); CALL(dup2(fd, 8)); CALL(dup2(fd, 7)); CALL(fcntl(fd, F_DUPFD, 8)); CALL(lseek(20, 0, SEEK_CUR)); CALL(open("none", O_RDONLY));
    CALL(isatty(fd)); CALL(isatty(99)); char c; CALL(ioctl(fd, TIOCGWINSZ, &c)); CALL(ioctl(fd, 0x12345, 0)); CALL(ioctl(99, FIONREAD, 0)); int size; CALL(ioctl(fd, _IO(0, 2), &size)); SHOW(size);
    return 0;
}
