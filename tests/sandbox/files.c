/* Changing files outside, by every way there is: all succeeds for the guest, and nothing outside changes. */
#include "escapes.h"
#include <dirent.h>
#include <linux/fs.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>

#define ORIGINAL "as it was\n"
#define CHANGED "CHANGED!!\n"

static long overwrite_fd(int fd)
{
    if (fd < 0) return -errno;
    STEP(write(fd, CHANGED, sizeof CHANGED - 1));
    STEP(close(fd));
    return 0;
}

static long overwrite(const char *name, const char *path, int flags)
{
    long r = overwrite_fd(open(path, flags, 0644));
    return r < 0 ? r : holds(at(name), CHANGED);
}

static long open_write(void) { return overwrite("open", at("open"), O_WRONLY); }
static long open_truncate(void) { return overwrite("truncated", at("truncated"), O_WRONLY | O_TRUNC); }
static long open_create(void) { return overwrite("new", at("new"), O_WRONLY | O_CREAT | O_EXCL); }
static long open_append(void)
{
    long r = overwrite_fd(open(at("append"), O_WRONLY | O_APPEND));
    return r < 0 ? r : holds(at("append"), ORIGINAL CHANGED);
}
static long call_creat(void)
{
    long r = overwrite_fd(creat(at("creat"), 0600));
    return r < 0 ? r : holds(at("creat"), CHANGED);
}
static long by_directory(void)
{
    int directory = STEP(open(canaries, O_RDONLY | O_DIRECTORY));
    long r = overwrite_fd(openat(directory, "openat", O_WRONLY));
    return r < 0 ? r : holds(at("openat"), CHANGED);
}
static long by_path_descriptor(void)
{
    int directory = STEP(open(at("d"), O_PATH));
    long r = overwrite_fd(openat(directory, "../opath", O_WRONLY));
    return r < 0 ? r : holds(at("opath"), CHANGED);
}
static long by_openat2(void)
{
    unsigned long how[3] = {O_WRONLY, 0, 0};
    long r = overwrite_fd(syscall(SYS_openat2, AT_FDCWD, at("openat2"), how, sizeof how));
    return r < 0 ? r : holds(at("openat2"), CHANGED);
}
static long by_working_directory(void)
{
    STEP(chdir(at("d")));
    long r = overwrite_fd(open("../relative", O_WRONLY));
    STEP(chdir("/"));
    return r < 0 ? r : holds(at("relative"), CHANGED);
}
static long unnamed_then_named(void)
{
    char name[64];
    int fd = STEP(open(canaries, O_TMPFILE | O_RDWR, 0600));
    STEP(write(fd, CHANGED, 10));
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    STEP(linkat(AT_FDCWD, name, AT_FDCWD, at("named"), AT_SYMLINK_FOLLOW));
    return holds(at("named"), CHANGED);
}
static long below(const char *prefix, const char *name)
{
    char path[8192];
    snprintf(path, sizeof path, "%s%s", prefix, at(name));
    return overwrite(name, path, O_WRONLY);
}
static long by_own_root(void) { return below("/proc/self/root", "root"); }
static long by_thread_root(void) { return below("/proc/thread-self/root", "threadroot"); }
static long by_own_directory(void)
{
    STEP(chdir(canaries));
    long r = overwrite("cwd", "/proc/self/cwd/cwd", O_WRONLY);
    STEP(chdir("/"));
    return r;
}
static long reopened(const char *name, const char *form)
{
    char path[64];
    int fd = STEP(open(at(name), O_RDONLY));
    snprintf(path, sizeof path, form, fd);
    long r = overwrite(name, path, O_WRONLY);
    close(fd);
    return r;
}
static long by_own_descriptor(void) { return reopened("reopened", "/proc/self/fd/%d"); }
static long by_dev_fd(void) { return reopened("devfd", "/dev/fd/%d"); }
static long by_thread_descriptor(void) { return reopened("threadfd", "/proc/thread-self/fd/%d"); }
static long by_handle(void)
{
    struct { unsigned bytes; int type; unsigned char handle[128]; } handle = {.bytes = 128};
    int mount;
    long r = CALL(SYS_name_to_handle_at, AT_FDCWD, at("handle"), &handle, &mount, 0);
    if (r < 0) return r;
    int root = STEP(open("/", O_RDONLY));
    return overwrite_fd(syscall(SYS_open_by_handle_at, root, &handle, O_WRONLY));
}
static long by_symbolic_link(void)
{
    STEP(symlink(at("linked"), at("way")));
    return overwrite("linked", at("way"), O_WRONLY);
}
static long by_old_link(void) { return overwrite("target", at("oldlink"), O_WRONLY); }
static long by_hard_link(void)
{
    STEP(link(at("hard"), at("harder")));
    return overwrite("hard", at("harder"), O_WRONLY);
}
static long by_proc_link(void)
{
    STEP(symlink("/proc/self/root", at("procway")));
    char path[8192];
    snprintf(path, sizeof path, "%s%s", at("procway"), at("proclinked"));
    /* /proc/self is the guest's own, and its root the sandbox. */
    return overwrite("proclinked", path, O_WRONLY);
}
static long rename_file(void) { STEP(rename(at("rename"), at("renamed"))); return holds(at("renamed"), ORIGINAL); }
static long rename_over(void) { STEP(rename(at("over"), at("victim"))); return holds(at("victim"), ORIGINAL); }
static long rename_directory(void) { STEP(rename(at("moved"), at("gone"))); return holds(at("gone/inner"), ORIGINAL); }
static long exchange_files(void)
{
    STEP(syscall(SYS_renameat2, AT_FDCWD, at("exchange"), AT_FDCWD, at("exchanged"), RENAME_EXCHANGE));
    return holds(at("exchange"), ORIGINAL) == DONE && holds(at("exchanged"), ORIGINAL) == DONE ? DONE : WRONG;
}
static long link_file(void) { STEP(link(at("link"), at("newlink"))); return holds(at("newlink"), ORIGINAL); }
static long link_empty_path(void)
{
    int fd = STEP(open(at("empty"), O_PATH));
    STEP(linkat(fd, "", AT_FDCWD, at("emptylink"), AT_EMPTY_PATH));
    return holds(at("emptylink"), ORIGINAL);
}
static long make_symlink(void)
{
    char target[16];
    STEP(symlink("x", at("symlink")));
    return readlink(at("symlink"), target, sizeof target) == 1 ? DONE : WRONG;
}
static long unlink_file(void) { STEP(unlink(at("unlink"))); return access(at("unlink"), F_OK) < 0 && errno == ENOENT ? DONE : WRONG; }
static long remove_directory(void) { STEP(rmdir(at("rmdir"))); return access(at("rmdir"), F_OK) < 0 ? DONE : WRONG; }
static long make_directory(void) { STEP(mkdir(at("mkdir"), 0700)); return access(at("mkdir"), F_OK) == 0 ? DONE : WRONG; }
static long make_fifo(void) { STEP(mkfifo(at("mkfifo"), 0600)); return access(at("mkfifo"), F_OK) == 0 ? DONE : WRONG; }
static long make_device(void) { return RESULT(mknod(at("mem"), S_IFCHR | 0600, makedev(1, 1))); }
static long make_disk(void) { return RESULT(mknod(at("disk"), S_IFBLK | 0600, makedev(7, 0))); }
static long shared_mapping(void)
{
    int fd = STEP(open(at("mmap"), O_RDWR));
    char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return -errno;
    memcpy(p, CHANGED, 10);
    STEP(msync(p, 4096, MS_SYNC));
    return holds(at("mmap"), CHANGED);
}
static long read_only_mapping(void)
{
    int fd = STEP(open(at("mprotect"), O_RDONLY));
    char *p = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return -errno;
    return RESULT(mprotect(p, 4096, PROT_READ | PROT_WRITE));
}
static int source(void)
{
    int fd = open(at("source"), O_RDWR | O_CREAT, 0600);
    if (fd >= 0 && write(fd, CHANGED, 10) == 10) lseek(fd, 0, SEEK_SET);
    return fd;
}
static long call_sendfile(void)
{
    int fd = STEP(open(at("sendfile"), O_WRONLY));
    STEP(sendfile(fd, source(), 0, 10));
    return holds(at("sendfile"), CHANGED);
}
static long call_copy_file_range(void)
{
    int fd = STEP(open(at("copyrange"), O_WRONLY));
    STEP(copy_file_range(source(), 0, fd, 0, 10, 0));
    return holds(at("copyrange"), CHANGED);
}
static long call_splice(void)
{
    int ends[2], fd = STEP(open(at("splice"), O_WRONLY));
    STEP(pipe(ends));
    STEP(write(ends[1], CHANGED, 10));
    STEP(splice(ends[0], 0, fd, 0, 10, 0));
    return holds(at("splice"), CHANGED);
}
static long call_pwritev2(void)
{
    struct iovec piece = {CHANGED, 10};
    int fd = STEP(open(at("pwritev2"), O_WRONLY));
    STEP(pwritev2(fd, &piece, 1, 0, 0));
    return holds(at("pwritev2"), CHANGED);
}
static long punch_hole(void)
{
    int fd = STEP(open(at("hole"), O_RDWR));
    STEP(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 5));
    return holds(at("hole"), "\0\0\0\0\0 was\n") == WRONG ? DONE : WRONG;
}
static long call_truncate(void) { STEP(truncate(at("truncate"), 2)); return holds(at("truncate"), "as"); }
static long call_ftruncate(void)
{
    int fd = STEP(open(at("ftruncate"), O_RDWR));
    STEP(ftruncate(fd, 2));
    return holds(at("ftruncate"), "as");
}
static long clone_range(void)
{
    int fd = STEP(open(at("clone"), O_RDWR));
    return RESULT(ioctl(fd, FICLONE, source()));
}
static long set_flags(void)
{
    int flags = FS_IMMUTABLE_FL, fd = STEP(open(at("flags"), O_RDONLY));
    return RESULT(ioctl(fd, FS_IOC_SETFLAGS, &flags));
}
static long mode_of(const char *name) { struct stat s; STEP(stat(at(name), &s)); return s.st_mode & 0777; }
static long call_chmod(void) { STEP(chmod(at("chmod"), 0777)); return mode_of("chmod") == 0777 ? DONE : WRONG; }
static long call_fchmod(void)
{
    int fd = STEP(open(at("fchmod"), O_RDONLY));
    STEP(fchmod(fd, 0777));
    return mode_of("fchmod") == 0777 ? DONE : WRONG;
}
static long chmod_by_descriptor(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)STEP(open(at("fdchmod"), O_PATH)));
    STEP(chmod(path, 0777));
    return mode_of("fdchmod") == 0777 ? DONE : WRONG;
}
static long call_chown(void)
{
    struct stat s;
    int wanted = geteuid() == 0 ? 12345 : (int)getegid();
    STEP(lchown(at("chown"), geteuid() == 0 ? wanted : -1, geteuid() == 0 ? -1 : wanted));
    STEP(stat(at("chown"), &s));
    return (int)(geteuid() == 0 ? s.st_uid : s.st_gid) == wanted ? DONE : WRONG;
}
static long call_utimes(void)
{
    struct timespec times[2] = {{5, 0}, {7, 0}};
    struct stat s;
    STEP(utimensat(AT_FDCWD, at("utimes"), times, 0));
    STEP(stat(at("utimes"), &s));
    return s.st_mtime == 7 ? DONE : WRONG;
}
static long call_setxattr(void)
{
    char value[8];
    STEP(setxattr(at("xattr"), "user.mark", "1", 1, 0));
    return getxattr(at("xattr"), "user.mark", value, 8) == 1 ? DONE : WRONG;
}
static long call_fsetxattr(void)
{
    int fd = STEP(open(at("fxattr"), O_RDONLY));
    STEP(fsetxattr(fd, "user.mark", "1", 1, 0));
    STEP(fremovexattr(fd, "user.mark"));
    return DONE;
}
static long bind_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    STEP(chdir(canaries));
    strcpy(name.sun_path, "bound");
    STEP(bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&name, sizeof name));
    STEP(chdir("/"));
    return access(at("bound"), F_OK) == 0 ? DONE : WRONG;
}
static long watch(void)
{
    int fd = STEP(inotify_init1(IN_NONBLOCK));
    STEP(inotify_add_watch(fd, canaries, IN_CREATE));
    STEP(mkdir(at("watched"), 0700));
    char event[512];
    return read(fd, event, sizeof event) > 0 ? DONE : WRONG;
}
static long watch_all(void) { return CALL(SYS_fanotify_init, 0, 0); }
static long outside_fifo(void) { return RESULT(open(at("fifo"), O_WRONLY | O_NONBLOCK)); }
static long lease(void)
{
    int fd = STEP(open(at("lease"), O_RDONLY));
    return RESULT(fcntl(fd, F_SETLEASE, F_WRLCK));
}
static long write_to(const char *path) { return RESULT(open(path, O_WRONLY)); }
static long hostname_file(void) { return write_to("/proc/sys/kernel/hostname"); }
static long core_pattern(void) { return write_to("/proc/sys/kernel/core_pattern"); }
static long sysrq(void) { return write_to("/proc/sysrq-trigger"); }
static long power(void) { return write_to("/sys/power/state"); }
static long uevent(void) { return write_to("/sys/class/mem/null/uevent"); }
static long shared_memory(void)
{
    int fd = STEP(open("/dev/shm/culprit-escape", O_RDWR | O_CREAT, 0600));
    return RESULT(ftruncate(fd, 4096)) == 0 ? DONE : WRONG;
}

