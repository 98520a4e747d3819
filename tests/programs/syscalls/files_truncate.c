// truncate, ftruncate, fallocate and its modes; the size limit of a process.
#include "check.h"
#include <sys/resource.h>
static void size(int fd) { struct stat st; fstat(fd, &st); SAY("size %ld", (long)st.st_size); }
static void content(int fd, int n) { char b[64]; memset(b, '?', 64); long got = pread(fd, b, n, 0); for (int i = 0; i < got; i++) putchar(b[i] ? b[i] : '.'); puts(""); }
int main(void) {
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644), ro = open("file", O_RDONLY); write(fd, "0123456789", 10);
    CALL(ftruncate(fd, 5)); content(fd, 20); CALL(ftruncate(fd, 8)); content(fd, 20); CALL(truncate("file", 3)); size(fd); CALL(lseek(fd, 0, SEEK_CUR)); CALL(write(fd, "x", 1)); size(fd);
    CALL(ftruncate(fd, -1)); CALL(truncate("file", -1)); CALL(ftruncate(ro, 0)); CALL(ftruncate(99, 0)); CALL(truncate("none", 0)); CALL(truncate(".", 0)); CALL(truncate("file/x", 0)); CALL(truncate(BAD, 0)); int p[2]; pipe(p); CALL(ftruncate(p[1], 0)); CALL(ftruncate(open("/dev/null", O_RDWR), 0)); CALL(ftruncate(open(".", O_RDONLY), 0)); CALL(ftruncate(fd, LONG_MAX)); symlink("file", "link"); CALL(truncate("link", 2)); size(fd);
    CALL(fallocate(fd, 0, 0, 100)); size(fd); CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1000)); size(fd); CALL(fallocate(fd, 0, -1, 10)); CALL(fallocate(fd, 0, 0, 0)); CALL(fallocate(fd, 0, 0, -5)); CALL(fallocate(ro, 0, 0, 10)); CALL(fallocate(p[1], 0, 0, 10)); CALL(fallocate(99, 0, 0, 10)); CALL(fallocate(fd, 0x400, 0, 10)); CALL(fallocate(fd, 0, LONG_MAX, 10));
    CALL(ftruncate(fd, 0)); write(fd, "", 0); CALL(pwrite(fd, "abcdefghij", 10, 0)); CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 2, 3)); CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 2, 3)); content(fd, 20); size(fd); CALL(fallocate(fd, FALLOC_FL_ZERO_RANGE, 7, 6)); content(fd, 20); size(fd); CALL(fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, 50)); content(fd, 20); size(fd);
    char *page = malloc(4096); CALL(ftruncate(fd, 0)); for (int i = 0; i < 4; i++) { memset(page, 'A' + i, 4096); pwrite(fd, page, 4096, i * 4096); } CALL(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 4096, 4096)); size(fd); char c; pread(fd, &c, 1, 4096); SHOW(c); CALL(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 100, 4096)); CALL(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 12288)); CALL(fallocate(fd, FALLOC_FL_INSERT_RANGE, 4096, 4096)); size(fd); pread(fd, &c, 1, 4096); SHOW(c); pread(fd, &c, 1, 8192); SHOW(c);
    CALL(posix_fallocate(fd, 0, 20000)); size(fd); CALL(posix_fallocate(fd, 0, 0)); CALL(posix_fallocate(p[0], 0, 10)); CALL(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL)); CALL(posix_fadvise(fd, 0, 0, 77)); CALL(posix_fadvise(p[0], 0, 0, 0));
    signal(SIGXFSZ, SIG_IGN); struct rlimit limit = {1000, RLIM_INFINITY}; CALL(setrlimit(RLIMIT_FSIZE, &limit)); CALL(ftruncate(fd, 2000)); CALL(ftruncate(fd, 500)); CALL(pwrite(fd, page, 600, 500)); CALL(pwrite(fd, page, 600, 1000)); CALL(fallocate(fd, 0, 0, 2000)); CALL(truncate("file", 5000)); size(fd);
    return 0;
}
