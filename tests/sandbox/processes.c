/* Processes outside: one of them has a secret in its environment. For the guest they are not there. */
#include "escapes.h"
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>

static long call_kill(void) { return RESULT(kill(outside_pid, SIGTERM)); }
static long call_kill_0(void) { return RESULT(kill(outside_pid, 0)); }
static long kill_group(void) { return RESULT(kill(-outside_pid, SIGTERM)); }
static long kill_all(void) { return RESULT(kill(-1, SIGTERM)); }
static long kill_parent(void) { return RESULT(kill(getppid(), SIGTERM)); }
static long call_tkill(void) { return CALL(SYS_tkill, outside_pid, SIGTERM); }
static long call_tgkill(void) { return CALL(SYS_tgkill, outside_pid, outside_pid, SIGTERM); }
static long call_sigqueue(void) { return RESULT(sigqueue(outside_pid, SIGTERM, (union sigval){0})); }
static long call_pidfd_open(void) { return CALL(SYS_pidfd_open, outside_pid, 0); }
static long call_ptrace(void) { return RESULT(ptrace(PTRACE_ATTACH, outside_pid, 0, 0)); }
static long call_seize(void) { return RESULT(ptrace(PTRACE_SEIZE, outside_pid, 0, 0)); }
static char byte;
static long read_memory(void)
{
    struct iovec mine = {&byte, 1}, theirs = {(void *)0x400000, 1};
    return RESULT(process_vm_readv(outside_pid, &mine, 1, &theirs, 1, 0));
}
static long write_memory(void)
{
    struct iovec mine = {&byte, 1}, theirs = {(void *)0x400000, 1};
    return RESULT(process_vm_writev(outside_pid, &mine, 1, &theirs, 1, 0));
}
static long call_prlimit(void)
{
    struct rlimit limit = {0, 0};
    return RESULT(prlimit(outside_pid, RLIMIT_NOFILE, &limit, 0));
}
static long get_limit(void)
{
    struct rlimit limit;
    return RESULT(prlimit(outside_pid, RLIMIT_NOFILE, 0, &limit));
}
static long call_setpriority(void) { return RESULT(setpriority(PRIO_PROCESS, outside_pid, 19)); }
static long call_getpriority(void) { errno = 0; return RESULT(getpriority(PRIO_PROCESS, outside_pid)); }
static long set_affinity(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return RESULT(sched_setaffinity(outside_pid, sizeof set, &set));
}
static long set_scheduler(void)
{
    struct sched_param param = {0};
    return RESULT(sched_setscheduler(outside_pid, SCHED_BATCH, &param));
}
static long set_io_priority(void) { return CALL(SYS_ioprio_set, 1, outside_pid, 0x4000); }
static long call_getpgid(void) { return RESULT(getpgid(outside_pid)); }
static long call_getsid(void) { return RESULT(getsid(outside_pid)); }
static long call_setpgid(void) { return RESULT(setpgid(outside_pid, outside_pid)); }
static long call_kcmp(void) { return CALL(SYS_kcmp, outside_pid, getpid(), 0, 0, 0); }
static long robust_list(void) { void *head; size_t size; return CALL(SYS_get_robust_list, outside_pid, &head, &size); }
static long call_wait(void) { return CALL(SYS_wait4, outside_pid, 0, 0, 0); }
static long call_move_pages(void) { return CALL(SYS_move_pages, outside_pid, 0, 0, 0, 0, 0); }

static long look(const char *form)
{
    char path[4096];
    snprintf(path, sizeof path, form, outside_pid);
    return RESULT(open(path, O_RDONLY));
}
#define LOOK(name, form) static long name(void) { return look(form); }
LOOK(its_mem, "/proc/%d/mem")
LOOK(its_environ, "/proc/%d/environ")
LOOK(its_maps, "/proc/%d/maps")
LOOK(its_cmdline, "/proc/%d/cmdline")
LOOK(its_stat, "/proc/%d/stat")
LOOK(its_root, "/proc/%d/root/etc/passwd")
LOOK(its_directory, "/proc/%d")
LOOK(its_fd, "/proc/%d/fd/0")
LOOK(its_thread, "/proc/%1$d/task/%1$d/environ")
LOOK(by_dots, "/tmp/../proc/%d/environ")
LOOK(by_dot, "/./proc/%d/environ")
LOOK(by_slashes, "//proc//%d///environ")
LOOK(by_own_root, "/proc/self/root/proc/%d/environ")
LOOK(by_zeros, "/proc/0%d/environ")
static long by_directory(void)
{
    char path[64];
    int directory = STEP(open("/proc", O_RDONLY | O_DIRECTORY));
    snprintf(path, sizeof path, "%d/environ", outside_pid);
    return RESULT(openat(directory, path, O_RDONLY));
}
static long by_working_directory(void)
{
    char path[64];
    STEP(chdir("/proc"));
    snprintf(path, sizeof path, "%d/environ", outside_pid);
    long r = RESULT(open(path, O_RDONLY));
    STEP(chdir("/"));
    return r;
}
static long by_link(void)
{
    char target[64], path[4200];
    snprintf(target, sizeof target, "/proc/%d", outside_pid);
    STEP(symlink(target, at("process")));
    snprintf(path, sizeof path, "%s/environ", at("process"));
    return RESULT(open(path, O_RDONLY));
}
static long link_of_it(void)
{
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/%d/exe", outside_pid);
    return RESULT(readlink(path, target, sizeof target));
}
static long status_of_it(void)
{
    char path[64];
    struct stat s;
    snprintf(path, sizeof path, "/proc/%d", outside_pid);
    return RESULT(stat(path, &s));
}
/* Of those in /proc that are processes all are ours. */
static long listed(void)
{
    DIR *directory = opendir("/proc");
    if (directory == 0) return -errno;
    int others = 0, own = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != 0;) {
        int pid = atoi(entry->d_name);
        if (pid == getpid()) own++;
        else if (pid > 0) others++;
    }
    return own == 1 && others == 0 ? DONE : WRONG;
}
/* The engine that runs us is one of the next processes. */
static long engine(void)
{
    char path[64];
    for (int pid = outside_pid - 50; pid < outside_pid + 500; pid++) {
        if (pid == getpid() || pid <= 0) continue;
        snprintf(path, sizeof path, "/./proc/%d/maps", pid);
        if (open(path, O_RDONLY) >= 0) return WRONG;
        if (kill(pid, 0) == 0) return WRONG;
    }
    return DONE;
}
#define CLOSED(name, path) static long name(void) { return RESULT(open(path, O_RDONLY)); }
CLOSED(kernel_core, "/proc/kcore")
CLOSED(kernel_messages, "/proc/kmsg")
CLOSED(kernel_pages, "/proc/kpageflags")
CLOSED(outside_keys, "/proc/keys")
CLOSED(outside_locks, "/proc/locks")
CLOSED(sockets, "/proc/net/tcp")
CLOSED(debugging, "/sys/kernel/debug/sched/debug")
CLOSED(tracing, "/sys/kernel/tracing/trace_pipe")

