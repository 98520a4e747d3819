// Random reads, writes and readiness of non-blocking pipes, socket pairs and event counters; the argument is the seed.
#include "check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
static uint64_t state; static unsigned rnd(unsigned n) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return (state >> 20) % n; }
static int fds[16]; static void put(const char *what, int i, long r) { if (r < 0) printf("%s %d: %s\n", what, i, strerror(errno)); else printf("%s %d = %ld\n", what, i, r); }
// What makes an edge of a socket depends on how its memory is counted.
static unsigned edge(int fd) { struct stat s; return fstat(fd, &s) == 0 && S_ISSOCK(s.st_mode) ? 0 : EPOLLET; }
int main(int argc, char **argv) {
    state = (argc > 1 ? atoi(argv[1]) : 1) * 0x9e3779b97f4a7c15ULL + 1; signal(SIGPIPE, SIG_IGN); for (int i = 0; i < 16; i++) fds[i] = -1; int ep = epoll_create1(0); static char b[200000]; for (int i = 0; i < 200000; i++) b[i] = i * 7;
    for (int step = 0; step < 400; step++) {
        int i = rnd(16), *f = &fds[i]; printf("%d ", step);
        switch (rnd(24)) {
        case 0: case 1: { int j = i & ~1; close(fds[j]); close(fds[j + 1]); pipe2(fds + j, O_NONBLOCK | (rnd(5) ? 0 : O_DIRECT)); SAY("pipe %d", j); break; }
        case 2: { int j = i & ~1; close(fds[j]); close(fds[j + 1]); static const int t[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}; int k = rnd(3); socketpair(AF_UNIX, t[k] | SOCK_NONBLOCK, 0, fds + j); SAY("socketpair %d %d", j, k); break; }
        case 3: close(*f); *f = eventfd(rnd(4), EFD_NONBLOCK | (rnd(2) ? EFD_SEMAPHORE : 0)); SAY("eventfd %d", i); break;
        case 4: put("close", i, close(*f)); *f = -1; break;
        case 5: case 6: case 7: case 8: { long n = rnd(3) ? rnd(9000) : rnd(100000), r = read(*f, b, n); put("read", i, r); if (r > 0) { unsigned h = 0; for (long k = 0; k < r; k++) h = h * 31 + (unsigned char)b[k]; SAY("  %u", h); for (long k = 0; k < r; k++) b[k] = k * 7; } break; }
        case 9: case 10: case 11: case 12: { long n = rnd(3) ? rnd(9000) : rnd(100000); uint64_t v = rnd(5); struct stat s; int ev = fstat(*f, &s) == 0 && !S_ISFIFO(s.st_mode) && !S_ISSOCK(s.st_mode); long r = ev ? write(*f, &v, 8) : write(*f, b + rnd(1000), n); if (S_ISSOCK(s.st_mode) && r > 0 && r < n) r = 0; put("write", i, r); break; }
        case 13: case 14: { struct pollfd p[16]; for (int k = 0; k < 16; k++) p[k] = (struct pollfd){fds[k], POLLIN | POLLOUT | POLLRDHUP}; int n = poll(p, 16, 0); printf("poll %d:", n); for (int k = 0; k < 16; k++) printf(" %x", p[k].revents & 0xffff); puts(""); break; }
        case 15: { struct epoll_event e = {EPOLLIN | EPOLLOUT | (rnd(2) ? edge(*f) : 0) | (rnd(4) ? 0 : EPOLLONESHOT), {.u64 = i}}; printf("%x ", e.events); put("add", i, epoll_ctl(ep, EPOLL_CTL_ADD, *f, &e)); break; }
        case 16: { struct epoll_event e = {(rnd(2) ? EPOLLIN : EPOLLOUT) | (rnd(2) ? edge(*f) : 0), {.u64 = i}}; printf("%x ", e.events); put("mod", i, epoll_ctl(ep, EPOLL_CTL_MOD, *f, &e)); break; }
        case 17: case 18: { struct epoll_event e[32]; int n = epoll_wait(ep, e, 32, 0); unsigned ev[16] = {0}; for (int k = 0; k < n; k++) ev[e[k].data.u64 & 15] |= e[k].events; printf("epoll %d:", n); for (int k = 0; k < 16; k++) printf(" %x", ev[k]); puts(""); break; }
        case 19: put("del", i, epoll_ctl(ep, EPOLL_CTL_DEL, *f, NULL)); break;
        case 20: { int n = -1; long r = ioctl(*f, FIONREAD, &n); put("fionread", i, r < 0 ? r : n); break; }
        case 21: put("shutdown", i, shutdown(*f, rnd(3))); break;
        case 22: { long r = recv(*f, b, rnd(3000), MSG_PEEK); put("peek", i, r); for (long k = 0; k < r; k++) b[k] = k * 7; break; }
        case 23: { int j = rnd(16); if (j != i) { close(fds[j]); fds[j] = dup(*f); printf("%d to ", i); put("dup", j, fds[j] >= 0 ? 0 : -1); } break; }
        }
    }
    return 0;
}
