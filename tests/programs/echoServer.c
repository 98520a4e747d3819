// An echo server with epoll in one process, clients in others; Unix and TCP; half close, many messages, a slow reader.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
enum { CLIENTS = 8, ROUNDS = 20, BIG = 3000000 };
static struct { char *bytes; size_t start, end; int open; } connections[1000];
static int client(struct sockaddr *a, socklen_t n, int id) {
    int s = socket(a->sa_family, SOCK_STREAM, 0); if (connect(s, a, n) < 0) { perror("connect"); return 1; }
    char out[1000], in[1000]; int length;
    for (int i = 0; i < ROUNDS; i++) { length = 1 + (id * 37 + i * 101) % 999; memset(out, 'a' + (id + i) % 26, length); if (write(s, out, length) != length) return 2; int got = 0; while (got < length) { int k = read(s, in + got, length - got); if (k <= 0) return 3; got += k; } if (memcmp(in, out, length)) return 4; }
    if (id == 0) { char *big = malloc(BIG), *back = malloc(BIG); for (int i = 0; i < BIG; i++) big[i] = i * 7 + (i >> 12); pid_t writer = fork(); if (writer == 0) { for (long sent = 0; sent < BIG;) { long k = write(s, big + sent, BIG - sent); if (k <= 0) _exit(5); sent += k; } shutdown(s, SHUT_WR); _exit(0); } long got = 0, k; while ((k = read(s, back + got, BIG - got)) > 0) got += k; int status; waitpid(writer, &status, 0); return got == BIG && !memcmp(big, back, BIG) && status == 0 ? 0 : 6; }
    shutdown(s, SHUT_WR); return read(s, in, 1) == 0 ? 0 : 7;
}
static void watch(int poller, int op, int fd, unsigned events) { struct epoll_event e = {events, {.fd = fd}}; epoll_ctl(poller, op, fd, &e); }
static void serve(int l) {
    int poller = epoll_create1(EPOLL_CLOEXEC), served = 0; long bytes = 0; fcntl(l, F_SETFL, O_NONBLOCK); watch(poller, EPOLL_CTL_ADD, l, EPOLLIN); struct epoll_event events[5];
    while (served < CLIENTS) {
        int n = epoll_wait(poller, events, 5, 10000); if (n <= 0) { printf("epoll %d\n", n); break; }
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == l) { int c; while ((c = accept4(l, NULL, NULL, SOCK_NONBLOCK)) >= 0) { connections[c].bytes = malloc(65536); connections[c].start = connections[c].end = 0; connections[c].open = 1; watch(poller, EPOLL_CTL_ADD, c, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET); } continue; }
            for (;;) {
                typeof(*connections) *c = connections + fd; int moved = 0; long k;
                if (c->start < c->end && (k = write(fd, c->bytes + c->start, c->end - c->start)) > 0) c->start += k, moved = 1;
                if (c->start == c->end) c->start = c->end = 0;
                if (c->open && c->end < 65536 && (k = read(fd, c->bytes + c->end, 65536 - c->end)) >= 0) { if (k == 0) c->open = 0; c->end += k; bytes += k; moved = 1; }
                if (!c->open && c->start == c->end) { close(fd); free(c->bytes); served++; break; }
                if (!moved) break;
            }
        }
    }
    printf("served %d, %ld bytes\n", served, bytes); close(poller);
}
static void test(const char *name, struct sockaddr *a, socklen_t n) {
    int l = socket(a->sa_family, SOCK_STREAM, 0); bind(l, a, n); listen(l, 3); if (a->sa_family != AF_UNIX) getsockname(l, a, &n); fflush(stdout); pid_t children[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) if ((children[i] = fork()) == 0) { close(l); _exit(client(a, n, i)); }
    serve(l); for (int i = 0; i < CLIENTS; i++) { int status; waitpid(children[i], &status, 0); printf("%s client %d: %d\n", name, i, WEXITSTATUS(status)); } close(l);
}
int main(void) {
    signal(SIGPIPE, SIG_IGN); struct sockaddr_un u = {AF_UNIX, "echo.socket"}; struct sockaddr_in four = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}}; struct sockaddr_in6 six = {AF_INET6, 0, 0, IN6ADDR_LOOPBACK_INIT};
    test("unix", (void *)&u, sizeof u); test("tcp", (void *)&four, sizeof four); test("tcp6", (void *)&six, sizeof six); return 0;
}
