// Locks between processes: fcntl's record locks, those of open files (OFD) and flock; blocking, deadlocks, what ends them, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int control(int fd, int command, int type, int whence, long start, long length) {
  struct flock l = { .l_type = type, .l_whence = whence, .l_start = start, .l_len = length };
  return fcntl(fd, command, &l) == 0 ? 0 : -errno;
}

static const char *type_name(int type) {
  return type == F_RDLCK ? "read" : type == F_WRLCK ? "write" : type == F_UNLCK ? "none" : "?";
}

static pid_t parent;
static void test(const char *what, int fd, int command, int type, long start, long length) {
  struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length };
  int r = fcntl(fd, command, &l) == 0 ? 0 : -errno;
  const char *who = l.l_type == F_UNLCK || r ? "" : l.l_pid == parent ? " parent" : l.l_pid == -1 ? " file" : " other";
  printf("%s: %d %s [%ld, %ld]%s\n", what, r, type_name(l.l_type), (long)l.l_start, (long)l.l_len, who);
}

/** Runs `work` in a child and waits for it. */
static void in_child(void (*work)(int fd), int fd) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    work(fd);
    fflush(stdout);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (status != 0) printf("child: %x\n", status);
}

static void nap(int ms) {
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

static void looks(int fd) {
  test("  all", fd, F_GETLK, F_WRLCK, 0, 0);
  test("  for reading", fd, F_GETLK, F_RDLCK, 0, 0);
  test("  50-59", fd, F_GETLK, F_RDLCK, 50, 10);
  test("  200", fd, F_GETLK, F_WRLCK, 200, 1);
  printf("  take: read %d write %d\n", control(fd, F_SETLK, F_RDLCK, SEEK_SET, 0, 10), control(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 10));
  printf("  not inherited: unlock %d\n", control(fd, F_SETLK, F_UNLCK, SEEK_SET, 0, 0));
}

static void ranges(void) {
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  ftruncate(fd, 1000);
  printf("read 0-99: %d\n", control(fd, F_SETLK, F_RDLCK, SEEK_SET, 0, 100));
  printf("write 40-49: %d\n", control(fd, F_SETLK, F_WRLCK, SEEK_SET, 40, 10));
  in_child(looks, fd);
  lseek(fd, 60, SEEK_SET);
  printf("from here back: %d\n", control(fd, F_SETLK, F_WRLCK, SEEK_CUR, 0, -10));
  printf("from the end: %d\n", control(fd, F_SETLK, F_WRLCK, SEEK_END, -800, 0));
  in_child(looks, fd);
  test("own locks are none", fd, F_GETLK, F_WRLCK, 0, 0);
  int other = open("file", O_RDONLY);
  close(other);
  printf("any close gives all back\n");
  in_child(looks, fd);
  close(fd);
}

static void waits(int fd) {
  printf("  waits: %d\n", control(fd, F_SETLKW, F_WRLCK, SEEK_SET, 0, 1));
  printf("  second: %d\n", control(fd, F_SETLKW, F_RDLCK, SEEK_SET, 5, 5));
}

static volatile int caught;
static void handler(int n) {
  caught = n;
}

static void interrupted(int fd) {
  struct sigaction sa = { .sa_handler = handler };
  sigaction(SIGALRM, &sa, NULL);
  alarm(1);
  printf("  interrupted: %d caught %d\n", control(fd, F_SETLKW, F_WRLCK, SEEK_SET, 0, 1), caught);
  sa.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &sa, NULL);
  caught = 0;
  alarm(1);
  printf("  flock after signal: %d caught %d\n", flock(fd, LOCK_EX) == 0 ? 0 : -errno, caught);
}

static void blocking(void) {
  int fd = open("file", O_RDWR);
  printf("taken: %d\n", control(fd, F_SETLKW, F_WRLCK, SEEK_SET, 0, 10));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    waits(fd);
    fflush(stdout);
    _exit(0);
  }
  nap(60);
  printf("given back\n");
  fflush(stdout);
  control(fd, F_SETLK, F_UNLCK, SEEK_SET, 0, 10);
  waitpid(child, NULL, 0);
  // Its end gives back what it had.
  printf("after its end: %d\n", control(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 10));
  int separate = open("file", O_RDWR);
  flock(separate, LOCK_EX);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    close(separate);
    interrupted(open("file", O_RDWR));
    fflush(stdout);
    _exit(0);
  }
  nap(2500);
  flock(separate, LOCK_UN);
  waitpid(child, NULL, 0);
  close(fd), close(separate);
}

