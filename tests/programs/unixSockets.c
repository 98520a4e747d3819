// Unix sockets in one process: pairs, names, listening, half close, errors, buffers, readiness.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
static char buffer[300000];
static int result(const char *what, long n) { printf("%s: %ld %s\n", what, n, n < 0 ? strerrorname_np(errno) : ""); return (int)n; }
#define R(call) result(#call, call)
static int ready(int fd) { struct pollfd p = {fd, 0x3fff, 0}; poll(&p, 1, 0); return p.revents; }
static struct sockaddr_un named(const char *name) { struct sockaddr_un a = {AF_UNIX}; strcpy(a.sun_path + (*name == '@'), name + (*name == '@')); return a; }
static socklen_t size(const char *name) { return offsetof(struct sockaddr_un, sun_path) + strlen(name) + (*name != '@'); }
static int binds(int s, const char *name) { struct sockaddr_un a = named(name); return bind(s, (void *)&a, size(name)); }
static int connects(int s, const char *name) { struct sockaddr_un a = named(name); return connect(s, (void *)&a, size(name)); }
static void show(const char *what, int (*get)(int, struct sockaddr *, socklen_t *), int s) {
    struct sockaddr_un a; memset(&a, 'x', sizeof a); socklen_t n = sizeof a;
    if (get(s, (void *)&a, &n) < 0) { printf("%s: %s\n", what, strerrorname_np(errno)); return; }
    printf("%s: length %d family %d '%s%.*s'\n", what, n, a.sun_family, n > 2 && a.sun_path[0] == 0 ? "@" : "", n > 2 ? (int)(a.sun_path[0] ? n - 3 : n - 3) : 0, n > 2 ? a.sun_path + !a.sun_path[0] : "");
}
static void pairs(int type, const char *name) {
    int s[2]; printf("-- %s pair %d\n", name, socketpair(AF_UNIX, type, 0, s)); int n;
    printf("ready %x %x\n", ready(s[0]), ready(s[1]));
    R(send(s[0], "one", 3, 0)); R(send(s[0], "second", 6, 0)); ioctl(s[1], FIONREAD, &n); printf("waiting %d ready %x\n", n, ready(s[1]));
    R(recv(s[1], buffer, 2, MSG_PEEK)); R(recv(s[1], buffer, 100, MSG_PEEK | MSG_TRUNC)); R(recv(s[1], buffer, 2, MSG_TRUNC)); printf("%.2s\n", buffer);
    R(recv(s[1], buffer, 100, MSG_DONTWAIT)); R(recv(s[1], buffer, 100, MSG_DONTWAIT)); R(send(s[0], "", 0, 0)); printf("ready %x\n", ready(s[1]));
    R(recv(s[1], buffer, 100, MSG_DONTWAIT)); show("name", getsockname, s[0]); show("peer", getpeername, s[0]);
    R(send(s[0], buffer, sizeof buffer, MSG_DONTWAIT)); R(shutdown(s[0], SHUT_WR)); printf("ready %x %x\n", ready(s[0]), ready(s[1]));
    R(send(s[0], "x", 1, MSG_NOSIGNAL)); R(send(s[1], "back", 4, 0)); R(recv(s[0], buffer, 100, 0));
    while ((n = recv(s[1], buffer, sizeof buffer, MSG_DONTWAIT)) > 0) printf("rest %d\n", n); printf("end %d\n", n);
    R(send(s[1], "unread", 6, 0)); close(s[0]); printf("closed %x\n", ready(s[1])); R(recv(s[1], buffer, 9, MSG_DONTWAIT)); R(recv(s[1], buffer, 9, MSG_DONTWAIT));
    R(send(s[1], "x", 1, MSG_NOSIGNAL)); R(send(s[1], "x", 1, MSG_NOSIGNAL)); printf("ready %x\n", ready(s[1])); close(s[1]);
    socketpair(AF_UNIX, type, 0, s); R(send(s[0], "unread", 6, 0)); close(s[1]); printf("unread %x\n", ready(s[0])); R(send(s[0], "x", 1, MSG_NOSIGNAL)); R(recv(s[0], buffer, 9, MSG_DONTWAIT)); R(recv(s[0], buffer, 9, MSG_DONTWAIT)); close(s[0]);
    socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, s); static const int sizes[] = {1, 200, 1000, 5000, 30000, 70000};
    for (int i = 0; i < 6; i++) { long count = 0, total = 0; while ((n = write(s[0], buffer, sizes[i])) > 0) count++, total += n; printf("size %d: %ld messages %ld bytes %s ready %x", sizes[i], count, total, strerrorname_np(errno), ready(s[0])); int reads = 0; while (!(ready(s[0]) & POLLOUT)) read(s[1], buffer, sizes[i]), reads++; printf(" reads %d\n", reads); while (read(s[1], buffer, sizeof buffer) > 0); }
    close(s[0]); close(s[1]);
}
static void connections(int type, const char *name, const char *address) {
    printf("-- %s connection at %s\n", name, address); unlink("dir/file");
    int l = socket(AF_UNIX, type, 0), c = socket(AF_UNIX, type | SOCK_NONBLOCK, 0), d = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
    printf("ready %x\n", ready(l)); R(connects(c, address)); R(listen(l, 1)); R(accept(l, NULL, NULL)); R(binds(l, address)); R(binds(l, "other")); R(binds(c, address)); R(connects(c, address));
    show("bound", getsockname, l); show("peer", getpeername, l); R(recv(c, buffer, 1, 0)); R(send(c, "x", 1, MSG_NOSIGNAL)); R(listen(l, 1)); printf("listening %x\n", ready(l));
    R(recv(l, buffer, 1, 0)); R(send(l, "x", 1, MSG_NOSIGNAL)); R(connects(l, address)); R(connects(c, address)); R(connects(c, address)); printf("ready %x %x\n", ready(l), ready(c));
    R(send(c, "early", 5, 0)); R(connects(d, address)); int e = socket(AF_UNIX, type | SOCK_NONBLOCK, 0); R(connects(e, address)); struct sockaddr_un from; socklen_t n = sizeof from; int s = R(accept4(l, (void *)&from, &n, SOCK_CLOEXEC)); printf("from length %d flags %d\n", n, fcntl(s, F_GETFD));
    R(connects(e, address)); show("client", getpeername, c); show("server", getsockname, s); n = sizeof from; R(recvfrom(s, buffer, 100, 0, (void *)&from, &n)); printf("%.5s from length %d\n", buffer, n); R(send(s, "reply", 5, 0)); n = sizeof from; R(recvfrom(c, buffer, 100, 0, (void *)&from, &n)); printf("from length %d\n", n);
    R(sendto(c, "x", 1, MSG_NOSIGNAL, (void *)&from, n)); close(l); R(connects(socket(AF_UNIX, type, 0), address)); printf("orphan %x\n", ready(d)); R(recv(d, buffer, 1, 0)); R(recv(d, buffer, 1, 0)); R(send(d, "x", 1, MSG_NOSIGNAL));
    struct stat st; if (*address != '@') { printf("file %d", stat(address, &st)); printf(" is socket %d mode %o\n", S_ISSOCK(st.st_mode), st.st_mode & 0777); unlink(address); } close(c); close(d); close(e); close(s);
}
static void datagrams(const char *one, const char *two) {
    printf("-- datagrams %s %s\n", one, two); int a = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), b = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), c = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), n; struct sockaddr_un to = named(two), from; socklen_t length;
    R(binds(a, one)); R(binds(b, two)); R(send(a, "x", 1, 0)); R(sendto(a, "hello", 5, 0, (void *)&to, size(two))); R(sendto(c, "nameless", 8, 0, (void *)&to, size(two))); length = sizeof from; R(recvfrom(b, buffer, 100, 0, (void *)&from, &length)); printf("length %d\n", length); length = sizeof from; R(recvfrom(b, buffer, 3, 0, (void *)&from, &length)); printf("length %d %.3s\n", length, buffer);
    R(connects(c, two)); R(send(c, "connected", 9, 0)); R(connects(b, one)); R(sendto(c, "forbidden", 9, 0, (void *)&to, size(two))); R(send(b, "to one", 6, 0)); R(recv(a, buffer, 100, 0)); R(listen(a, 1)); R(accept(a, NULL, NULL)); for (n = 0; send(a, "x", 1, 0) > 0 || sendto(a, "x", 1, 0, (void *)&to, size(two)) > 0; n++) if (n > 1000) break; printf("filled %d %s %x\n", n, strerrorname_np(errno), ready(a));
    struct sockaddr none = {AF_UNSPEC}; R(connect(b, &none, sizeof none)); close(b); R(sendto(a, "x", 1, 0, (void *)&to, size(two))); R(send(c, "x", 1, 0)); R(send(c, "x", 1, 0)); int s = socket(AF_UNIX, SOCK_STREAM, 0); R(connects(s, one)); close(s); close(a); close(c); unlink(one); unlink(two);
    int big[2]; socketpair(AF_UNIX, SOCK_DGRAM, 0, big); R(send(big[0], buffer, 212960, MSG_DONTWAIT)); R(send(big[0], buffer, 212961, MSG_DONTWAIT)); close(big[0]); close(big[1]);
}
int main(void) {
    signal(SIGPIPE, SIG_IGN); mkdir("dir", 0755); umask(022); pairs(SOCK_STREAM, "stream"); pairs(SOCK_DGRAM, "datagram"); pairs(SOCK_SEQPACKET, "seqpacket");
    connections(SOCK_STREAM, "stream", "dir/file"); connections(SOCK_STREAM, "stream", "@culprit test"); connections(SOCK_SEQPACKET, "seqpacket", "file"); datagrams("dir/one", "dir/two"); datagrams("@one", "@two");
    int s = socket(AF_UNIX, SOCK_STREAM, 0); struct sockaddr_un a = {AF_UNIX}; R(bind(s, (void *)&a, 2)); socklen_t n = sizeof a; getsockname(s, (void *)&a, &n); printf("automatic %d %d\n", n, a.sun_path[0]); R(listen(s, 5)); int c = socket(AF_UNIX, SOCK_STREAM, 0); R(connect(c, (void *)&a, n)); close(c); close(s);
    R(connects(socket(AF_UNIX, SOCK_STREAM, 0), "missing")); R(connects(socket(AF_UNIX, SOCK_STREAM, 0), "dir")); R(connects(socket(AF_UNIX, SOCK_STREAM, 0), "@missing")); R(binds(socket(AF_UNIX, SOCK_STREAM, 0), "no/such/dir")); s = socket(AF_UNIX, SOCK_STREAM, 0); R(binds(s, "dir")); struct sockaddr other = {AF_INET}; R(bind(s, &other, 16)); R(connect(s, &other, 16)); R(bind(s, &other, 1)); R(bind(s, (void *)&a, 200));
    R(socket(AF_UNIX, 77, 0)); R(socket(AF_UNIX, SOCK_RDM, 0)); R(socket(AF_UNIX, SOCK_STREAM, 5)); R(socket(99, SOCK_STREAM, 0)); R(socket(AF_INET, SOCK_SEQPACKET, 0)); R(socket(AF_INET, SOCK_STREAM, 17)); R(socket(AF_INET, SOCK_DGRAM, 6)); R(socketpair(AF_INET, SOCK_STREAM, 0, (int[2]){0})); R(getsockname(0, (void *)&a, &n)); R(getsockname(99, (void *)&a, &n)); R(shutdown(s, 3)); R(shutdown(s, 2)); R(listen(99, 1)); R(recv(0, buffer, 1, 0));
    return 0;
}
