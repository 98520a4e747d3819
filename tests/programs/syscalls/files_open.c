// open: flags, and what must fail.
#include "check.h"
int main(void) {
    put_file("file", "content"); mkdir("dir", 0755); symlink("file", "link"); symlink("loop", "loop"); symlink("new", "dangling");
    CALL(open("file", O_RDONLY)); CALL(open("none", O_RDONLY)); CALL(open("", O_RDONLY)); CALL(open("file/x", O_RDONLY)); CALL(open("none/x", O_RDONLY | O_CREAT, 0644));
    CALL(open("dir", O_RDONLY)); CALL(open("dir", O_WRONLY)); CALL(open("dir", O_RDWR)); CALL(open("dir", O_RDONLY | O_CREAT, 0644)); CALL(open("dir/", O_RDONLY)); CALL(open("file/", O_RDONLY));
    CALL(open("made/", O_RDONLY | O_CREAT, 0644)); CALL(open("file", O_RDONLY | O_DIRECTORY)); CALL(open("dir", O_RDONLY | O_DIRECTORY)); CALL(open("link", O_RDONLY | O_NOFOLLOW));
    CALL(open("link", O_RDONLY | O_NOFOLLOW | O_PATH)); CALL(open("loop", O_RDONLY)); CALL(open("loop/x", O_RDONLY)); CALL(open("link/x", O_RDONLY));
    CALL(open("file", O_WRONLY | O_CREAT | O_EXCL, 0644)); CALL(open("link", O_WRONLY | O_CREAT | O_EXCL, 0644)); CALL(open("dangling", O_WRONLY | O_CREAT | O_EXCL, 0644));
    CALL(open("dangling", O_WRONLY | O_CREAT, 0640)); struct stat st; stat("new", &st); SAY("%o", st.st_mode);
    char longer[300]; memset(longer, 'n', 299); longer[299] = 0; CALL(open(longer, O_RDONLY)); char path[5000]; memset(path, '/', 4999); path[4999] = 0; CALL(open(path, O_RDONLY)); path[4095] = 0; WORKS(open(path, O_RDONLY));
    CALL(open(BAD, O_RDONLY)); CALL(open("file", O_RDONLY | O_CREAT | O_DIRECTORY, 0644)); CALL(open("file", O_RDONLY | O_EXCL));
    int fd = open("file", O_RDWR | O_TRUNC); fstat(fd, &st); SHOW(st.st_size); CALL(write(fd, "abc", 3)); int other = open("file", O_RDONLY | O_TRUNC); fstat(other, &st); SHOW(st.st_size); CALL(write(other, "x", 1));
    int wo = open("file", O_WRONLY); char c; CALL(read(wo, &c, 1)); CALL(open("file", 3)); 
    int path_fd = open("file", O_PATH); CALL(read(path_fd, &c, 1)); CALL(write(path_fd, &c, 1)); CALL(lseek(path_fd, 0, SEEK_SET)); CALL(ftruncate(path_fd, 0)); CALL(fchmod(path_fd, 0600)); CALL(fstat(path_fd, &st)); CALL(fsync(path_fd)); CALL(ioctl(path_fd, 0x5401, &st)); CALL(fcntl(path_fd, F_GETFL) & O_PATH ? 1 : 0); CALL(fcntl(path_fd, F_SETFL, O_APPEND)); CALL(dup(path_fd) >= 0); CALL(close(path_fd));
    SAY("flags %o %o", fcntl(fd, F_GETFL) & ~O_LARGEFILE, fcntl(wo, F_GETFL) & ~O_LARGEFILE); int ap = open("file", O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_CREAT, 0); SAY("%o %d", fcntl(ap, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_CREAT | O_CLOEXEC), fcntl(ap, F_GETFD));
    CALL(creat("created", 0604)); stat("created", &st); SAY("%o", st.st_mode); umask(027); CALL(creat("masked", 0777)); stat("masked", &st); SAY("%o", st.st_mode); CALL(creat("dir", 0644)); CALL(creat("suid", 06755)); stat("suid", &st); SAY("%o", st.st_mode);
    int unnamed = CALL(open(".", O_TMPFILE | O_RDWR, 0600)); fstat(unnamed, &st); SAY("%o %ld", st.st_mode, (long)st.st_nlink); CALL(open("file", O_TMPFILE | O_RDWR, 0600)); CALL(open(".", O_TMPFILE | O_RDONLY, 0600)); CALL(open("none", O_TMPFILE | O_RDWR, 0600));
    write(unnamed, "now named", 9); char name[64]; sprintf(name, "/proc/self/fd/%d", unnamed); CALL(linkat(AT_FDCWD, name, AT_FDCWD, "named", AT_SYMLINK_FOLLOW)); stat("named", &st); SAY("%ld %ld", (long)st.st_size, (long)st.st_nlink);
    int exclusive = open(".", O_TMPFILE | O_RDWR | O_EXCL, 0600); sprintf(name, "/proc/self/fd/%d", exclusive); CALL(linkat(AT_FDCWD, name, AT_FDCWD, "never", AT_SYMLINK_FOLLOW));
    sprintf(name, "/proc/self/fd/%d", fd); int again = WORKS(open(name, O_RDONLY)); CALL(lseek(again, 0, SEEK_END)); CALL(open(name, O_RDONLY | O_NOFOLLOW)); CALL(open("/proc/self/fd/999", O_RDONLY)); unlink("file"); WORKS(open(name, O_RDWR)); CALL(close(999)); CALL(close(-1));
    return 0;
}
