// Pipes, poll, select, epoll, eventfd, non-blocking reads and writes in one process.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>
static char block[70000];
int main(void) {
    int p[2], n; char buffer[100]; fd_set in, out; struct timeval none = {0, 0}, little = {0, 20000};
    printf("%d\n", pipe(p)); struct pollfd polls[3] = {{p[0], POLLIN, 0}, {p[1], POLLOUT, 0}, {99, POLLIN, 0}};
    n = poll(polls, 3, 0); printf("%d %x %x %x\n", n, polls[0].revents, polls[1].revents, polls[2].revents);
    write(p[1], "hello", 5); ioctl(p[0], FIONREAD, &n); printf("%d waiting\n", n);
    FD_ZERO(&in); FD_ZERO(&out); FD_SET(p[0], &in); FD_SET(p[1], &out); n = select(p[1] + 1, &in, &out, NULL, &none); printf("%d %d %d\n", n, FD_ISSET(p[0], &in), FD_ISSET(p[1], &out));
    printf("%zd %.3s ", read(p[0], buffer, 3), buffer); printf("%zd\n", read(p[0], buffer, 99)); FD_ZERO(&in); FD_SET(p[0], &in); n = select(p[0] + 1, &in, NULL, NULL, &little); printf("timeout %d\n", n);
    fcntl(p[0], F_SETFL, O_NONBLOCK); fcntl(p[1], F_SETFL, O_NONBLOCK); n = (int)read(p[0], buffer, 1); printf("%d %d\n", n, errno == EAGAIN);
    long total = 0; while ((n = (int)write(p[1], block, sizeof block)) > 0) total += n; printf("full at %ld %d size %d\n", total, errno == EAGAIN, fcntl(p[1], F_GETPIPE_SZ));
    n = poll(polls, 2, 0); printf("%d %x %x\n", n, polls[0].revents, polls[1].revents); while ((n = (int)read(p[0], block, sizeof block)) > 0) total -= n; printf("left %ld\n", total);
    close(p[1]); printf("eof %zd", read(p[0], buffer, 1)); n = poll(polls, 1, 0); printf(" %d %x\n", n, polls[0].revents); close(p[0]);
    signal(SIGPIPE, SIG_IGN); pipe(p); close(p[0]); n = (int)write(p[1], "x", 1); printf("%d %d", n, errno == EPIPE); polls[1].fd = p[1]; n = poll(polls + 1, 1, 0); printf(" %d %x\n", n, polls[1].revents);
    int e = eventfd(3, EFD_NONBLOCK), epoll = epoll_create1(0); uint64_t value; struct epoll_event event = {EPOLLIN, {.u32 = 5}}, got[4];
    printf("%d", epoll_ctl(epoll, EPOLL_CTL_ADD, e, &event)); printf(" %d", epoll_ctl(epoll, EPOLL_CTL_ADD, e, &event)); printf(" %d\n", errno == EEXIST); n = epoll_wait(epoll, got, 4, 0); printf("%d %x %d\n", n, got[0].events, got[0].data.u32);
    read(e, &value, 8); printf("%d", (int)value); printf(" %zd %d", read(e, &value, 8), errno == EAGAIN); value = 9; write(e, &value, 8); write(e, &value, 8); read(e, &value, 8); printf(" %d %d\n", (int)value, epoll_wait(epoll, got, 4, 10));
    int s[2]; printf("%d", socketpair(AF_UNIX, SOCK_STREAM, 0, s)); write(s[0], "over", 4); write(s[1], "back", 4); printf(" %zd %.4s", read(s[1], buffer, 99), buffer); printf(" %zd %.4s\n", read(s[0], buffer, 99), buffer);
    pipe2(p, O_CLOEXEC); printf("%d %d\n", fcntl(p[0], F_GETFD), (int)lseek(p[0], 0, SEEK_CUR)); printf("%d\n", errno == ESPIPE); pipe(s); write(p[1], "spliced", 7); printf("%zd\n", splice(p[0], NULL, s[1], NULL, 7, 0)); printf("%zd %.7s\n", read(s[0], buffer, 99), buffer);
    return 0;
}
