// Waiting on sockets: signals, timeouts, other threads that send, shut down or accept; edges that epoll reports; files of another process.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[1000000];
static int result(const char *what, long n) { printf("%s: %ld %s\n", what, n, n < 0 ? strerrorname_np(errno) : ""); return (int)n; }
#define R(call) result(#call, call)
static volatile int alarms; static void rang(int signal) { alarms++; }
static void alarmIn(int milliseconds, int flags) { struct sigaction a = {.sa_handler = rang, .sa_flags = flags}; sigaction(SIGALRM, &a, NULL); struct itimerval t = {{0, 0}, {0, milliseconds * 1000}}; setitimer(ITIMER_REAL, &t, NULL); alarms = 0; }
struct later { int fd, kind, milliseconds; const char *bytes; };
static void *act(void *argument) {
    sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, NULL); struct later *l = argument; usleep(l->milliseconds * 1000);
    if (l->kind == 's') send(l->fd, l->bytes, strlen(l->bytes), 0); else if (l->kind == 'r') shutdown(l->fd, SHUT_RD); else if (l->kind == 'b') shutdown(l->fd, SHUT_RDWR); else if (l->kind == 'c') close(l->fd); else if (l->kind == 'd') { static char drain[4000000]; usleep(20000); while (recv(l->fd, drain, sizeof drain, MSG_DONTWAIT) > 0); } else if (l->kind == 'a') close(accept(l->fd, NULL, NULL)); return NULL;
}
static pthread_t worker; static struct later task;
static void later(int fd, int kind, const char *bytes) { task = (struct later){fd, kind, 30, bytes}; pthread_create(&worker, NULL, act, &task); }
static void joined(void) { pthread_join(worker, NULL); }
static int tcpListener(struct sockaddr_in *a, int backlog) { int l = socket(AF_INET, SOCK_STREAM, 0); socklen_t n = sizeof *a; *a = (struct sockaddr_in){AF_INET, 0, {htonl(INADDR_LOOPBACK)}}; bind(l, (void *)a, n); listen(l, backlog); getsockname(l, (void *)a, &n); return l; }
static void tcpPair(int s[2]) { struct sockaddr_in a; int l = tcpListener(&a, 1); s[0] = socket(AF_INET, SOCK_STREAM, 0); connect(s[0], (void *)&a, sizeof a); s[1] = accept(l, NULL, NULL); close(l); }
static void pair(int kind, int s[2]) { if (kind == 0) tcpPair(s); else socketpair(AF_UNIX, kind == 1 ? SOCK_STREAM : kind == 2 ? SOCK_DGRAM : SOCK_SEQPACKET, 0, s); }
static void waits(int kind, const char *name) {
    int s[2]; printf("-- %s\n", name); pair(kind, s); later(s[0], 's', "late"); R(recv(s[1], buffer, 100, 0)); joined(); alarmIn(30, 0); R(recv(s[1], buffer, 100, 0)); printf("alarms %d\n", alarms); alarmIn(20, SA_RESTART); later(s[0], 's', "restarted"); R(recv(s[1], buffer, 100, 0)); joined(); printf("alarms %d\n", alarms);
    struct timeval t = {0, 50000}; setsockopt(s[1], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t); R(recv(s[1], buffer, 100, 0)); alarmIn(20, SA_RESTART); R(recv(s[1], buffer, 100, 0)); printf("alarms %d\n", alarms); R(read(s[1], buffer, 1)); t.tv_usec = 0; setsockopt(s[1], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    struct pollfd p = {s[1], POLLIN | POLLRDHUP, 0}; later(s[0], 's', "x"); R(poll(&p, 1, 5000)); printf("%x\n", p.revents); joined(); R(recv(s[1], buffer, 100, 0)); R(poll(&p, 1, 20)); alarmIn(20, SA_RESTART); R(poll(&p, 1, 5000)); fcntl(s[0], F_SETFL, O_NONBLOCK); long n, total = 0; while ((n = send(s[0], buffer, kind < 2 ? 100000 : 1000, 0)) > 0) total += n; fcntl(s[0], F_SETFL, 0); alarmIn(20, 0); R(send(s[0], buffer, kind < 2 ? sizeof buffer : 1000, 0)); later(s[1], 'd', NULL); n = send(s[0], buffer, kind < 2 ? 20000 : 1000, 0); printf("sent %ld\n", n); joined(); if (kind == 1) { char *big = calloc(1, 6000000); while (recv(s[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0); alarmIn(50, 0); n = send(s[0], big, 6000000, 0); printf("partly %d\n", n > 0 && n < 6000000); while (recv(s[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0); usleep(2000); while (recv(s[1], buffer, sizeof buffer, MSG_DONTWAIT) > 0); t.tv_usec = 50000; setsockopt(s[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t); n = send(s[0], big, 6000000, 0); printf("partly %d\n", n > 0 && n < 6000000); R(send(s[0], big, 1000, 0)); free(big); }
    close(s[0]); close(s[1]); pair(kind, s); later(s[1], 'r', NULL); R(recv(s[1], buffer, 100, 0)); joined(); close(s[0]); close(s[1]); pair(kind, s); if (kind != 2) { later(s[1], 'b', NULL); R(recv(s[0], buffer, 100, 0)); joined(); R(send(s[0], "x", 1, MSG_NOSIGNAL)); R(send(s[0], "x", 1, MSG_NOSIGNAL)); close(s[1]); close(s[0]); pair(kind, s); later(s[1], 'c', NULL); R(recv(s[0], buffer, 100, 0)); joined(); } close(s[0]); if (kind == 2) close(s[1]);
}
static void listeners(void) {
    puts("-- listeners"); struct sockaddr_in a; int l = tcpListener(&a, 1), c = socket(AF_INET, SOCK_STREAM, 0); alarmIn(20, 0); R(accept(l, NULL, NULL)); later(l, 'b', NULL); R(accept(l, NULL, NULL)); joined(); close(l); close(c);
    struct sockaddr_un u = {AF_UNIX, "waits.socket"}; l = socket(AF_UNIX, SOCK_STREAM, 0); bind(l, (void *)&u, sizeof u); listen(l, 0); int first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0); R(connect(first, (void *)&u, sizeof u)); alarmIn(20, 0); R(connect(second, (void *)&u, sizeof u)); struct timeval t = {0, 20000}; setsockopt(second, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t); R(connect(second, (void *)&u, sizeof u)); t.tv_usec = 0; setsockopt(second, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t); later(l, 'a', NULL); R(connect(second, (void *)&u, sizeof u)); joined(); close(l); close(first); close(second); unlink("waits.socket");
    l = tcpListener(&a, 5); c = socket(AF_INET, SOCK_STREAM, 0); R(connect(c, (void *)&a, sizeof a)); struct rlimit r, few; getrlimit(RLIMIT_NOFILE, &r); few = r; few.rlim_cur = dup(0); close(few.rlim_cur); setrlimit(RLIMIT_NOFILE, &few); R(accept(l, NULL, NULL)); R(socket(AF_INET, SOCK_STREAM, 0)); setrlimit(RLIMIT_NOFILE, &r); int s = accept(l, NULL, NULL); printf("then %d\n", s >= 0); close(s); close(c); close(l);
}
static int events(int poller) { struct epoll_event e[4]; int n = epoll_wait(poller, e, 4, 0); return n <= 0 ? n : (int)e[0].events; }
static void edges(int kind) {
    printf("-- edges %d\n", kind); int s[2], poller = epoll_create1(0); pair(kind, s); struct epoll_event e = {EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET}; R(epoll_ctl(poller, EPOLL_CTL_ADD, s[0], &e)); printf("%x %x\n", events(poller), events(poller)); send(s[1], "one", 3, 0); usleep(1000); printf("%x %x\n", events(poller), events(poller)); send(s[1], "two", 3, 0); usleep(1000); printf("%x %x\n", events(poller), events(poller)); recv(s[0], buffer, 1, 0); printf("%x\n", events(poller)); recv(s[0], buffer, 100, 0); printf("%x\n", events(poller)); shutdown(s[1], SHUT_WR); usleep(1000); printf("%x %x\n", events(poller), events(poller)); close(s[1]); usleep(1000); printf("%x %x\n", events(poller), events(poller)); close(s[0]); printf("%x\n", events(poller)); close(poller);
    pair(kind, s); poller = epoll_create1(0); e.events = EPOLLIN | EPOLLONESHOT; epoll_ctl(poller, EPOLL_CTL_ADD, s[0], &e); send(s[1], "x", 1, 0); usleep(1000); printf("%x %x\n", events(poller), events(poller)); epoll_ctl(poller, EPOLL_CTL_MOD, s[0], &e); printf("%x\n", events(poller)); close(s[0]); close(s[1]); close(poller);
}
static void processes(void) {
    puts("-- processes"); int s[2], status; socketpair(AF_UNIX, SOCK_STREAM, 0, s); fflush(stdout);
    if (fork() == 0) { close(s[0]); char b[99]; long n = read(s[1], b, 99); for (int i = 0; i < n; i++) b[i] -= 32; write(s[1], b, n); int fd = open("passed", O_RDWR | O_CREAT | O_TRUNC, 0600); write(fd, "from the child", 14); struct msghdr h = {0}; struct iovec v = {"f", 1}; char c[CMSG_SPACE(4)]; h.msg_iov = &v; h.msg_iovlen = 1; h.msg_control = c; h.msg_controllen = sizeof c; struct cmsghdr *m = CMSG_FIRSTHDR(&h); m->cmsg_level = SOL_SOCKET; m->cmsg_type = SCM_RIGHTS; m->cmsg_len = CMSG_LEN(4); memcpy(CMSG_DATA(m), &fd, 4); sendmsg(s[1], &h, 0); _exit(7); }
    close(s[1]); write(s[0], "hello", 5); R(read(s[0], buffer, 5)); printf("%.5s\n", buffer); struct msghdr h = {0}; struct iovec v = {buffer, 10}; char c[100]; h.msg_iov = &v; h.msg_iovlen = 1; h.msg_control = c; h.msg_controllen = sizeof c; R(recvmsg(s[0], &h, 0)); int fd; memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&h)), 4); wait(&status); printf("%d\n", WEXITSTATUS(status)); R(pread(fd, buffer, 99, 0)); printf("%.14s\n", buffer); R(read(s[0], buffer, 1)); unlink("passed"); close(fd); close(s[0]);
    struct sockaddr_in a; int l = tcpListener(&a, 5); fflush(stdout); for (int i = 0; i < 3; i++) if (fork() == 0) { int k = accept(l, NULL, NULL); char b = 'a' + i; usleep(1000 * i); read(k, &b, 1); write(k, &b, 1); _exit(0); } close(l); for (int i = 0; i < 3; i++) { int k = socket(AF_INET, SOCK_STREAM, 0); char b = '0' + i; connect(k, (void *)&a, sizeof a); write(k, &b, 1); read(k, &b, 1); printf("%c", b); close(k); } puts(""); while (wait(NULL) > 0); int k = socket(AF_INET, SOCK_STREAM, 0); R(connect(k, (void *)&a, sizeof a)); close(k);
    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s); fflush(stdout); if (fork() == 0) { struct ucred u; socklen_t n = sizeof u; getsockopt(s[1], SOL_SOCKET, SO_PEERCRED, &u, &n); _exit(u.pid == getppid()); } wait(&status); printf("peer is the parent %d\n", WEXITSTATUS(status)); close(s[0]); close(s[1]);
}
int main(void) { signal(SIGPIPE, SIG_IGN); setvbuf(stdout, NULL, _IOFBF, 65536); waits(0, "tcp"); waits(1, "unix stream"); waits(2, "unix datagram"); waits(3, "unix seqpacket"); listeners(); edges(0); edges(1); edges(3); processes(); return 0; }
