// Names and addresses of the network: interfaces, getaddrinfo, getnameinfo, services.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static void show(const struct sockaddr *a) {
    char text[100] = "?"; if (!a) { printf(" -"); return; }
    if (a->sa_family == AF_PACKET) { const struct sockaddr_ll *l = (void *)a; printf(" link %d %d %d %02x", l->sll_ifindex, l->sll_hatype, l->sll_halen, l->sll_addr[0]); return; }
    if (a->sa_family == AF_INET) inet_ntop(AF_INET, &((struct sockaddr_in *)a)->sin_addr, text, sizeof text); else inet_ntop(AF_INET6, &((struct sockaddr_in6 *)a)->sin6_addr, text, sizeof text);
    printf(" %s port %d", text, ntohs(((struct sockaddr_in *)a)->sin_port));
}
static void look(const char *host, const char *service, int flags, int family, int type) {
    struct addrinfo hints = {flags, family, type}, *found, *one; int e = getaddrinfo(host, service, &hints, &found); printf("%s %s flags %x family %d: %d\n", host ? host : "-", service ? service : "-", flags, family, e); if (e) return;
    for (one = found; one; one = one->ai_next) { printf("  type %d protocol %d", one->ai_socktype, one->ai_protocol); show(one->ai_addr); printf(" %s\n", one->ai_canonname ? one->ai_canonname : ""); } freeaddrinfo(found);
}
int main(void) {
    struct ifaddrs *all, *one; printf("%d\n", getifaddrs(&all)); for (one = all; one; one = one->ifa_next) if (one->ifa_flags & IFF_LOOPBACK) { printf("%s flags %x", one->ifa_name, one->ifa_flags); show(one->ifa_addr); show(one->ifa_netmask); puts(""); } int count = 0; for (one = all; one; one = one->ifa_next) if (one->ifa_addr && one->ifa_addr->sa_family != AF_PACKET) { count++; printf("%s flags %x", one->ifa_name, one->ifa_flags); show(one->ifa_addr); show(one->ifa_netmask); puts(""); } printf("%d addresses\n", count); freeifaddrs(all); printf("index %d", if_nametoindex("lo")); char name[IF_NAMESIZE]; printf(" %s\n", if_indextoname(1, name)); printf("none %d %s\n", if_nametoindex("nothing"), strerrorname_np(errno));
    look("localhost", "80", 0, AF_UNSPEC, SOCK_STREAM); look("localhost", "http", 0, AF_INET, 0); look("127.0.0.1", "ssh", AI_NUMERICHOST, AF_UNSPEC, SOCK_DGRAM); look("::1", NULL, 0, AF_UNSPEC, SOCK_STREAM); look(NULL, "8080", AI_PASSIVE, AF_UNSPEC, SOCK_STREAM); look(NULL, "8080", 0, AF_UNSPEC, SOCK_STREAM); look("127.1", "1", AI_ADDRCONFIG, AF_UNSPEC, SOCK_STREAM); look("not numeric", "1", AI_NUMERICHOST, AF_UNSPEC, SOCK_STREAM); look("localhost", "no such service", 0, AF_UNSPEC, SOCK_STREAM); look("localhost", "1", AI_CANONNAME, AF_INET, SOCK_STREAM);
    struct sockaddr_in a = {AF_INET, htons(22), {htonl(INADDR_LOOPBACK)}}; char host[99], service[99]; printf("%d", getnameinfo((void *)&a, sizeof a, host, 99, service, 99, 0)); printf(" %s %s\n", host, service); printf("%d", getnameinfo((void *)&a, sizeof a, host, 99, service, 99, NI_NUMERICHOST | NI_NUMERICSERV)); printf(" %s %s\n", host, service); struct hostent *h = gethostbyname("localhost"); printf("%s %d %d\n", h ? h->h_name : "?", h ? h->h_addrtype : 0, h ? h->h_length : 0); struct servent *s = getservbyport(htons(443), "tcp"); printf("%s\n", s ? s->s_name : "?"); struct protoent *p = getprotobyname("udp"); printf("%d\n", p ? p->p_proto : -1);
    int n = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); struct sockaddr_nl nl = {AF_NETLINK}; socklen_t length = sizeof nl; printf("%d", bind(n, (void *)&nl, sizeof nl)); getsockname(n, (void *)&nl, &length); printf(" %d %d\n", length, nl.nl_pid == getpid()); struct { struct nlmsghdr h; struct rtgenmsg g; char pad[3]; } request = {{sizeof request, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 7, 0}, {AF_UNSPEC}}; printf("%zd", send(n, &request, sizeof request, 0)); static char reply[20000]; struct nlmsghdr *m = (void *)reply; long got = recv(n, reply, sizeof reply, 0); printf(" %d type %d flags %x sequence %d mine %d\n", got > 0, m->nlmsg_type, m->nlmsg_flags, m->nlmsg_seq, m->nlmsg_pid == nl.nl_pid); request.h.nlmsg_type = 9999; request.h.nlmsg_seq = 8; while (m->nlmsg_type != NLMSG_DONE) { if (recv(n, reply, sizeof reply, MSG_DONTWAIT) < 0) break; } printf("%zd", send(n, &request, sizeof request, 0)); got = recv(n, reply, sizeof reply, 0); printf(" type %d\n", m->nlmsg_type); printf("%d %s\n", socket(AF_NETLINK, SOCK_STREAM, 0), strerrorname_np(errno)); return 0;
}