static void deadlock(void) {
  int fd = open("file", O_RDWR);
  control(fd, F_SETLK, F_WRLCK, SEEK_SET, 0, 1);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    control(fd, F_SETLK, F_WRLCK, SEEK_SET, 1, 1);
    int r = control(fd, F_SETLKW, F_WRLCK, SEEK_SET, 0, 1);
    printf("  child gets the first: %d\n", r);
    fflush(stdout);
    _exit(0);
  }
  nap(60);
  printf("parent wants the second: %d\n", control(fd, F_SETLKW, F_WRLCK, SEEK_SET, 1, 1));
  fflush(stdout);
  control(fd, F_SETLK, F_UNLCK, SEEK_SET, 0, 1);
  waitpid(child, NULL, 0);
  close(fd);
}

static void of_files(void) {
  int a = open("file", O_RDWR), b = open("file", O_RDWR), copy = dup(a);
  printf("ofd: %d, other %d, copy %d\n", control(a, F_OFD_SETLK, F_WRLCK, SEEK_SET, 0, 10), control(b, F_OFD_SETLK, F_RDLCK, SEEK_SET, 5, 1),
         control(copy, F_OFD_SETLK, F_WRLCK, SEEK_SET, 5, 20));
  test("by process", b, F_GETLK, F_RDLCK, 0, 0);
  test("by file", b, F_OFD_GETLK, F_RDLCK, 0, 0);
  test("own", a, F_OFD_GETLK, F_UNLCK, 3, 1);
  printf("process too: %d\n", control(a, F_SETLK, F_RDLCK, SEEK_SET, 0, 1));
  close(a);
  printf("copy holds it: %d\n", control(b, F_OFD_SETLK, F_RDLCK, SEEK_SET, 5, 1));
  close(copy);
  printf("gone: %d\n", control(b, F_OFD_SETLK, F_RDLCK, SEEK_SET, 5, 1));
  struct flock l = { .l_type = F_WRLCK, .l_pid = 1 };
  printf("pid: %d", fcntl(b, F_OFD_SETLK, &l));
  printf(" %d\n", errno);
  // An inherited descriptor shares the lock, and keeps it.
  control(b, F_OFD_SETLK, F_WRLCK, SEEK_SET, 0, 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    nap(100);
    _exit(0);
  }
  close(b);
  a = open("file", O_RDWR);
  printf("child holds it: %d", control(a, F_OFD_SETLK, F_WRLCK, SEEK_SET, 0, 0));
  printf(", waited %d\n", control(a, F_OFD_SETLKW, F_WRLCK, SEEK_SET, 0, 0));
  waitpid(child, NULL, 0);
  close(a);
}

static int lock(int fd, int operation) {
  return flock(fd, operation) == 0 ? 0 : -errno;
}

static void whole(void) {
  int a = open("file", O_RDONLY), b = open("file", O_RDONLY);
  printf("shared %d %d\n", lock(a, LOCK_SH), lock(b, LOCK_SH | LOCK_NB));
  printf("exclusive %d, again shared %d\n", lock(b, LOCK_EX | LOCK_NB), lock(b, LOCK_SH | LOCK_NB));
  printf("lost in the attempt: %d\n", lock(a, LOCK_EX | LOCK_NB));
  lock(b, LOCK_UN);
  printf("alone %d, other %d\n", lock(a, LOCK_EX | LOCK_NB), lock(b, LOCK_SH | LOCK_NB));
  printf("unlocked %d\n", lock(a, LOCK_UN));
  int p[2];
  pipe(p);
  printf("pipe %d directory %d path %d\n", lock(p[0], LOCK_EX), lock(open(".", O_RDONLY), LOCK_EX), lock(open("file", O_PATH), LOCK_EX));
  printf("operation %d %d, descriptor %d\n", lock(a, 0), lock(a, 3), lock(99, LOCK_EX));
  close(a), close(b);
}

static void errors(void) {
  int r = open("file", O_RDONLY), w = open("file", O_WRONLY);
  printf("modes %d %d\n", control(r, F_SETLK, F_WRLCK, SEEK_SET, 0, 1), control(w, F_SETLK, F_RDLCK, SEEK_SET, 0, 1));
  printf("type %d whence %d start %d length %d\n", control(r, F_SETLK, 9, SEEK_SET, 0, 1), control(r, F_SETLK, F_RDLCK, 7, 0, 1),
         control(r, F_SETLK, F_RDLCK, SEEK_SET, -1, 1), control(r, F_SETLK, F_RDLCK, SEEK_SET, 0, -1));
  printf("get %d fault %d descriptor %d\n", control(r, F_GETLK, F_UNLCK, SEEK_SET, 0, 1), fcntl(r, F_SETLK, NULL) == 0 ? 0 : -errno,
         control(99, F_SETLK, F_RDLCK, SEEK_SET, 0, 1));
  printf("end %d beyond %d\n", control(r, F_SETLK, F_RDLCK, SEEK_SET, 0x7fffffffffffffff, 1), control(r, F_SETLK, F_RDLCK, SEEK_SET, 0x7fffffffffffffff, 2));
}

int main(void) {
  parent = getpid();
  ranges();
  blocking();
  deadlock();
  of_files();
  whole();
  errors();
  return 0;
}
