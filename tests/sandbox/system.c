/* Sockets that lead outside, namespaces, objects of the kernel that processes share, and what only administrators do. */
#include "escapes.h"
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/reboot.h>
#include <linux/rtnetlink.h>
#include <mqueue.h>
#include <net/if.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>

static struct sockaddr_in inet(void)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(outside_port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}
static struct sockaddr_in6 inet6(void)
{
    return (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(outside_port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
}
static long tcp(void)
{
    struct sockaddr_in address = inet();
    return RESULT(connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&address, sizeof address));
}
static long tcp6(void)
{
    struct sockaddr_in6 address = inet6();
    return RESULT(connect(socket(AF_INET6, SOCK_STREAM, 0), (void *)&address, sizeof address));
}
static long far(void)
{
    struct sockaddr_in address = inet();
    inet_pton(AF_INET, "192.0.2.1", &address.sin_addr);
    return RESULT(connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&address, sizeof address));
}
/* What is sent is lost, or refused. */
static long udp(void)
{
    struct sockaddr_in address = inet();
    long r = RESULT(sendto(socket(AF_INET, SOCK_DGRAM, 0), "escaped", 7, 0, (void *)&address, sizeof address));
    return r == 7 ? DONE : r;
}
/* The port is taken outside; here it is free. */
static long listen_at(void)
{
    struct sockaddr_in address = inet();
    int fd = STEP(socket(AF_INET, SOCK_STREAM, 0));
    STEP(bind(fd, (void *)&address, sizeof address));
    STEP(listen(fd, 1));
    return DONE;
}
static long unix_connect(int type, const char *name, int length)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, name, length);
    return RESULT(connect(socket(AF_UNIX, type, 0), (void *)&address, offsetof(struct sockaddr_un, sun_path) + length));
}
static long unix_path(void)
{
    STEP(chdir(canaries));
    long r = unix_connect(SOCK_STREAM, "socket", 7);
    STEP(chdir("/"));
    return r;
}
static long abstract(void)
{
    char name[64] = "";
    int length = snprintf(name + 1, sizeof name - 1, "culprit-escape-%d", outside_key) + 1;
    return unix_connect(SOCK_STREAM, name, length);
}
static long new_link(void)
{
    struct { struct nlmsghdr header; struct ifinfomsg info; } request = {
        {sizeof request, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0}, {.ifi_family = AF_UNSPEC, .ifi_index = 1, .ifi_change = IFF_UP},
    };
    struct { struct nlmsghdr header; struct nlmsgerr error; char rest[256]; } answer;
    int fd = STEP(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
    STEP(send(fd, &request, sizeof request, 0));
    STEP(recv(fd, &answer, sizeof answer, MSG_DONTWAIT));
    return answer.header.nlmsg_type == NLMSG_ERROR ? answer.error.error : WRONG;
}
#define SOCKET(name, ...) static long name(void) { return RESULT(socket(__VA_ARGS__)); }
SOCKET(packet, AF_PACKET, SOCK_RAW, 0)
SOCKET(raw, AF_INET, SOCK_RAW, IPPROTO_ICMP)
SOCKET(vsock, AF_VSOCK, SOCK_STREAM, 0)
SOCKET(crypto, AF_ALG, SOCK_SEQPACKET, 0)
SOCKET(bluetooth, AF_BLUETOOTH, SOCK_RAW, 0)
SOCKET(can, AF_CAN, SOCK_RAW, 1)
SOCKET(xdp, 44, SOCK_RAW, 0)
SOCKET(audit, AF_NETLINK, SOCK_RAW, NETLINK_AUDIT)
SOCKET(uevents, AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT)
static long interface_flags(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    return RESULT(ioctl(socket(AF_INET, SOCK_DGRAM, 0), 0x8914 /* SIOCSIFFLAGS */, &request));
}

#define CALLS(name, ...) static long name(void) { return CALL(__VA_ARGS__); }
CALLS(new_user, SYS_unshare, CLONE_NEWUSER)
CALLS(new_mounts, SYS_unshare, CLONE_NEWNS)
CALLS(new_network, SYS_unshare, CLONE_NEWNET)
CALLS(clone_namespace, SYS_clone, CLONE_NEWPID | CLONE_NEWUSER | 17, 0, 0, 0, 0)
CALLS(call_setns, SYS_setns, 0, 0)
CALLS(call_mount, SYS_mount, "none", at("d"), "tmpfs", 0, 0)
CALLS(bind_mount, SYS_mount, "/", at("d"), 0, MS_BIND, 0)
CALLS(call_umount, SYS_umount2, "/proc", MNT_DETACH)
CALLS(call_pivot_root, SYS_pivot_root, at("d"), at("d"))
CALLS(call_fsopen, SYS_fsopen, "tmpfs", 0)
CALLS(call_open_tree, SYS_open_tree, AT_FDCWD, "/", 1)
CALLS(call_move_mount, SYS_move_mount, AT_FDCWD, "/", AT_FDCWD, at("d"), 0)
CALLS(call_mount_setattr, SYS_mount_setattr, AT_FDCWD, "/", 0, 0, 0)
/* In a new root there is no more of the outside than in the old one. */
static long call_chroot(void)
{
    long r = RESULT(chroot(at("d")));
    if (r < 0) return r;
    int fd = open("/../../../../etc/passwd", O_RDONLY);
    return fd < 0 ? DONE : WRONG;
}

static long segment(void) { return RESULT(shmget(outside_key, 0, 0)); }
static long queue(void) { return RESULT(msgget(outside_key, 0)); }
static long semaphores(void) { return RESULT(semget(outside_key, 0, 0)); }
static long posix_queue(void) { return RESULT(mq_open("/culprit-escape", O_RDWR)); }
CALLS(call_add_key, SYS_add_key, "user", "culprit-escape", "x", 1, -3)
CALLS(call_request_key, SYS_request_key, "user", "culprit-escape", 0, -3)
CALLS(call_keyctl, SYS_keyctl, 0, -3, 0, 0, 0)
CALLS(call_bpf, SYS_bpf, 0, 0, 0)
CALLS(call_perf, SYS_perf_event_open, 0, 0, -1, -1, 0)
CALLS(call_io_uring, SYS_io_uring_setup, 1, 0)
CALLS(call_userfaultfd, SYS_userfaultfd, 0)
CALLS(call_seccomp_listener, SYS_seccomp, 1, 8, 0)

CALLS(call_reboot, SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_CAD_OFF, 0)
CALLS(call_swapon, SYS_swapon, at("open"), 0)
CALLS(call_swapoff, SYS_swapoff, at("open"))
CALLS(call_sethostname, SYS_sethostname, "escaped", 7)
CALLS(call_setdomainname, SYS_setdomainname, "escaped", 7)
CALLS(call_init_module, SYS_init_module, "", 0, "")
CALLS(call_finit_module, SYS_finit_module, 0, "", 0)
CALLS(call_delete_module, SYS_delete_module, "loop", 0)
CALLS(call_kexec, SYS_kexec_load, 0, 0, 0, 0)
CALLS(call_acct, SYS_acct, 0)
CALLS(call_quotactl, SYS_quotactl, 0x80000100, 0, 0, 0)
CALLS(call_syslog, SYS_syslog, 5, 0, 0)
CALLS(call_iopl, SYS_iopl, 3)
CALLS(call_ioperm, SYS_ioperm, 0x80, 1, 1)
static long set_time(void)
{
    struct timeval time = {1000000000, 0};
    return RESULT(settimeofday(&time, 0));
}
static long set_clock(void)
{
    struct timespec time = {1000000000, 0};
    return RESULT(clock_settime(CLOCK_REALTIME, &time));
}
static long adjust_clock(void)
{
    struct timex change = {.modes = ADJ_FREQUENCY};
    return RESULT(adjtimex(&change));
}

const struct row system_rows[] = {
    {"TCP over IPv4", tcp, {-ECONNREFUSED, -ENETUNREACH}},
    {"TCP over IPv6", tcp6, {-ECONNREFUSED, -ENETUNREACH, -EADDRNOTAVAIL, -EAFNOSUPPORT}},
    {"TCP to far away", far, {-ENETUNREACH, -ECONNREFUSED, -EHOSTUNREACH}},
    {"UDP", udp, {DONE, -ECONNREFUSED, -ENETUNREACH}},
    {"a port that is taken outside", listen_at, {DONE}},
    {"a Unix socket by its path", unix_path, {-ECONNREFUSED}},
    {"a Unix socket in the abstract name space", abstract, {-ECONNREFUSED}},
    {"netlink RTM_NEWLINK", new_link, {-EPERM, -EOPNOTSUPP, -ENODEV, -EINVAL}},
    {"AF_PACKET", packet, {-EPERM, -EAFNOSUPPORT}},
    {"raw IP", raw, {-EPERM, -EPROTONOSUPPORT, -ESOCKTNOSUPPORT, -EAFNOSUPPORT}},
    {"AF_VSOCK", vsock, {-EAFNOSUPPORT}},
    {"AF_ALG", crypto, {-EAFNOSUPPORT}},
    {"AF_BLUETOOTH", bluetooth, {-EAFNOSUPPORT}},
    {"AF_CAN", can, {-EAFNOSUPPORT}},
    {"AF_XDP", xdp, {-EAFNOSUPPORT}},
    {"netlink audit", audit, {-EPROTONOSUPPORT, -EPERM}},
    {"netlink uevents", uevents, {-EPROTONOSUPPORT, -EPERM}},
    {"ioctl SIOCSIFFLAGS", interface_flags, {-EPERM, -ENOTTY, -EINVAL}},
    {"unshare CLONE_NEWUSER", new_user, {-EPERM, -EINVAL, -ENOSYS, -ENOSPC}},
    {"unshare CLONE_NEWNS", new_mounts, {-EPERM, -EINVAL, -ENOSYS}},
    {"unshare CLONE_NEWNET", new_network, {-EPERM, -EINVAL, -ENOSYS}},
    {"clone CLONE_NEWPID", clone_namespace, {-EPERM, -EINVAL, -ENOSYS}},
    {"setns", call_setns, {-EPERM, -EINVAL, -ENOSYS, -EBADF}},
    {"mount", call_mount, {-EPERM, -ENOSYS}},
    {"mount MS_BIND", bind_mount, {-EPERM, -ENOSYS}},
    {"umount2", call_umount, {-EPERM, -ENOSYS}},
    {"pivot_root", call_pivot_root, {-EPERM, -ENOSYS}},
    {"fsopen", call_fsopen, {-EPERM, -ENOSYS}},
    {"open_tree", call_open_tree, {-EPERM, -ENOSYS}},
    {"move_mount", call_move_mount, {-EPERM, -ENOSYS}},
    {"mount_setattr", call_mount_setattr, {-EPERM, -ENOSYS, -EINVAL}},
    {"System V shared memory", segment, {-ENOENT}},
    {"System V messages", queue, {-ENOENT}},
    {"System V semaphores", semaphores, {-ENOENT}},
    {"POSIX messages", posix_queue, {-ENOENT}},
    {"add_key", call_add_key, {-ENOSYS, -EPERM}},
    {"request_key", call_request_key, {-ENOSYS, -EPERM}},
    {"keyctl", call_keyctl, {-ENOSYS, -EPERM}},
    {"bpf", call_bpf, {-ENOSYS, -EPERM}},
    {"perf_event_open", call_perf, {-ENOSYS, -EPERM, -EACCES}},
    {"io_uring_setup", call_io_uring, {-ENOSYS, -EPERM}},
    {"userfaultfd", call_userfaultfd, {-ENOSYS, -EPERM}},
    {"seccomp with a listener", call_seccomp_listener, {-ENOSYS, -EPERM, -EINVAL, -EFAULT}},
    {"reboot", call_reboot, {-ENOSYS, -EPERM}},
    {"swapon", call_swapon, {-ENOSYS, -EPERM}},
    {"swapoff", call_swapoff, {-ENOSYS, -EPERM}},
    {"sethostname", call_sethostname, {-ENOSYS, -EPERM}},
    {"setdomainname", call_setdomainname, {-ENOSYS, -EPERM}},
    {"init_module", call_init_module, {-ENOSYS, -EPERM}},
    {"finit_module", call_finit_module, {-ENOSYS, -EPERM}},
    {"delete_module", call_delete_module, {-ENOSYS, -EPERM}},
    {"kexec_load", call_kexec, {-ENOSYS, -EPERM}},
    {"acct", call_acct, {-ENOSYS, -EPERM}},
    {"quotactl", call_quotactl, {-ENOSYS, -EPERM}},
    {"syslog", call_syslog, {-ENOSYS, -EPERM}},
    {"iopl", call_iopl, {-ENOSYS, -EPERM}},
    {"ioperm", call_ioperm, {-ENOSYS, -EPERM}},
    {"settimeofday", set_time, {-ENOSYS, -EPERM}},
    {"clock_settime", set_clock, {-ENOSYS, -EPERM}},
    {"adjtimex", adjust_clock, {-ENOSYS, -EPERM}},
    {"chroot", call_chroot, {-ENOSYS, -EPERM, DONE}},
    {0},
};
