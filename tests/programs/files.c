// Files: opening, seeking, holes, truncation, locks, descriptors, vectors; errno of what must fail.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
static void result(const char *what, long r) { printf("%-14s %ld", what, r); if (r < 0) printf(" %s", strerror(errno)); puts(""); errno = 0; }
int main(void) {
    char buffer[100] = {0}; struct stat st;
    int fd = open("data", O_RDWR | O_CREAT | O_EXCL, 0640); printf("fd %d\n", fd);
    result("write", write(fd, "hello world", 11)); result("lseek", lseek(fd, -5, SEEK_CUR)); result("read", read(fd, buffer, 99)); puts(buffer);
    result("pwrite", pwrite(fd, "END", 3, 100000)); fstat(fd, &st); printf("size %ld sparse %d mode %o links %ld\n", (long)st.st_size, st.st_blocks * 512 < st.st_size, st.st_mode, (long)st.st_nlink);
    result("pread hole", pread(fd, buffer, 10, 50000)); printf("%d\n", buffer[0]); result("seek data", lseek(fd, 0, SEEK_END)); result("past", lseek(fd, -1, SEEK_SET));
    result("ftruncate", ftruncate(fd, 5)); result("truncate", truncate("data", 8)); result("pread", pread(fd, buffer, 99, 0)); for (int i = 0; i < 8; i++) printf("%02x", buffer[i]); puts("");
    int copy = dup(fd), high = fcntl(fd, F_DUPFD_CLOEXEC, 20); printf("%d %d %d %d\n", copy > fd, high, fcntl(high, F_GETFD), fcntl(fd, F_GETFD)); result("dup2", dup2(fd, 30)); result("dup2 bad", dup2(99, 30));
    lseek(copy, 3, SEEK_SET); result("shared offset", lseek(fd, 0, SEEK_CUR)); result("getfl", fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND)); fcntl(fd, F_SETFL, O_APPEND); write(copy, "X", 1); result("appended", lseek(fd, 0, SEEK_CUR));
    struct iovec v[3] = {{"one ", 4}, {"two ", 4}, {"three", 5}}, in[2] = {{buffer, 6}, {buffer + 50, 40}}; result("writev", writev(fd, v, 3)); lseek(fd, 9, SEEK_SET); result("readv", readv(fd, in, 2)); printf("%.6s|%.7s\n", buffer, buffer + 50);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET}; result("lock", fcntl(fd, F_SETLK, &lock)); lock.l_type = F_RDLCK; result("getlk", fcntl(fd, F_GETLK, &lock)); printf("%d\n", lock.l_type == F_UNLCK);
    result("excl", open("data", O_CREAT | O_EXCL | O_RDWR, 0600)); result("missing", open("nowhere", O_RDONLY)); result("not dir", open("data/x", O_RDONLY)); result("a dir", open(".", O_WRONLY)); result("directory", open("data", O_DIRECTORY)); result("badf", read(99, buffer, 1)); result("efault", write(fd, (void *)8, 10));
    result("read on w", read(open("data", O_WRONLY), buffer, 1)); result("close", close(high)); result("close again", close(high)); result("link", link("data", "hard")); result("symlink", symlink("data", "soft")); result("readlink", readlink("soft", buffer, 3)); result("nofollow", open("soft", O_NOFOLLOW));
    result("rename", rename("hard", "renamed")); result("rename gone", rename("hard", "x")); result("access", access("renamed", R_OK | W_OK)); result("access x", access("renamed", X_OK)); result("chmod", chmod("renamed", 0400)); stat("data", &st); printf("%o %ld\n", st.st_mode & 07777, (long)st.st_nlink);
    result("unlink", unlink("data")); result("fstat after", fstat(fd, &st)); struct timespec times[2] = {{1000, 5}, {2000, 123456000}}; result("futimens", futimens(fd, times)); fstat(fd, &st); printf("%ld.%09ld\n", (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    result("fallocate", posix_fallocate(fd, 0, 70000)); fstat(fd, &st); printf("%ld\n", (long)st.st_size); result("fsync", fsync(fd)); result("umask", umask(077)); close(open("masked", O_CREAT | O_WRONLY, 0666)); stat("masked", &st); printf("%o\n", st.st_mode & 0777);
    int from = open("renamed", O_RDONLY), to = open("target", O_RDWR | O_CREAT, 0600); off_t at = 9; result("copy", copy_file_range(from, &at, to, NULL, 20, 0)); result("isatty", isatty(to)); result("tmp", open(".", O_TMPFILE | O_RDWR, 0600) >= 0); result("pathconf", pathconf(".", _PC_NAME_MAX));
    return 0;
}
