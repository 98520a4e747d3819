/* Descriptors that the user has connected: 5 a log to be added to, 6 the same but readable too, 7 a file to be read. */
#include "escapes.h"
#include <linux/falloc.h>
#include <sys/mman.h>

enum { LOG = 5, READABLE_LOG = 6, INPUT = 7 };
#define ADDED "added\n"

static long cut_log(void) { return RESULT(ftruncate(LOG, 0)); }
static long cut_by_path(void) { return RESULT(truncate("/proc/self/fd/5", 0)); }
static long add(int fd)
{
    if (fd < 0) return -errno;
    return write(fd, ADDED, 6) == 6 ? DONE : WRONG;
}
static long emptied_by_opening(void) { return add(open("/proc/self/fd/5", O_WRONLY | O_TRUNC)); }
static long emptied_by_dev_fd(void) { return add(open("/dev/fd/6", O_RDWR | O_TRUNC)); }
static long overwritten(void)
{
    STEP(fcntl(LOG, F_SETFL, 0));
    STEP(lseek(LOG, 0, SEEK_SET));
    return add(LOG);
}
static long overwritten_in_place(void)
{
    STEP(fcntl(READABLE_LOG, F_SETFL, 0));
    return pwrite(READABLE_LOG, ADDED, 6, 0) == 6 ? DONE : WRONG;
}
static long opened_without_append(void)
{
    int fd = STEP(open("/proc/self/fd/6", O_RDWR));
    return pwrite(fd, ADDED, 6, 0) == 6 ? DONE : WRONG;
}
static long hole(void) { return RESULT(fallocate(LOG, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4)); }
static long zeros(void) { return RESULT(fallocate(READABLE_LOG, FALLOC_FL_ZERO_RANGE, 0, 4)); }
static long collapsed(void) { return RESULT(fallocate(READABLE_LOG, FALLOC_FL_COLLAPSE_RANGE, 0, 4096)); }
static long mapped(void)
{
    return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, READABLE_LOG, 0) == MAP_FAILED ? -errno : WRONG;
}
static long mapped_then_protected(void)
{
    char *p = mmap(0, 4096, PROT_READ, MAP_SHARED, READABLE_LOG, 0);
    if (p == MAP_FAILED) return -errno;
    if (mprotect(p, 4096, PROT_READ | PROT_WRITE) < 0) return -errno;
    memcpy(p, "XXXX", 4);
    msync(p, 4096, MS_SYNC);
    return munmap(p, 4096) == 0 ? DONE : WRONG;
}
static long mode(void) { return RESULT(fchmod(LOG, 0777)); }
static long times(void) { return RESULT(futimens(LOG, (struct timespec[]){{1, 0}, {1, 0}})); }
static long more_rights(void) { return RESULT(open("/proc/self/fd/7", O_WRONLY)); }
static long emptied_input(void) { return RESULT(open("/proc/self/fd/7", O_RDONLY | O_TRUNC)); }
static long cut_input(void) { return RESULT(ftruncate(INPUT, 0)); }
static long linked_input(void) { return RESULT(linkat(AT_FDCWD, "/proc/self/fd/5", AT_FDCWD, at("taken"), AT_SYMLINK_FOLLOW)); }

const struct row stream_rows[] = {
    {"ftruncate", cut_log, {-EPERM}},
    {"truncate of /proc/self/fd/N", cut_by_path, {-EPERM}},
    {"O_TRUNC by /proc/self/fd/N", emptied_by_opening, {DONE}},
    {"O_TRUNC by /dev/fd/N", emptied_by_dev_fd, {DONE}},
    {"F_SETFL without O_APPEND, then write", overwritten, {DONE}},
    {"F_SETFL without O_APPEND, then pwrite", overwritten_in_place, {DONE}},
    {"opened anew without O_APPEND", opened_without_append, {DONE}},
    {"fallocate of a hole", hole, {-EPERM}},
    {"fallocate of zeros", zeros, {-EPERM}},
    {"fallocate that collapses", collapsed, {-EPERM}},
    {"mmap shared and writable", mapped, {-EACCES}},
    {"mmap shared, then mprotect", mapped_then_protected, {DONE, -EACCES}},
    {"fchmod", mode, {-EPERM}},
    {"futimens", times, {-EPERM}},
    {"reading becomes writing", more_rights, {-EACCES}},
    {"reading becomes emptying", emptied_input, {-EACCES}},
    {"ftruncate of what is only read", cut_input, {-EINVAL}},
    {"linkat gives it another name", linked_input, {-EPERM, -EXDEV, -ENOENT, -EACCES}},
    {0},
};