const struct row file_rows[] = {
    {"open for writing", open_write, {DONE}},
    {"O_TRUNC", open_truncate, {DONE}},
    {"O_CREAT", open_create, {DONE}},
    {"O_APPEND", open_append, {DONE}},
    {"creat", call_creat, {DONE}},
    {"openat below a descriptor", by_directory, {DONE}},
    {"openat below O_PATH, by ..", by_path_descriptor, {DONE}},
    {"openat2", by_openat2, {DONE}},
    {"a relative path", by_working_directory, {DONE}},
    {"O_TMPFILE that gets a name", unnamed_then_named, {DONE, -EOPNOTSUPP}},
    {"/proc/self/root", by_own_root, {DONE}},
    {"/proc/thread-self/root", by_thread_root, {DONE}},
    {"/proc/self/cwd", by_own_directory, {DONE}},
    {"/proc/self/fd/N opened anew", by_own_descriptor, {DONE}},
    {"/dev/fd/N opened anew", by_dev_fd, {DONE}},
    {"/proc/thread-self/fd/N opened anew", by_thread_descriptor, {DONE}},
    {"open_by_handle_at", by_handle, {-ENOSYS, -EOPNOTSUPP, -EPERM}},
    {"a symbolic link of its own", by_symbolic_link, {DONE}},
    {"a symbolic link that was there", by_old_link, {DONE}},
    {"a hard link of its own", by_hard_link, {DONE}},
    {"a symbolic link to /proc/self/root", by_proc_link, {DONE}},
    {"rename", rename_file, {DONE}},
    {"rename over another", rename_over, {DONE}},
    {"rename of a directory", rename_directory, {DONE}},
    {"renameat2 RENAME_EXCHANGE", exchange_files, {DONE}},
    {"link", link_file, {DONE}},
    {"linkat AT_EMPTY_PATH", link_empty_path, {DONE, -ENOENT}},
    {"symlink", make_symlink, {DONE}},
    {"unlink", unlink_file, {DONE}},
    {"rmdir", remove_directory, {DONE}},
    {"mkdir", make_directory, {DONE}},
    {"mkfifo", make_fifo, {DONE}},
    {"mknod of /dev/mem", make_device, {-EPERM}},
    {"mknod of a disk", make_disk, {-EPERM}},
    {"mmap shared and writable", shared_mapping, {DONE}},
    {"mprotect of a read-only mapping", read_only_mapping, {-EACCES}},
    {"sendfile", call_sendfile, {DONE}},
    {"copy_file_range", call_copy_file_range, {DONE}},
    {"splice", call_splice, {DONE}},
    {"pwritev2", call_pwritev2, {DONE}},
    {"fallocate of a hole", punch_hole, {DONE}},
    {"truncate", call_truncate, {DONE}},
    {"ftruncate", call_ftruncate, {DONE}},
    {"ioctl FICLONE", clone_range, {-EOPNOTSUPP, -ENOTTY, -EINVAL}},
    {"ioctl FS_IOC_SETFLAGS", set_flags, {-EOPNOTSUPP, -ENOTTY, -EPERM}},
    {"chmod", call_chmod, {DONE}},
    {"fchmod", call_fchmod, {DONE}},
    {"chmod by /proc/self/fd/N", chmod_by_descriptor, {DONE}},
    {"chown", call_chown, {DONE}},
    {"utimensat", call_utimes, {DONE}},
    {"setxattr", call_setxattr, {DONE, -EOPNOTSUPP}},
    {"fsetxattr and fremovexattr", call_fsetxattr, {DONE, -EOPNOTSUPP}},
    {"bind of a Unix socket", bind_socket, {DONE}},
    {"inotify", watch, {DONE}},
    {"fanotify", watch_all, {-ENOSYS, -EPERM}},
    {"a FIFO that is read outside", outside_fifo, {-ENXIO}},
    {"a lease", lease, {-EINVAL, -EAGAIN, -EACCES}},
    {"/proc/sys/kernel/hostname", hostname_file, {-EACCES}},
    {"/proc/sys/kernel/core_pattern", core_pattern, {-EACCES}},
    {"/proc/sysrq-trigger", sysrq, {-EACCES, -ENOENT}},
    {"/sys/power/state", power, {-EACCES, -ENOENT}},
    {"/sys/class/mem/null/uevent", uevent, {-EACCES, -ENOENT}},
    {"/dev/shm", shared_memory, {DONE, -ENOENT}},
    {0},
};
