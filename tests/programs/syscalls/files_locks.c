// Locks: of ranges by process, by open file, and flock; seen from a second process.
#include "check.h"
#include <sys/file.h>
static int fd;
static struct flock l(short type, long start, long len) { return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len}; }
static void probe(long start, long len) { struct flock k = l(F_WRLCK, start, len); if (fcntl(fd, F_GETLK, &k)) SAY("%s", strerror(errno)); else if (k.l_type == F_UNLCK) SAY("%ld+%ld free", start, len); else SAY("%ld+%ld: type %d %ld+%ld parent %d", start, len, k.l_type, (long)k.l_start, (long)k.l_len, k.l_pid == getppid()); }
static void in_child(void (*work)(void)) { fflush(stdout); if (fork() == 0) { work(); fflush(stdout); _exit(0); } wait(NULL); }
static void look(void) { probe(0, 0); probe(0, 5); probe(12, 2); probe(100, 10); struct flock k = l(F_RDLCK, 0, 0); CALL(fcntl(fd, F_SETLK, &k)); k = l(F_WRLCK, 200, 5); CALL(fcntl(fd, F_SETLK, &k)); k = l(F_WRLCK, 12, 2); CALL(fcntl(fd, F_SETLK, &k)); }
static void ofd(void) { int other = open("file", O_RDWR); struct flock k = l(F_WRLCK, 0, 10); CALL(fcntl(other, F_OFD_SETLK, &k)); k = l(F_WRLCK, 0, 10); CALL(fcntl(fd, F_OFD_SETLK, &k)); k = l(F_WRLCK, 0, 10); CALL(fcntl(other, F_OFD_GETLK, &k)); SAY("%d %d", k.l_type, k.l_pid); }
static void flocks(void) { int other = open("file", O_RDWR); CALL(flock(other, LOCK_EX | LOCK_NB)); CALL(flock(other, LOCK_SH | LOCK_NB)); CALL(flock(fd, LOCK_EX | LOCK_NB)); }
static void closes(void) { close(open("file", O_RDONLY)); probe(0, 0); }
static void waits(void) { struct flock k = l(F_WRLCK, 0, 10); CALL(fcntl(fd, F_SETLKW, &k)); }
static void nothing(int s) {}
static void interrupted(void) { struct sigaction a = {.sa_handler = nothing}; sigaction(SIGALRM, &a, NULL); ualarm(50000, 0); struct flock k = l(F_WRLCK, 0, 10); CALL(fcntl(fd, F_SETLKW, &k)); CALL(flock(open("file", O_RDWR), LOCK_EX | LOCK_NB)); }
int main(void) {
    fd = open("file", O_RDWR | O_CREAT, 0644); write(fd, "0123456789", 10); struct flock k;
    k = l(F_WRLCK, 0, 10); CALL(fcntl(fd, F_SETLK, &k)); k = l(F_RDLCK, 10, 5); CALL(fcntl(fd, F_SETLK, &k)); probe(0, 0); in_child(look); k = l(F_UNLCK, 3, 4); CALL(fcntl(fd, F_SETLK, &k)); in_child(look); k = l(F_RDLCK, 0, 20); CALL(fcntl(fd, F_SETLK, &k)); in_child(look); k = l(F_UNLCK, 0, 0); CALL(fcntl(fd, F_SETLK, &k)); in_child(look);
    k = l(F_WRLCK, -1, 5); CALL(fcntl(fd, F_SETLK, &k)); k = l(77, 0, 5); CALL(fcntl(fd, F_SETLK, &k)); k = l(F_WRLCK, 0, 5); k.l_whence = 9; CALL(fcntl(fd, F_SETLK, &k)); CALL(fcntl(fd, F_SETLK, BAD)); int ro = open("file", O_RDONLY), wo = open("file", O_WRONLY); k = l(F_WRLCK, 0, 5); CALL(fcntl(ro, F_SETLK, &k)); k = l(F_RDLCK, 0, 5); CALL(fcntl(wo, F_SETLK, &k)); CALL(fcntl(99, F_SETLK, &k)); k = l(F_WRLCK, 10, -5); CALL(fcntl(fd, F_SETLK, &k)); in_child(look); lseek(fd, 6, SEEK_SET); k = l(F_WRLCK, 0, 2); k.l_whence = SEEK_CUR; CALL(fcntl(fd, F_SETLK, &k)); k = l(F_WRLCK, -1, 1); k.l_whence = SEEK_END; CALL(fcntl(fd, F_SETLK, &k)); in_child(look); k = l(F_UNLCK, 0, 0); fcntl(fd, F_SETLK, &k);
    k = l(F_WRLCK, 5, 3); CALL(fcntl(fd, F_SETLK, &k)); in_child(closes); CALL(close(open("file", O_RDONLY))); in_child(closes); CALL(lockf(fd, F_TLOCK, 0)); in_child(closes); CALL(lockf(fd, F_ULOCK, 0)); CALL(lockf(fd, F_TEST, 0)); CALL(lockf(fd, 99, 0));
    k = l(F_WRLCK, 0, 10); CALL(fcntl(fd, F_OFD_SETLK, &k)); in_child(ofd); k = l(F_WRLCK, 0, 10); k.l_pid = 5; CALL(fcntl(fd, F_OFD_SETLK, &k)); k = l(F_UNLCK, 0, 0); fcntl(fd, F_OFD_SETLK, &k); CALL(flock(fd, LOCK_SH)); in_child(flocks); CALL(flock(fd, LOCK_EX)); in_child(flocks); CALL(flock(fd, LOCK_UN)); in_child(flocks); CALL(flock(fd, 99)); CALL(flock(99, LOCK_SH)); CALL(flock(ro, LOCK_EX)); CALL(flock(fd, LOCK_SH | LOCK_NB)); CALL(flock(ro, LOCK_UN));
    k = l(F_WRLCK, 0, 10); CALL(fcntl(fd, F_SETLK, &k)); in_child(interrupted); fflush(stdout); if (fork() == 0) { waits(); fflush(stdout); _exit(0); } usleep(50000); SAY("unlocking"); fflush(stdout); k = l(F_UNLCK, 0, 0); fcntl(fd, F_SETLK, &k); wait(NULL); return 0;
}
