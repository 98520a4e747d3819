// Socket options as they are at first and as they read back after they are set.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
static int sockets[6]; static const char *names[] = {"tcp", "udp", "unix", "unix datagram", "tcp6", "udp6"};
static void get(int i, int level, int option) {
    unsigned char value[256]; socklen_t n = sizeof value; memset(value, 0xaa, sizeof value); printf("%s %d %d:", names[i], level, option); if (getsockopt(sockets[i], level, option, value, &n) < 0) { printf(" %s\n", strerrorname_np(errno)); return; }
    printf(" length %d", n); for (unsigned j = 0; j < n && j < 16; j++) printf(" %02x", value[j]); puts("");
}
static void set(int i, int level, int option, int value) { int r = setsockopt(sockets[i], level, option, &value, sizeof value); printf("set %s %d %d to %d: %s\n", names[i], level, option, value, r < 0 ? strerrorname_np(errno) : "fine"); get(i, level, option); }
int main(void) {
    sockets[0] = socket(AF_INET, SOCK_STREAM, 0); sockets[1] = socket(AF_INET, SOCK_DGRAM, 0); sockets[2] = socket(AF_UNIX, SOCK_STREAM, 0); sockets[3] = socket(AF_UNIX, SOCK_DGRAM, 0); sockets[4] = socket(AF_INET6, SOCK_STREAM, 0); sockets[5] = socket(AF_INET6, SOCK_DGRAM, 0);
    static const int cookies[] = {SO_COOKIE, SO_NETNS_COOKIE, 77};
    for (int i = 0; i < 6; i++) for (int o = 0; o < 90; o++) if (o != SO_COOKIE && o != 71 && o != 77) get(i, SOL_SOCKET, o);
    for (int i = 0; i < 6; i++) { for (int o = 1; o < 38; o++) if (o != TCP_INFO && o != TCP_TIMESTAMP && (o < 20 || o > 22) && (o < 26 || o > 35 || o == 30)) get(i, IPPROTO_TCP, o); for (int o = 1; o < 53; o++) if (o < 14 || o == 24 || o == 33 || o == 34 || o == 49) get(i, IPPROTO_IP, o); static const int six[] = {16, 18, 19, 23, 24, 25, 26, 49, 51, 66, 67, 99}; for (int o = 0; o < 12; o++) get(i, IPPROTO_IPV6, six[o]); get(i, IPPROTO_UDP, 1); get(i, IPPROTO_UDP, UDP_SEGMENT); get(i, 77, 1); }
    for (int i = 0; i < 6; i += 2) { static const int flags[] = {SO_REUSEADDR, SO_KEEPALIVE, SO_BROADCAST, SO_OOBINLINE, SO_REUSEPORT, SO_TIMESTAMP, SO_DONTROUTE, SO_PASSCRED, SO_TYPE, SO_ERROR, SO_ACCEPTCONN, SO_SNDLOWAT, SO_PRIORITY, SO_RXQ_OVFL}; for (int o = 0; o < 14; o++) set(i, SOL_SOCKET, flags[o], 5); set(i, SOL_SOCKET, SO_REUSEADDR, 0); static const int sizes[] = {0, 1, 2000, 5000, 100000, 1 << 30, -1}; for (int o = 0; o < 7; o++) { set(i, SOL_SOCKET, SO_SNDBUF, sizes[o]); set(i, SOL_SOCKET, SO_RCVBUF, sizes[o]); } set(i, SOL_SOCKET, SO_RCVLOWAT, 0); set(i, SOL_SOCKET, SO_RCVLOWAT, 7); set(i, SOL_SOCKET, SO_RCVLOWAT, -7); set(i, SOL_SOCKET, 999, 1); }
    static const int tcp[] = {TCP_NODELAY, TCP_CORK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_SYNCNT, TCP_QUICKACK, TCP_USER_TIMEOUT, TCP_DEFER_ACCEPT, TCP_FASTOPEN, TCP_NOTSENT_LOWAT, TCP_MAXSEG, TCP_LINGER2}; for (int o = 0; o < 13; o++) { set(0, IPPROTO_TCP, tcp[o], 3); set(0, IPPROTO_TCP, tcp[o], 500); set(0, IPPROTO_TCP, tcp[o], 0); set(0, IPPROTO_TCP, tcp[o], 100000); set(0, IPPROTO_TCP, tcp[o], -1); set(1, IPPROTO_TCP, tcp[o], 1); }
    static const int ip[] = {IP_TOS, IP_TTL, IP_MULTICAST_TTL, IP_MULTICAST_LOOP, IP_PKTINFO, IP_MTU_DISCOVER, IP_RECVERR, IP_FREEBIND}; for (int o = 0; o < 8; o++) { set(1, IPPROTO_IP, ip[o], 1); set(1, IPPROTO_IP, ip[o], 0x10); set(1, IPPROTO_IP, ip[o], 255); set(1, IPPROTO_IP, ip[o], 256); set(1, IPPROTO_IP, ip[o], -1); set(2, IPPROTO_IP, ip[o], 1); }
    static const int six[] = {IPV6_V6ONLY, IPV6_UNICAST_HOPS, IPV6_MULTICAST_HOPS, IPV6_MULTICAST_LOOP, IPV6_RECVPKTINFO, IPV6_TCLASS}; for (int o = 0; o < 6; o++) { set(5, IPPROTO_IPV6, six[o], 1); set(5, IPPROTO_IPV6, six[o], 255); set(5, IPPROTO_IPV6, six[o], 256); set(5, IPPROTO_IPV6, six[o], -1); set(0, IPPROTO_IPV6, six[o], 1); }
    struct linger l = {1, 5}; setsockopt(sockets[0], SOL_SOCKET, SO_LINGER, &l, sizeof l); get(0, SOL_SOCKET, SO_LINGER); struct timeval t = {3, 252000}; // a whole number of ticks, however long the kernel's are
     setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t); get(0, SOL_SOCKET, SO_RCVTIMEO); t.tv_usec = 1000000; printf("%d %s\n", setsockopt(sockets[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t), strerrorname_np(errno)); printf("%d %s\n", setsockopt(sockets[0], SOL_SOCKET, SO_REUSEADDR, &t, 2), strerrorname_np(errno)); printf("%d\n", setsockopt(sockets[0], IPPROTO_TCP, TCP_CONGESTION, "reno", 4)); get(0, IPPROTO_TCP, TCP_CONGESTION); printf("%d %s\n", setsockopt(sockets[0], IPPROTO_TCP, TCP_CONGESTION, "nonsense", 8), strerrorname_np(errno));
    unsigned char byte = 0xaa; socklen_t n = 1; printf("%d", getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, &byte, &n)); printf(" %d %02x\n", n, byte); n = 1; byte = 7; printf("%d", setsockopt(sockets[1], IPPROTO_IP, IP_TTL, &byte, 1)); printf(" %d", getsockopt(sockets[1], IPPROTO_IP, IP_TTL, &byte, &n)); printf(" %d %d\n", n, byte); n = -1; printf("%d %s\n", getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, &byte, &n), strerrorname_np(errno)); n = 4; printf("%d %s\n", getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, (void *)8, &n), strerrorname_np(errno)); printf("%d %s\n", setsockopt(sockets[0], SOL_SOCKET, SO_REUSEADDR, (void *)8, 4), strerrorname_np(errno)); printf("%d %s\n", getsockopt(0, SOL_SOCKET, SO_TYPE, &byte, &n), strerrorname_np(errno));
    return 0;
}
