// Large buffers of which little is used: what a call transfers is what it costs, in memory as well. More than one portion is transferred, too.
#include "check.h"
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/socket.h>

#define SIZE (100L << 20)
#define TIMES 20
static char *b;
static struct iovec halves[2];
static struct msghdr message = { .msg_iov = halves, .msg_iovlen = 2 };

// Again and again, and once with its result.
#define OFTEN(call) do { for (int i_ = 1; i_ < TIMES; i_++) (void)!(call); CALL(call); } while (0)

static long resident(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (fscanf(f, "%*d %ld", &pages) != 1) pages = -1;
    fclose(f);
    return pages;
}

static unsigned sum(const char *p, long length) {
    unsigned s = 0;
    for (long i = 0; i < length; i++) s = s * 31 + (unsigned char)p[i];
    return s;
}

int main(void) {
    b = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    halves[0] = (struct iovec){ b, SIZE / 2 };
    halves[1] = (struct iovec){ b + SIZE / 2, SIZE / 2 };
    int null = open("/dev/null", O_RDONLY), file = open("empty", O_CREAT | O_RDWR | O_TRUNC, 0600), p[2], s[2], d[2];
    if (pipe2(p, O_NONBLOCK) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s) || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, d)) return 1;
    int notify = inotify_init1(IN_NONBLOCK), event = eventfd(0, EFD_NONBLOCK), comm = open("/proc/self/comm", O_RDONLY);
    mkdir("folder", 0700);
    int folder = open("folder", O_RDONLY | O_DIRECTORY);
    long before = resident();

    SAY("-- nothing comes");
    OFTEN(read(null, b, SIZE));
    OFTEN(read(file, b, SIZE));
    OFTEN(pread(file, b, SIZE, 0));
    OFTEN(readv(file, halves, 2));
    OFTEN(preadv(file, halves, 2, 0));
    OFTEN(read(p[0], b, SIZE));
    OFTEN(read(s[0], b, SIZE));
    OFTEN(read(d[0], b, SIZE));
    OFTEN(recv(s[0], b, SIZE, 0));
    OFTEN(recvmsg(s[0], &message, 0));
    OFTEN(read(notify, b, SIZE));
    OFTEN(read(event, b, SIZE));

    SAY("-- little comes");
    for (int i = 0; i < TIMES; i++) if (write(p[1], "pipe", 4) != 4 || send(s[1], "sock", 4, 0) != 4) return 2;
    CALL(pread(comm, b, SIZE, 2) > 0);
    CALL(read(p[0], b, SIZE));
    CALL(recvmsg(s[0], &message, 0));
    OFTEN((lseek(folder, 0, SEEK_SET), syscall(SYS_getdents64, folder, b, SIZE) > 0));
    OFTEN(readlink("/proc/self/cwd", b, SIZE) > 0);
    OFTEN(syscall(SYS_getcwd, b, SIZE) > 0);

    SAY("-- nothing goes");
    while (write(p[1], b, 4096) > 0) {}
    while (send(s[0], b, 4096, 0) > 0) {}
    OFTEN(write(p[1], b, SIZE));
    OFTEN(writev(p[1], halves, 2));
    OFTEN(write(s[0], b, SIZE));
    OFTEN(sendmsg(s[0], &message, 0));
    OFTEN(send(d[0], b, SIZE, 0));
    SAY("memory: %s", resident() - before < (8 << 20) / 4096 ? "as before" : "more");

    SAY("-- much comes");
    int full = open("full", O_CREAT | O_RDWR | O_TRUNC, 0600);
    for (long i = 0; i < 3000000; i++) b[SIZE / 2 + i] = i * 7 >> 3;
    CALL(write(full, b + SIZE / 2, 3000000));
    CALL(pread(full, b + 5, SIZE / 2, 0));
    SHOW(sum(b, 3000010));
    lseek(full, 0, SEEK_SET);
    struct iovec odd[3] = { { b, 700000 }, { b + 800000, 600001 }, { b + 2000000, SIZE / 4 } };
    CALL(readv(full, odd, 3));
    SHOW(sum(b, 4000000));
    CALL(read(full, b, SIZE));
    CALL(getrandom(b, 1000000, 0));

    SAY("-- the buffer ends");
    char *end = b + (10L << 20);
    CALL(munmap(end, 1 << 20));
    CALL(pread(full, end - 1000000, SIZE, 0));
    CALL(pread(full, end - 1, 10, 0));
    CALL(pread(full, end, SIZE, 0));
    CALL(pread(full, end, 10, 5000000));
    struct iovec bad[2] = { { b, 300000 }, { end, 10 } };
    CALL(preadv(full, bad, 2, 0));
    SHOW(sum(end - 1000000, 1000000));
    return 0;
}
