// TCP over loopback in one process: connecting, listening, half close, resets, errors, readiness, both families.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
static char buffer[100000];
static const char *why(long n) { return n < 0 ? strerrorname_np(errno) : ""; }
static int result(const char *what, long n) { printf("%s: %ld %s\n", what, n, why(n)); return (int)n; }
#define R(call) result(#call, call)
static int fd(const char *what, int n) { printf("%s: %s %s\n", what, n < 0 ? "no" : "yes", why(n)); return n; }
#define F(call) fd(#call, call)
static int ready(int fd) { struct pollfd p = {fd, 0x3fff, 0}; poll(&p, 1, 0); return p.revents; }
static int error(int fd) { int e = -1; socklen_t n = sizeof e; getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &n); return e; }
static int tcp(int family, int flags) { return socket(family, SOCK_STREAM | flags, 0); }
static struct sockaddr_in at(uint32_t ip, int port) { return (struct sockaddr_in){AF_INET, htons(port), {htonl(ip)}}; }
static int listener(int family, struct sockaddr_storage *a, socklen_t *n, int backlog) {
    int s = tcp(family, 0); memset(a, 0, sizeof *a); a->ss_family = family; *n = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    bind(s, (void *)a, *n); listen(s, backlog); getsockname(s, (void *)a, n); return s;
}
static void show(const char *what, int s, int (*get)(int, struct sockaddr *, socklen_t *), int hidden) {
    struct sockaddr_storage a; socklen_t n = sizeof a; char text[99];
    if (get(s, (void *)&a, &n) < 0) { printf("%s: %s\n", what, strerrorname_np(errno)); return; }
    struct sockaddr_in *four = (void *)&a; struct sockaddr_in6 *six = (void *)&a; inet_ntop(a.ss_family, a.ss_family == AF_INET ? (void *)&four->sin_addr : &six->sin6_addr, text, sizeof text);
    printf("%s: length %d %s port %s\n", what, n, text, four->sin_port == 0 ? "none" : ntohs(four->sin_port) == hidden ? "same" : "some");
}
static void fresh(void) {
    puts("-- fresh"); int s = tcp(AF_INET, 0); printf("ready %x\n", ready(s)); show("name", s, getsockname, 0); show("peer", s, getpeername, 0); R(recv(s, buffer, 1, 0)); R(send(s, "x", 1, MSG_NOSIGNAL)); R(shutdown(s, SHUT_WR)); R(accept(s, NULL, NULL));
    struct sockaddr_in a = at(INADDR_LOOPBACK, 1); R(sendto(s, "x", 1, MSG_NOSIGNAL, (void *)&a, sizeof a)); a = at(0x08080808, 1); R(bind(s, (void *)&a, sizeof a)); R(bind(s, (void *)&a, 8)); a.sin_family = AF_UNIX; R(bind(s, (void *)&a, sizeof a)); R(connect(s, (void *)&a, sizeof a)); R(connect(s, (void *)&a, 4)); close(s);
    s = tcp(AF_INET6, 0); a = at(INADDR_LOOPBACK, 0); R(bind(s, (void *)&a, sizeof a)); R(connect(s, (void *)&a, sizeof a)); close(s);
}
static void refused(void) {
    puts("-- refused"); struct sockaddr_storage a; socklen_t n; int l = listener(AF_INET, &a, &n, 1); close(l); int s = tcp(AF_INET, 0); struct sockaddr_in *to = (void *)&a; to->sin_addr.s_addr = htonl(INADDR_LOOPBACK); R(connect(s, (void *)&a, n)); printf("error %d ready %x\n", error(s), ready(s)); R(connect(s, (void *)&a, n)); close(s);
    s = tcp(AF_INET, SOCK_NONBLOCK); R(connect(s, (void *)&a, n)); usleep(1000); printf("ready %x\n", ready(s)); R(connect(s, (void *)&a, n)); printf("ready %x\n", ready(s)); R(connect(s, (void *)&a, n)); usleep(1000); printf("error %d\n", error(s)); printf("ready %x\n", ready(s)); R(send(s, "x", 1, MSG_NOSIGNAL)); R(recv(s, buffer, 1, 0)); R(connect(s, (void *)&a, n)); close(s);
}
static void connection(int family, int client) {
    printf("-- connection %d from %d\n", family, client); struct sockaddr_storage a, b; socklen_t n, m; int l = listener(family, &a, &n, 5), k; struct sockaddr_in *four = (void *)&b; struct sockaddr_in6 *six = (void *)&b; int port = ntohs(((struct sockaddr_in *)&a)->sin_port); show("listens", l, getsockname, port); printf("ready %x\n", ready(l)); R(recv(l, buffer, 1, 0)); R(send(l, "x", 1, MSG_NOSIGNAL)); R(connect(l, (void *)&a, n)); show("peer", l, getpeername, 0);
    memset(&b, 0, sizeof b); b.ss_family = client; four->sin_port = htons(port); m = client == AF_INET ? sizeof *four : sizeof *six; if (client == AF_INET) four->sin_addr.s_addr = htonl(INADDR_LOOPBACK); else if (family == AF_INET6) six->sin6_addr = in6addr_loopback; else inet_pton(AF_INET6, "::ffff:127.0.0.1", &six->sin6_addr);
    int c = tcp(client, SOCK_NONBLOCK); R(connect(c, (void *)&b, m)); usleep(1000); printf("ready %x %x error %d\n", ready(l), ready(c), error(c)); R(connect(c, (void *)&b, m)); R(connect(c, (void *)&b, m)); show("client", c, getsockname, port); show("server", c, getpeername, port);
    struct sockaddr_storage from; socklen_t length = sizeof from; int s = F(accept(l, (void *)&from, &length)); printf("length %d flags %x\n", length, fcntl(s, F_GETFL)); show("accepted", s, getsockname, port); show("from", s, getpeername, port);
    R(send(c, "hello", 5, 0)); R(send(c, " world", 6, 0)); usleep(2000); ioctl(s, FIONREAD, &k); printf("%d %x\n", k, ready(s)); R(recv(s, buffer, 3, MSG_PEEK)); length = sizeof from; R(recvfrom(s, buffer, 5, 0, (void *)&from, &length)); printf("%.5s length %d\n", buffer, length); R(recv(s, buffer, 100, MSG_DONTWAIT)); R(recv(s, buffer, 100, MSG_DONTWAIT)); R(read(s, buffer, 0)); R(recv(s, buffer, 0, MSG_DONTWAIT)); R(sendto(s, "reply", 5, 0, (void *)&from, sizeof(struct sockaddr_in)));
    struct iovec v[2] = {{buffer, 2}, {buffer + 10, 50}}; usleep(1000); R(readv(c, v, 2)); printf("%.2s %.3s\n", buffer, buffer + 10); v[0].iov_base = "ab"; v[1].iov_base = "cdefg"; v[1].iov_len = 5; R(writev(c, v, 2)); usleep(1000); R(recv(s, buffer, 7, MSG_WAITALL)); printf("%.7s\n", buffer);
    R(recv(s, buffer, 1, MSG_OOB)); R(send(c, "ab!", 3, MSG_OOB)); usleep(1000); printf("urgent %x\n", ready(s)); R(recv(s, buffer, 9, MSG_DONTWAIT)); R(recv(s, buffer, 9, MSG_OOB)); printf("%c %x\n", buffer[0], ready(s)); R(recv(s, buffer, 9, MSG_OOB)); R(recv(s, buffer, 9, MSG_DONTWAIT)); R(recv(s, buffer, 1, MSG_ERRQUEUE)); R(shutdown(c, SHUT_WR)); usleep(1000); printf("half closed %x %x\n", ready(c), ready(s)); R(send(c, "x", 1, MSG_NOSIGNAL)); R(recv(s, buffer, 1, 0)); R(recv(s, buffer, 1, 0)); R(send(s, "still", 5, 0)); usleep(1000); R(recv(c, buffer, 9, 0)); R(shutdown(c, SHUT_WR)); R(shutdown(s, SHUT_RD)); close(s); usleep(1000); printf("both closed %x\n", ready(c)); R(recv(c, buffer, 9, 0)); show("peer", c, getpeername, port); R(shutdown(c, SHUT_RD)); R(send(c, "x", 1, MSG_NOSIGNAL)); close(c); close(l);
}
static void endings(void) {
    puts("-- endings"); struct sockaddr_storage a; socklen_t n; int l = listener(AF_INET, &a, &n, 5), c = tcp(AF_INET, 0), s, d; struct sockaddr_in *to = (void *)&a; to->sin_addr.s_addr = htonl(INADDR_LOOPBACK); R(connect(c, (void *)&a, n)); s = accept(l, NULL, NULL); close(s); usleep(1000); printf("peer gone %x\n", ready(c)); R(recv(c, buffer, 1, 0)); R(send(c, "x", 1, MSG_NOSIGNAL)); usleep(1000); printf("answered %x\n", ready(c)); R(send(c, "x", 1, MSG_NOSIGNAL)); R(send(c, "x", 1, MSG_NOSIGNAL)); R(recv(c, buffer, 1, 0)); printf("error %d\n", error(c)); close(c);
    c = tcp(AF_INET, 0); R(connect(c, (void *)&a, n)); s = accept(l, NULL, NULL); R(send(c, "unread", 6, 0)); R(send(s, "unread", 6, 0)); usleep(1000); close(s); usleep(1000); printf("reset %x\n", ready(c)); R(recv(c, buffer, 100, MSG_DONTWAIT)); R(recv(c, buffer, 100, MSG_DONTWAIT)); R(recv(c, buffer, 100, MSG_DONTWAIT)); R(send(c, "x", 1, MSG_NOSIGNAL)); printf("ready %x\n", ready(c)); show("peer", c, getpeername, 0); close(c);
    c = tcp(AF_INET, 0); R(connect(c, (void *)&a, n)); s = accept(l, NULL, NULL); struct linger now = {1, 0}; R(setsockopt(s, SOL_SOCKET, SO_LINGER, &now, sizeof now)); close(s); usleep(1000); printf("reset %x error %d ready %x\n", ready(c), error(c), ready(c)); R(recv(c, buffer, 1, 0)); R(send(c, "x", 1, MSG_NOSIGNAL)); close(c);
    c = tcp(AF_INET, 0); d = tcp(AF_INET, SOCK_NONBLOCK); R(connect(c, (void *)&a, n)); R(send(c, "early", 5, 0)); R(connect(d, (void *)&a, n)); s = accept(l, NULL, NULL); R(recv(s, buffer, 9, 0)); close(l); usleep(1000); printf("listener gone %x\n", ready(d)); R(recv(d, buffer, 1, 0)); R(connect(tcp(AF_INET, 0), (void *)&a, n)); R(send(s, "fine", 4, 0)); R(recv(c, buffer, 4, 0)); struct sockaddr none = {AF_UNSPEC}; R(connect(c, &none, sizeof none)); printf("undone %x\n", ready(c)); usleep(1000); R(recv(s, buffer, 1, 0)); close(s); close(c); close(d);
}
static void ports(void) {
    puts("-- ports"); struct sockaddr_storage a; socklen_t n; int l = listener(AF_INET, &a, &n, 0), on = 1, s = tcp(AF_INET, 0), c; struct sockaddr_in *to = (void *)&a; R(bind(s, (void *)&a, n)); R(bind(l, (void *)&a, n)); setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); R(bind(s, (void *)&a, n)); close(l); R(bind(s, (void *)&a, n)); int t = tcp(AF_INET, 0); R(bind(t, (void *)&a, n)); setsockopt(t, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); R(bind(t, (void *)&a, n)); R(listen(s, 0)); R(listen(t, 0)); R(listen(s, 1)); close(s); R(listen(t, 0)); to->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct sockaddr_in6 six = {AF_INET6, to->sin_port}; s = tcp(AF_INET6, 0); R(bind(s, (void *)&six, sizeof six)); setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on); R(bind(s, (void *)&six, sizeof six)); R(listen(s, 1)); R(setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on)); close(s);
    c = tcp(AF_INET, 0); R(connect(c, (void *)&a, n)); int p = tcp(AF_INET, 0), q = tcp(AF_INET, 0); struct sockaddr_in own = at(INADDR_LOOPBACK + 1, 0); R(bind(p, (void *)&own, sizeof own)); show("own", p, getsockname, 0); close(t); usleep(1000); R(connect(p, (void *)&a, n)); close(p); close(q); close(c);
    int r1 = tcp(AF_INET, 0), r2 = tcp(AF_INET, 0); setsockopt(r1, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on); setsockopt(r2, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on); own = at(INADDR_LOOPBACK, 0); n = sizeof own; bind(r1, (void *)&own, n); getsockname(r1, (void *)&own, &n); R(bind(r2, (void *)&own, n)); R(listen(r1, 1)); R(listen(r2, 1)); close(r1); close(r2);
    puts("-- timeouts"); l = listener(AF_INET, &a, &n, 1); struct timeval little = {0, 20000}; R(setsockopt(l, SOL_SOCKET, SO_RCVTIMEO, &little, sizeof little)); R(accept(l, NULL, NULL)); to->sin_addr.s_addr = htonl(INADDR_LOOPBACK); c = tcp(AF_INET, 0); R(connect(c, (void *)&a, n)); s = accept(l, NULL, NULL); R(recv(s, buffer, 1, 0)); R(send(c, "abc", 3, 0)); R(recv(s, buffer, 9, MSG_WAITALL)); setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &little, sizeof little); long total = 0, k; while ((k = send(c, buffer, sizeof buffer, 0)) > 0) total += k; printf("%s plenty %d\n", strerrorname_np(errno), total > 500000); printf("full %x\n", ready(c)); long got = 0; fcntl(s, F_SETFL, O_NONBLOCK); while ((k = recv(s, buffer, sizeof buffer, 0)) > 0 || got < total) if (k > 0) got += k; printf("all %d\n", got == total); usleep(1000); printf("empty %x\n", ready(c)); close(c); close(s); close(l);
}
int main(void) { signal(SIGPIPE, SIG_IGN); fresh(); refused(); connection(AF_INET, AF_INET); connection(AF_INET6, AF_INET6); connection(AF_INET6, AF_INET); connection(AF_INET, AF_INET6); endings(); ports(); return 0; }
