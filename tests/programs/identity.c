// Who and where: ids, groups, limits, usage, uname, scheduling, random bytes; calls that must fail, fail alike.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    gid_t groups[100]; uid_t r, e, s; struct utsname u; struct rlimit limit; struct rusage usage; struct sysinfo info; struct tms tms; unsigned char random[32] = {0}; int set = 0; char name[20];
    printf("%d %d %d %d %d\n", getuid(), geteuid(), getgid(), getegid(), getgroups(100, groups)); getresuid(&r, &e, &s); printf("%d %d %d\n", r, e, s); struct passwd *p = getpwuid(0); printf("%s %s\n", p->pw_name, p->pw_dir); struct group *g = getgrnam("root"); printf("%d\n", g ? (int)g->gr_gid : -1);
    printf("%d %s %s %d\n", uname(&u), u.sysname, u.machine, strlen(u.release) > 0); printf("%d %d %d\n", getpid() > 1, getppid() > 0, getpgrp() > 0);
    for (int i = 0; i < 16; i++) { if (i == RLIMIT_STACK || i == RLIMIT_NOFILE || i == RLIMIT_CORE || i == RLIMIT_AS) { getrlimit(i, &limit); printf("%d: %ld\n", i, (long)limit.rlim_cur); } } limit = (struct rlimit){100, 100}; printf("%d", setrlimit(RLIMIT_NOFILE, &limit)); getrlimit(RLIMIT_NOFILE, &limit); printf(" %ld\n", (long)limit.rlim_max);
    printf("%d %d\n", getrusage(RUSAGE_SELF, &usage), usage.ru_maxrss > 0); printf("%d %d\n", sysinfo(&info), info.totalram > 0 && info.uptime > 0); printf("%d\n", times(&tms) != (clock_t)-1);
    ssize_t n = getrandom(random, sizeof random, 0); for (int i = 0; i < 32; i++) set |= random[i]; printf("%zd %d %d\n", n, set != 0, getentropy(random, 16)); printf("%d %d\n", sched_yield(), sched_getcpu() >= 0); cpu_set_t cpus; printf("%d %d\n", sched_getaffinity(0, sizeof cpus, &cpus), CPU_COUNT(&cpus) > 0);
    printf("%d", prctl(PR_SET_NAME, "renamed")); prctl(PR_GET_NAME, name); printf(" %s\n", name); printf("%d %d\n", getpriority(PRIO_PROCESS, 0), prctl(PR_GET_DUMPABLE)); printf("%d %d\n", wait(NULL), errno == ECHILD); printf("%d %d\n", (int)syscall(9999), errno == ENOSYS); printf("%d %d\n", setuid(getuid()), setpgid(0, 0) <= 0);
    printf("%ld %d\n", syscall(SYS_gettid) - getpid(), gethostname(name, 1) < 0); printf("%d %d\n", nice(0), sysconf(_SC_NPROCESSORS_ONLN) > 0); printf("%d %d\n", chroot("/nowhere"), errno == ENOENT || errno == EPERM); printf("%d\n", isatty(1));
    return 0;
}
