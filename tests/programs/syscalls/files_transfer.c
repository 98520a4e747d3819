// read, write and their positioned and vectored forms: short transfers, bad buffers, bad counts.
#include "check.h"
int main(void) {
    char b[100] = {0}, *edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(edge + 4096, 4096);
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644); CALL(write(fd, "hello world", 11)); CALL(write(fd, NULL, 0)); CALL(write(fd, BAD, 0)); CALL(write(fd, BAD, 1)); CALL(read(fd, BAD, 1)); CALL(lseek(fd, 0, SEEK_SET)); CALL(read(fd, BAD, 1)); CALL(read(fd, BAD, 0));
    CALL(read(fd, edge + 4092, 100)); CALL(lseek(fd, 0, SEEK_CUR)); memcpy(edge + 4090, "tail!!", 6); CALL(pwrite(fd, edge + 4090, 50, 20)); CALL(lseek(fd, 0, SEEK_END)); CALL(pread(fd, b, 100, 15)); CALL(pread(fd, b, 10, -1)); CALL(pwrite(fd, b, 1, -1)); CALL(pread(fd, b, 10, 1000)); CALL(read(99, b, 1)); CALL(write(-1, b, 1));
    CALL(read(fd, b, (size_t)-1)); CALL(lseek(fd, 0, SEEK_SET)); CALL(read(fd, b, SSIZE_MAX));
    struct iovec v[4] = {{"ab", 2}, {"", 0}, {NULL, 0}, {"cde", 3}}; CALL(lseek(fd, 0, SEEK_SET)); CALL(writev(fd, v, 4)); CALL(writev(fd, v, 0)); CALL(writev(fd, v, -1)); CALL(writev(fd, v, 1025)); CALL(writev(fd, BAD, 1)); CALL(pwritev(fd, v, 4, 100)); CALL(pwritev(fd, v, 4, -1)); CALL(lseek(fd, 0, SEEK_END));
    struct iovec r[3] = {{b, 3}, {b + 10, 2}, {b + 20, 50}}; CALL(lseek(fd, 0, SEEK_SET)); memset(b, '.', sizeof b); CALL(readv(fd, r, 3)); SAY("%.3s %.2s %.5s", b, b + 10, b + 20); CALL(preadv(fd, r, 2, 100)); SAY("%.3s %.2s", b, b + 10); CALL(preadv(fd, r, 2, 1000));
    struct iovec bad[2] = {{"good", 4}, {BAD, 4}}; CALL(lseek(fd, 0, SEEK_SET)); CALL(writev(fd, bad, 2)); bad[0].iov_base = b; CALL(lseek(fd, 0, SEEK_SET)); CALL(readv(fd, bad, 2)); struct iovec huge[2] = {{b, 1}, {b, (size_t)-1}}; CALL(readv(fd, huge, 2)); struct iovec more[2] = {{b, SSIZE_MAX}, {b, SSIZE_MAX}}; CALL(writev(fd, more + 1, 0));
    CALL(preadv2(fd, r, 2, -1, 0)); CALL(preadv2(fd, r, 2, 0, 0x8000)); CALL(pwritev2(fd, v, 4, 200, RWF_DSYNC)); CALL(pwritev2(fd, v, 1, 0, RWF_APPEND)); CALL(lseek(fd, 0, SEEK_END));
    int dir = open(".", O_RDONLY); CALL(read(dir, b, 10)); CALL(pread(dir, b, 10, 0)); CALL(write(dir, b, 1)); int ro = open("file", O_RDONLY); CALL(write(ro, b, 1)); CALL(pwrite(ro, b, 1, 0)); CALL(writev(ro, v, 1));
    int full = open("/dev/full", O_RDWR), zero = open("/dev/zero", O_RDWR), null = open("/dev/null", O_RDWR); CALL(write(full, b, 1)); CALL(read(full, b, 4)); CALL(read(zero, b, 10)); SHOW(b[5]); CALL(write(zero, b, 10)); CALL(read(null, b, 10)); CALL(write(null, b, 10)); CALL(pread(zero, b, 4, 100)); CALL(pwrite(null, b, 4, 100)); CALL(write(null, BAD, 10));
    int p[2]; pipe(p); CALL(pread(p[0], b, 1, 0)); CALL(pwrite(p[1], b, 1, 0)); CALL(read(p[1], b, 1)); CALL(write(p[0], b, 1));
    mprotect(edge, 4096, PROT_READ); CALL(lseek(fd, 0, SEEK_SET)); CALL(read(fd, edge, 5)); CALL(write(fd, edge, 5)); mprotect(edge, 4096, PROT_NONE); CALL(write(fd, edge, 5)); CALL(write(fd, (void *)0xffff800000000000, 5));
    return 0;
}
