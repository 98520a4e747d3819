/* Terminals of others, and devices that are not the guest's business. */
#include "escapes.h"
#include <sys/ioctl.h>

static long foreign(int flags) { return RESULT(open(outside_terminal, flags)); }
static long read_foreign(void) { return foreign(O_RDONLY | O_NONBLOCK); }
static long write_foreign(void) { return foreign(O_WRONLY | O_NOCTTY); }
static long use_foreign(void) { return foreign(O_RDWR); }
static long by_root(void)
{
    char path[256];
    snprintf(path, sizeof path, "/proc/self/root%s", outside_terminal);
    return RESULT(open(path, O_RDWR));
}
static long by_link(void)
{
    STEP(symlink(outside_terminal, at("terminal")));
    return RESULT(open(at("terminal"), O_RDWR));
}
static long by_hard_link(void)
{
    long r = RESULT(link(outside_terminal, "/dev/pts/culprit-escape"));
    return r < 0 ? r : RESULT(open("/dev/pts/culprit-escape", O_RDWR));
}
static long by_path_descriptor(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", (int)STEP(open(outside_terminal, O_PATH)));
    return RESULT(open(path, O_RDWR));
}
static long controlling(void) { return RESULT(open("/dev/tty", O_RDWR)); }
static long push(void) { return RESULT(ioctl(0, TIOCSTI, "x")); }
static long console(void) { return RESULT(ioctl(0, TIOCCONS, 0)); }
static long hang_up(void) { return CALL(SYS_vhangup); }

#define DEVICE(name, path) static long name(void) { return RESULT(open(path, O_RDWR)); }
DEVICE(dev_console, "/dev/console")
DEVICE(dev_tty1, "/dev/tty1")
DEVICE(dev_serial, "/dev/ttyS0")
DEVICE(dev_ptmx, "/dev/ptmx")
DEVICE(dev_mem, "/dev/mem")
DEVICE(dev_kmem, "/dev/kmem")
DEVICE(dev_port, "/dev/port")
DEVICE(dev_kmsg, "/dev/kmsg")
DEVICE(dev_disk, "/dev/vda")
DEVICE(dev_sda, "/dev/sda")
DEVICE(dev_loop, "/dev/loop0")
DEVICE(dev_loop_control, "/dev/loop-control")
DEVICE(dev_kvm, "/dev/kvm")
DEVICE(dev_fuse, "/dev/fuse")
DEVICE(dev_vsock, "/dev/vsock")
DEVICE(dev_userfault, "/dev/userfaultfd")
DEVICE(dev_tun, "/dev/net/tun")
DEVICE(dev_screen, "/dev/vcs1")
DEVICE(dev_random, "/dev/hwrng")
static long null_device(void)
{
    int fd = STEP(open("/dev/null", O_RDWR));
    return write(fd, "x", 1) == 1 ? DONE : WRONG;
}

const struct row terminal_rows[] = {
    {"another's terminal, to be read", read_foreign, {-EPERM}},
    {"another's terminal, to be written", write_foreign, {-EPERM}},
    {"another's terminal, for both", use_foreign, {-EPERM}},
    {"another's terminal by /proc/self/root", by_root, {-EPERM}},
    {"another's terminal by a symbolic link", by_link, {-EPERM}},
    {"another's terminal by a hard link", by_hard_link, {-EPERM, -EACCES}},
    {"another's terminal by O_PATH", by_path_descriptor, {-EPERM}},
    {"/dev/tty without a terminal", controlling, {-ENXIO}},
    {"TIOCSTI", push, {-ENOTTY, -EPERM}},
    {"TIOCCONS", console, {-ENOTTY, -EPERM}},
    {"vhangup", hang_up, {-EPERM, -ENOSYS}},
    {"/dev/console", dev_console, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/tty1", dev_tty1, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/ttyS0", dev_serial, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/ptmx", dev_ptmx, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/mem", dev_mem, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/kmem", dev_kmem, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/port", dev_port, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/kmsg", dev_kmsg, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/vda", dev_disk, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/sda", dev_sda, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/loop0", dev_loop, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/loop-control", dev_loop_control, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/kvm", dev_kvm, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/fuse", dev_fuse, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/vsock", dev_vsock, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/userfaultfd", dev_userfault, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/net/tun", dev_tun, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/vcs1", dev_screen, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/hwrng", dev_random, {-EPERM, -ENOENT, -EACCES}},
    {"/dev/null, which does no harm", null_device, {DONE}},
    {0},
};
