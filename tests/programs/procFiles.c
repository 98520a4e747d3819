// The files of /proc/self and of threads: their formats field by field, without numbers that differ from run to run.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char text[1 << 18];
static long slurp(const char *path) { int fd = open(path, O_RDONLY); long total = 0, n; text[0] = 0; if (fd < 0) return -1; while ((n = read(fd, text + total, sizeof text - 1 - total)) > 0) total += n; close(fd); text[total] = 0; return total; }
// Numbers become #, so that the format is left.
static void shape(const char *name, const char *path) {
    printf("%s: %s", name, slurp(path) < 0 ? strerror(errno) : "");
    for (char *at = text; *at; at++) { if (isdigit(*at)) { putchar('#'); while (isdigit(at[1])) at++; } else if (*at == ' ') { putchar(' '); while (at[1] == ' ') at++; } else putchar(*at); }
    puts("|");
}
static void line(const char *path, const char *label) {
    slurp(path); char *found = strstr(text, label), *end; if (!found) { printf("no %s in %s\n", label, path); return; }
    end = strchr(found, '\n'); if (end) *end = 0; printf("%s\n", found);
}
static void has(const char *path, const char *const *labels) {
    printf("%s:", path); slurp(path); char *at = text;
    for (; *labels; labels++) { char *found = strstr(at, *labels); printf(" %s%s", *labels, found ? "" : " MISSING"); if (found) at = found; }
    puts("");
}
static int put(const char *path, const char *what) { int fd = open(path, O_WRONLY); if (fd < 0) return -errno; int n = write(fd, what, strlen(what)); n = n < 0 ? -errno : n; close(fd); return n; }
static void mode(const char *name) { char path[100]; struct stat st; snprintf(path, sizeof path, "/proc/self/%s", name); if (lstat(path, &st)) printf("%s %s\n", name, strerror(errno)); else printf("%s %o %d\n", name, st.st_mode, st.st_uid == geteuid()); }

static pthread_barrier_t both;
static void *thread(void *arg) {
    char path[100], other[100]; int tid = syscall(SYS_gettid), pid, own; char name[40], state; long field[60];
    prctl(PR_SET_NAME, "second thread");
    snprintf(path, sizeof path, "/proc/self/task/%d", tid);
    snprintf(other, sizeof other, "%s/stat", path); slurp(other); sscanf(text, "%d (%39[^)]) %c", &own, name, &state);
    int count = 0; for (char *at = text; *at; at++) count += *at == ' ';
    printf("thread stat %d %s %d spaces\n", own == tid, name, count);
    slurp("/proc/thread-self/stat"); sscanf(text, "%d", &own); printf("thread-self %d\n", own == tid);
    slurp("/proc/self/stat"); sscanf(text, "%d (%39[^)])", &own, name); printf("process stat %d %s\n", own == getpid(), name);
    snprintf(other, sizeof other, "%s/status", path); line(other, "Name:"); slurp(other); char *at = strstr(text, "\nPid:"); sscanf(at, "\nPid: %d", &own); at = strstr(text, "Tgid:"); sscanf(at, "Tgid: %d", &pid); printf("status %d %d\n", own == tid, pid == getpid());
    snprintf(other, sizeof other, "%s/comm", path); printf("comm %d", put(other, "a name longer than fits")); slurp(other); printf(" %s", text); prctl(PR_GET_NAME, name); printf("named %s\n", name);
    slurp("/proc/self/comm"); printf("process comm %s", text);
    snprintf(other, sizeof other, "%s/children", path); printf("children %ld\n", slurp(other)); snprintf(other, sizeof other, "%s/task", path); printf("task in task %d\n", access(other, F_OK));
    snprintf(other, sizeof other, "%s/io", path); shape("io", other); snprintf(other, sizeof other, "%s/coredump_filter", path); printf("filter %d\n", access(other, F_OK));
    pthread_barrier_wait(&both); return NULL;
}

