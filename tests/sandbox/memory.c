/* What a guest may have the sandbox keep. The limit is 16 MiB here: each row goes up to it, and gives back what it took. */
#include "escapes.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/xattr.h>

enum { MEGABYTE = 1 << 20, LIMIT = 16, CHUNK = 1 << 18 };
static char chunk[CHUNK];

/* Writes until it fails: how it failed, if not too late. */
static long fill(int fd)
{
    long done = 0, n;
    if (fd < 0) return -errno;
    while ((n = write(fd, chunk, CHUNK)) > 0)
        if ((done += n) > (LIMIT + 1) * MEGABYTE) return WRONG;
    return -errno;
}
static long written_memory(void)
{
    int fd = memfd_create("memory", 0);
    long r = fill(fd);
    close(fd);
    return r;
}
static long sized_memory(void)
{
    int fd = memfd_create("memory", 0);
    /* A hole takes nothing; what is written into it does. */
    STEP(ftruncate(fd, 3L << 30));
    long r = fill(fd);
    close(fd);
    return r;
}
static long write_megabytes(int fd, int count)
{
    for (int i = 0; i < count * (MEGABYTE / CHUNK); i++)
        if (pwrite(fd, chunk, CHUNK, (long)i * CHUNK) != CHUNK) return -errno;
    return 0;
}
static long mapped_memory(void)
{
    /* The file is closed and stays in the mapping; with that it goes. */
    int fd = memfd_create("memory", 0);
    if (write_megabytes(fd, 8) != 0) return WRONG;
    char *p = mmap(0, 8 * MEGABYTE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return -errno;
    close(fd);
    fd = memfd_create("memory", 0);
    long r = write_megabytes(fd, 12);
    munmap(p, 8 * MEGABYTE);
    if (r == -ENOSPC) r = write_megabytes(fd, 12) == 0 ? -ENOSPC : WRONG;
    close(fd);
    return r;
}
static long file(void)
{
    int fd = open("big", O_WRONLY | O_CREAT, 0600);
    long r = fill(fd);
    close(fd);
    unlink("big");
    return r;
}
static long unnamed_file(void)
{
    int fd = open(".", O_TMPFILE | O_WRONLY, 0600);
    long r = fill(fd);
    close(fd);
    return r;
}
static long in_shm(void)
{
    int fd = open("/dev/shm/culprit-big", O_WRONLY | O_CREAT, 0600);
    long r = fill(fd);
    close(fd);
    unlink("/dev/shm/culprit-big");
    return r;
}
static long together(void)
{
    /* One limit for all: what a file holds, memory cannot. */
    int one = open("half", O_RDWR | O_CREAT, 0600), other = memfd_create("memory", 0);
    long r = 0;
    for (int i = 0; i < 36; i++) STEP(write(one, chunk, CHUNK));
    for (int i = 0; i < 36 && r >= 0; i++) r = RESULT(write(other, chunk, CHUNK));
    close(one);
    close(other);
    unlink("half");
    return r;
}
static long pipes(void)
{
    static int ends[4096][2];
    int count = 0;
    long r = 0;
    while (count < 4096 && (r = RESULT(pipe(ends[count]))) >= 0) count++;
    for (int i = 0; i < count; i++) close(ends[i][0]), close(ends[i][1]);
    return count > LIMIT * 16 ? WRONG : r;
}
static long large_pipes(void)
{
    static int ends[64][2];
    int count = 0;
    long r = 0;
    while (count < 64 && (r = RESULT(pipe(ends[count]))) >= 0 && (r = RESULT(fcntl(ends[count][0], F_SETPIPE_SZ, MEGABYTE))) >= 0) count++;
    for (int i = 0; i <= count; i++) close(ends[i][0]), close(ends[i][1]);
    return count > LIMIT ? WRONG : r;
}
static long sockets(void)
{
    static int ends[512][2];
    int count = 0;
    long r = 0, done = 0;
    for (; count < 512 && (r = RESULT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[count]))) >= 0; count++) {
        while ((r = RESULT(send(ends[count][0], chunk, 65536, MSG_DONTWAIT))) > 0) done += r;
        if (r != -EAGAIN) break;
    }
    for (int i = 0; i <= count && i < 512; i++) close(ends[i][0]), close(ends[i][1]);
    return done > (LIMIT + 1) * MEGABYTE ? WRONG : r;
}
static long datagrams(void)
{
    static int ends[512][2];
    int count = 0;
    long r = 0, done = 0;
    for (; count < 512 && (r = RESULT(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends[count]))) >= 0; count++) {
        while ((r = RESULT(send(ends[count][0], chunk, 50000, MSG_DONTWAIT))) > 0) done += r;
        if (r != -EAGAIN) break;
    }
    for (int i = 0; i <= count && i < 512; i++) close(ends[i][0]), close(ends[i][1]);
    return done > (LIMIT + 1) * MEGABYTE ? WRONG : r;
}
static long segments(void)
{
    int ids[64], count = 0;
    long r = 0;
    while (count < 64 && (r = RESULT(shmget(IPC_PRIVATE, MEGABYTE, 0600))) >= 0) ids[count++] = r;
    for (int i = 0; i < count; i++) shmctl(ids[i], IPC_RMID, 0);
    return count > LIMIT ? WRONG : r;
}
static long messages(void)
{
    static int ids[2048];
    static struct { long type; char text[8000]; } message = {1};
    int count = 0;
    long r = 0, done = 0;
    for (; count < 2048 && (r = ids[count] = msgget(IPC_PRIVATE, 0600)) >= 0; count++) {
        while ((r = RESULT(msgsnd(ids[count], &message, sizeof message.text, IPC_NOWAIT))) == 0) done += sizeof message.text;
        if (r != -EAGAIN) break;
    }
    for (int i = 0; i <= count && i < 2048; i++) msgctl(ids[i], IPC_RMID, 0);
    return done > (LIMIT + 1) * MEGABYTE ? WRONG : r;
}
static long posix_messages(void)
{
    static mqd_t ids[250];
    char name[32];
    struct mq_attr size = {.mq_maxmsg = 10, .mq_msgsize = 8192};
    int count = 0;
    long r = 0, done = 0;
    for (; count < 250; count++) {
        snprintf(name, sizeof name, "/culprit-%d", count);
        if ((r = RESULT(ids[count] = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &size))) < 0) break;
        mq_unlink(name);
        while ((r = RESULT(mq_send(ids[count], chunk, 8192, 0))) == 0) done += 8192;
        if (r != -EAGAIN) break;
    }
    for (int i = 0; i <= count && i < 250; i++) mq_close(ids[i]);
    return done > (LIMIT + 1) * MEGABYTE ? WRONG : r;
}
static long many(long make(const char *name), int most, int (*drop)(const char *name))
{
    char name[32];
    int count = 0;
    long r = 0;
    for (; count < most; count++) {
        snprintf(name, sizeof name, "many%d", count);
        if ((r = make(name)) < 0) break;
    }
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "many%d", i);
        drop(name);
    }
    return r < 0 ? r : WRONG;
}
static long make_file(const char *name) { return RESULT(mknod(name, S_IFREG | 0600, 0)); }
static long make_directory(const char *name) { return RESULT(mkdir(name, 0700)); }
static char target[4000];
static long make_link(const char *name) { return RESULT(symlink(target, name)); }
static long make_attribute(const char *name)
{
    long r = make_file(name);
    return r < 0 ? r : RESULT(setxattr(name, "user.big", target, 3500, 0));
}
static long files(void) { return many(make_file, 20000, unlink); }
static long directories(void) { return many(make_directory, 20000, rmdir); }
static long links(void) { memset(target, 'x', sizeof target - 1); return many(make_link, 6000, unlink); }
static long attributes(void) { return many(make_attribute, 6000, unlink); }
/* All was given back. */
static long again(void)
{
    int fd = memfd_create("memory", 0);
    long r = 0;
    for (int i = 0; i < 60; i++) STEP(r = write(fd, chunk, CHUNK));
    close(fd);
    return DONE;
}

const struct row memory_rows[] = {
    {"a file", file, {-ENOSPC}},
    {"a file without a name", unnamed_file, {-ENOSPC}},
    {"/dev/shm", in_shm, {-ENOSPC, -ENOENT}},
    {"memfd that is written", written_memory, {-ENOSPC}},
    {"memfd of 3 GiB", sized_memory, {-ENOSPC}},
    {"memfd that is mapped", mapped_memory, {-ENOSPC}},
    {"files and memfd together", together, {-ENOSPC}},
    {"pipes", pipes, {-ENFILE, -EMFILE}},
    {"large pipes", large_pipes, {-EPERM, -ENFILE}},
    {"sockets", sockets, {-ENOBUFS}},
    {"datagrams", datagrams, {-ENOBUFS}},
    {"System V shared memory", segments, {-ENOSPC}},
    {"System V messages", messages, {-ENOMEM}},
    {"POSIX messages", posix_messages, {-ENOMEM}},
    {"empty files", files, {-ENOSPC}},
    {"empty directories", directories, {-ENOSPC}},
    {"symbolic links", links, {-ENOSPC}},
    {"extended attributes", attributes, {-ENOSPC}},
    {"once more, after all was given back", again, {DONE}},
    {0},
};
