// Descriptors and credentials through Unix sockets, vectors, flags, SIGPIPE.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static char buffer[1000], control[4000];
static int result(const char *what, long n) { printf("%s: %ld %s\n", what, n, n < 0 ? strerrorname_np(errno) : ""); return (int)n; }
#define R(call) result(#call, call)
static struct iovec vector; static struct msghdr header;
static struct msghdr *message(const void *bytes, size_t n, int level, int type, const void *data, size_t length) {
    memset(&header, 0, sizeof header); vector = (struct iovec){(void *)bytes, n}; header.msg_iov = &vector; header.msg_iovlen = 1; if (type == 0) return &header;
    header.msg_control = control; header.msg_controllen = CMSG_SPACE(length); struct cmsghdr *c = CMSG_FIRSTHDR(&header); c->cmsg_level = level; c->cmsg_type = type; c->cmsg_len = CMSG_LEN(length); memcpy(CMSG_DATA(c), data, length); return &header;
}
static int last[300], count;
static void receive(int s, size_t room, size_t controlRoom, int flags) {
    memset(control, 0, sizeof control); memset(&header, 0, sizeof header); vector = (struct iovec){buffer, room}; header.msg_iov = &vector; header.msg_iovlen = 1; header.msg_control = control; header.msg_controllen = controlRoom; long n = recvmsg(s, &header, flags); printf("received %ld %s '%.*s' flags %x control %d", n, n < 0 ? strerrorname_np(errno) : "", n > 0 ? (int)n : 0, buffer, n < 0 ? 0 : header.msg_flags, n < 0 ? 0 : (int)header.msg_controllen); count = 0;
    if (n >= 0) for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) { int size = c->cmsg_len - CMSG_LEN(0); printf(" [level %d type %d size %d", c->cmsg_level, c->cmsg_type, size); if (c->cmsg_type == SCM_RIGHTS) { count = size / 4; memcpy(last, CMSG_DATA(c), count * 4); printf(" cloexec %d", fcntl(last[0], F_GETFD)); } else if (c->cmsg_type == SCM_CREDENTIALS) { struct ucred *u = (void *)CMSG_DATA(c); printf(" mine %d uid %d gid %d", u->pid == getpid(), u->uid == getuid(), u->gid == getgid()); } printf("]"); }
    puts("");
}
static void rights(int type) {
    int s[2], p[2], n; printf("-- rights %d %d\n", type, socketpair(AF_UNIX, type, 0, s)); pipe(p); R(sendmsg(s[0], message("abc", 3, SOL_SOCKET, SCM_RIGHTS, p, 8), 0)); receive(s[1], 10, sizeof control, 0); printf("%d files\n", count); write(last[1], "through", 7); R(read(p[0], buffer, 99)); close(last[0]); close(last[1]);
    R(sendmsg(s[0], message("abcdef", 6, SOL_SOCKET, SCM_RIGHTS, p, 8), 0)); receive(s[1], 10, CMSG_LEN(4), MSG_CMSG_CLOEXEC); close(last[0]); R(sendmsg(s[0], message("nothing", 7, SOL_SOCKET, SCM_RIGHTS, p, 8), 0)); receive(s[1], 3, 0, 0); if (type == SOCK_STREAM) receive(s[1], 100, sizeof control, 0);
    R(sendmsg(s[0], message("first", 5, SOL_SOCKET, SCM_RIGHTS, p, 4), 0)); R(send(s[0], "plain", 5, 0)); R(sendmsg(s[0], message("second", 6, SOL_SOCKET, SCM_RIGHTS, p, 4), 0)); receive(s[1], 100, sizeof control, MSG_PEEK); close(last[0]); receive(s[1], 100, sizeof control, 0); close(last[0]); receive(s[1], 100, sizeof control, 0); if (count) close(last[0]); receive(s[1], 100, sizeof control, MSG_DONTWAIT); if (count) close(last[0]);
    R(sendmsg(s[0], message("x", 1, SOL_SOCKET, SCM_RIGHTS, p, 4), 0)); R(sendmsg(s[0], message("y", 1, SOL_SOCKET, SCM_RIGHTS, p, 4), 0)); R(recv(s[1], buffer, 100, 0)); R(read(s[1], buffer, 100)); n = 99; R(sendmsg(s[0], message("x", 1, SOL_SOCKET, SCM_RIGHTS, &n, 4), 0)); R(sendmsg(s[0], message("x", 1, SOL_SOCKET, 77, p, 4), 0)); R(sendmsg(s[0], message("x", 1, 77, 77, p, 4), MSG_DONTWAIT)); receive(s[1], 9, sizeof control, 0); static int many[300]; for (n = 0; n < 300; n++) many[n] = p[0]; R(sendmsg(s[0], message("x", 1, SOL_SOCKET, SCM_RIGHTS, many, 253 * 4), 0)); receive(s[1], 9, sizeof control, 0); for (n = 0; n < count; n++) close(last[n]); R(sendmsg(s[0], message("x", 1, SOL_SOCKET, SCM_RIGHTS, many, 254 * 4), 0)); message("x", 1, SOL_SOCKET, SCM_RIGHTS, p, 4); CMSG_FIRSTHDR(&header)->cmsg_len = 5; R(sendmsg(s[0], &header, 0));
    R(sendmsg(s[0], message("own end", 7, SOL_SOCKET, SCM_RIGHTS, &s[1], 4), 0)); close(s[1]); close(p[0]); R(write(p[1], "x", 1)); close(p[1]); R(send(s[0], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT)); close(s[0]);
}
static void credentials(int type) {
    int s[2], on = 1; printf("-- credentials %d %d\n", type, socketpair(AF_UNIX, type, 0, s)); struct ucred u = {getpid(), getuid(), getgid()}; socklen_t n = sizeof u; R(getsockopt(s[0], SOL_SOCKET, SO_PEERCRED, &u, &n)); printf("%d mine %d %d %d\n", n, u.pid == getpid(), u.uid == getuid(), u.gid == getgid()); R(send(s[0], "before", 6, 0)); R(setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof on)); receive(s[1], 99, sizeof control, 0); R(send(s[0], "after", 5, 0)); receive(s[1], 99, sizeof control, 0); R(sendmsg(s[0], message("said", 4, SOL_SOCKET, SCM_CREDENTIALS, &u, sizeof u), 0)); receive(s[1], 99, 20, 0); R(sendmsg(s[0], message("said", 4, SOL_SOCKET, SCM_CREDENTIALS, &u, 8), 0)); R(setsockopt(s[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on)); struct sockaddr_un a; n = sizeof a; R(send(s[0], "named", 5, 0)); getsockname(s[0], (void *)&a, &n); printf("name length %d\n", n); receive(s[1], 99, sizeof control, 0); close(s[0]); close(s[1]);
    int l = socket(AF_UNIX, type, 0); struct ucred none; n = sizeof none; getsockopt(l, SOL_SOCKET, SO_PEERCRED, &none, &n); printf("none %d %d %d\n", none.pid, none.uid, none.gid); close(l);
}
static int pipes; static void broken(int signal) { pipes++; }
int main(void) {
    signal(SIGPIPE, SIG_IGN);    rights(SOCK_STREAM); rights(SOCK_DGRAM); rights(SOCK_SEQPACKET); credentials(SOCK_STREAM); credentials(SOCK_DGRAM); credentials(SOCK_SEQPACKET);
    signal(SIGPIPE, broken); int s[2]; puts("-- pipes"); for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type += type == SOCK_STREAM ? 1 : 3) { socketpair(AF_UNIX, type, 0, s); shutdown(s[0], SHUT_WR); R(write(s[0], "x", 1)); R(send(s[0], "x", 1, MSG_NOSIGNAL)); printf("signals %d\n", pipes); close(s[1]); R(write(s[0], "x", 1)); printf("signals %d\n", pipes); close(s[0]); } socketpair(AF_UNIX, SOCK_STREAM, 0, s); close(s[1]); signal(SIGPIPE, SIG_DFL); fflush(stdout); write(s[0], "x", 1); puts("not reached"); return 0;
}