int main(int argc, char **argv) {
    static const char *const status[] = {"Name:", "Umask:", "State:", "Tgid:", "Ngid:", "Pid:", "PPid:", "TracerPid:", "Uid:", "Gid:", "FDSize:", "Groups:", "NStgid:", "NSpid:", "NSpgid:", "NSsid:", "VmPeak:", "VmSize:", "VmLck:", "VmPin:", "VmHWM:", "VmRSS:", "RssAnon:", "RssFile:", "RssShmem:", "VmData:", "VmStk:", "VmExe:", "VmLib:", "VmPTE:", "VmSwap:", "Threads:", "SigQ:", "SigPnd:", "ShdPnd:", "SigBlk:", "SigIgn:", "SigCgt:", "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:", "Cpus_allowed:", "Cpus_allowed_list:", "Mems_allowed:", "Mems_allowed_list:", "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:", NULL};
    static const char *const smaps[] = {"Size:", "KernelPageSize:", "MMUPageSize:", "Rss:", "Pss:", "Shared_Clean:", "Shared_Dirty:", "Private_Clean:", "Private_Dirty:", "Referenced:", "Anonymous:", "LazyFree:", "AnonHugePages:", "Swap:", "Locked:", "VmFlags:", "[stack]", "[vsyscall]", NULL};
    static const char *const rollup[] = {"[rollup]", "Rss:", "Pss:", "Pss_Anon:", "Pss_File:", "Pss_Shmem:", "Shared_Clean:", "Private_Dirty:", "Referenced:", "Anonymous:", "Swap:", "SwapPss:", "Locked:", NULL};
    static const char *const meminfo[] = {"MemTotal:", "MemFree:", "MemAvailable:", "Buffers:", "Cached:", "SwapTotal:", "SwapFree:", "Dirty:", "AnonPages:", "Mapped:", "Shmem:", "Slab:", "CommitLimit:", "Committed_AS:", "HugePages_Total:", "Hugepagesize:", NULL};
    setvbuf(stdout, NULL, _IONBF, 0);
    has("/proc/self/status", status); has("/proc/self/smaps", smaps); has("/proc/self/smaps_rollup", rollup); has("/proc/meminfo", meminfo);
    shape("stat", "/proc/self/stat"); shape("statm", "/proc/self/statm"); shape("io", "/proc/self/io"); shape("schedstat", "/proc/self/schedstat"); shape("limits", "/proc/self/limits"); shape("wchan", "/proc/self/wchan"); shape("loginuid", "/proc/self/loginuid"); shape("uid_map", "/proc/self/uid_map"); shape("setgroups", "/proc/self/setgroups"); shape("oom_score", "/proc/self/oom_score"); shape("personality", "/proc/self/personality"); shape("timerslack", "/proc/self/timerslack_ns");
    static const char *const names[] = {"auxv", "cgroup", "clear_refs", "cmdline", "comm", "coredump_filter", "cwd", "environ", "exe", "fd", "fdinfo", "io", "limits", "maps", "mem", "mountinfo", "mounts", "net", "ns", "oom_score", "oom_score_adj", "pagemap", "root", "smaps", "stat", "statm", "status", "task", "timerslack_ns", "uid_map", "wchan", "no-such-file", NULL};
    for (const char *const *name = names; *name; name++) mode(*name);
    // What the numbers are.
    slurp("/proc/self/stat"); char *at = strrchr(text, ')') + 2; unsigned long f[60] = {0}; int n = 3; char state = *at++; while (*at == ' ' && n < 60) f[++n] = strtoul(at, &at, 10);
    printf("fields %d state %c parent %d group %d session %d threads %lu code %d stack %d args %d env %d end %d\n", n, state, f[4] == getppid(), f[5] == getpgrp(), f[6] == getsid(0), f[20], f[26] <= (unsigned long)main && (unsigned long)main < f[27], f[28] > f[47] - (1 << 20) && f[28] < f[48], f[48] == (unsigned long)argv[0], f[50] == f[49], f[51] > f[50]);
    struct rlimit limit = {100, 200}; setrlimit(RLIMIT_NOFILE, &limit); line("/proc/self/limits", "Max open files");
    signal(SIGUSR1, SIG_IGN); line("/proc/self/status", "SigIgn:");
    // What can be written.
    printf("comm %d", put("/proc/self/comm", "renamed")); slurp("/proc/self/comm"); printf(" %s", text);
    slurp("/proc/self/oom_score_adj"); int was = atoi(text); snprintf(text, 100, "%d", was + 100 > 1000 ? 1000 : was + 100); printf("oom %d", put("/proc/self/oom_score_adj", text) > 0); slurp("/proc/self/oom_score_adj"); printf(" %d bad %d\n", atoi(text) == (was + 100 > 1000 ? 1000 : was + 100), put("/proc/self/oom_score_adj", "2000"));
    printf("filter %d", put("/proc/self/coredump_filter", "0x7f")); slurp("/proc/self/coredump_filter"); printf(" %s", text);
    printf("refs %d bad %d\n", put("/proc/self/clear_refs", "1"), put("/proc/self/clear_refs", "9"));
    printf("slack %d", put("/proc/self/timerslack_ns", "70000")); printf(" %d\n", prctl(PR_GET_TIMERSLACK));
    // A program may overwrite its arguments to show another title.
    memset(argv[0], 't', strlen(argv[0])); slurp("/proc/self/cmdline"); printf("title %d %ld\n", text[0] == 't', (long)strlen(text) - (long)strlen(argv[0]));
    unsigned long long entry[2] = {1, 1}; volatile char touched = 1; int fd = open("/proc/self/pagemap", O_RDONLY); n = pread(fd, entry, 8, (unsigned long)&touched >> 12 << 3); printf("pagemap %d %d", n, (int)(entry[0] >> 63)); n = pread(fd, entry, 8, 0); printf(" %d %llu", n, entry[0]); n = pread(fd, entry, 7, 0); printf(" %d\n", n); close(fd);
    int io_fd = open("/dev/null", O_WRONLY); unsigned long before, after; slurp("/proc/self/io"); sscanf(strstr(text, "wchar:"), "wchar: %lu", &before); write(io_fd, text, 1000); slurp("/proc/self/io"); sscanf(strstr(text, "wchar:"), "wchar: %lu", &after); printf("wchar %lu\n", after - before); close(io_fd);
    slurp("/proc/self/mountinfo"); printf("mountinfo %d\n", strstr(text, " / / ") != NULL); char link[200] = {0}; printf("ns %d\n", readlink("/proc/self/ns/pid", link, 199) > 5 && !strncmp(link, "pid:[", 5)); slurp("/proc/self/cgroup"); printf("cgroup %d\n", strchr(text, ':') != NULL);
    printf("mtab %d\n", slurp("/etc/mtab") > 0 || access("/etc/mtab", F_OK));
    pthread_t second; pthread_barrier_init(&both, NULL, 2); pthread_create(&second, NULL, thread, NULL); pthread_barrier_wait(&both); pthread_join(second, NULL);
    return 0;
}