const struct row process_rows[] = {
    {"kill", call_kill, {-ESRCH}},
    {"kill with signal 0", call_kill_0, {-ESRCH}},
    {"kill of a group", kill_group, {-ESRCH}},
    {"kill of all", kill_all, {-ESRCH}},
    {"kill of its parent", kill_parent, {-ESRCH}},
    {"tkill", call_tkill, {-ESRCH}},
    {"tgkill", call_tgkill, {-ESRCH}},
    {"sigqueue", call_sigqueue, {-ESRCH}},
    {"pidfd_open", call_pidfd_open, {-ESRCH}},
    {"ptrace PTRACE_ATTACH", call_ptrace, {-ESRCH, -EPERM, -ENOSYS}},
    {"ptrace PTRACE_SEIZE", call_seize, {-ESRCH, -EPERM, -ENOSYS}},
    {"process_vm_readv", read_memory, {-ESRCH}},
    {"process_vm_writev", write_memory, {-ESRCH}},
    {"prlimit that sets", call_prlimit, {-ESRCH}},
    {"prlimit that asks", get_limit, {-ESRCH}},
    {"setpriority", call_setpriority, {-ESRCH}},
    {"getpriority", call_getpriority, {-ESRCH}},
    {"sched_setaffinity", set_affinity, {-ESRCH}},
    {"sched_setscheduler", set_scheduler, {-ESRCH}},
    {"ioprio_set", set_io_priority, {-ESRCH, -ENOSYS}},
    {"getpgid", call_getpgid, {-ESRCH}},
    {"getsid", call_getsid, {-ESRCH}},
    {"setpgid", call_setpgid, {-ESRCH}},
    {"kcmp", call_kcmp, {-ESRCH, -ENOSYS}},
    {"get_robust_list", robust_list, {-ESRCH}},
    {"wait4", call_wait, {-ECHILD}},
    {"move_pages", call_move_pages, {-ESRCH, -ENOSYS}},
    {"/proc/PID/mem", its_mem, {-ENOENT}},
    {"/proc/PID/environ", its_environ, {-ENOENT}},
    {"/proc/PID/maps", its_maps, {-ENOENT}},
    {"/proc/PID/cmdline", its_cmdline, {-ENOENT}},
    {"/proc/PID/stat", its_stat, {-ENOENT}},
    {"/proc/PID/root", its_root, {-ENOENT}},
    {"/proc/PID", its_directory, {-ENOENT}},
    {"/proc/PID/fd", its_fd, {-ENOENT}},
    {"/proc/PID/task", its_thread, {-ENOENT}},
    {"/proc/PID by ..", by_dots, {-ENOENT}},
    {"/proc/PID by .", by_dot, {-ENOENT}},
    {"/proc/PID by more slashes", by_slashes, {-ENOENT}},
    {"/proc/PID by /proc/self/root", by_own_root, {-ENOENT}},
    {"/proc/PID with zeros", by_zeros, {-ENOENT}},
    {"/proc/PID below a descriptor", by_directory, {-ENOENT}},
    {"/proc/PID by a relative path", by_working_directory, {-ENOENT}},
    {"/proc/PID by a symbolic link", by_link, {-ENOENT}},
    {"readlink of /proc/PID/exe", link_of_it, {-ENOENT}},
    {"stat of /proc/PID", status_of_it, {-ENOENT}},
    {"the list of /proc", listed, {DONE}},
    {"the engine's own process", engine, {DONE}},
    {"/proc/kcore", kernel_core, {-ENOENT}},
    {"/proc/kmsg", kernel_messages, {-ENOENT}},
    {"/proc/kpageflags", kernel_pages, {-ENOENT}},
    {"/proc/keys", outside_keys, {-ENOENT}},
    {"/proc/locks", outside_locks, {-ENOENT}},
    {"/proc/net/tcp", sockets, {-ENOENT}},
    {"debugfs", debugging, {-ENOENT, -EACCES}},
    {"tracefs", tracing, {-ENOENT, -EACCES}},
    {0},
};
