// Named pipes between processes: opening waits for the other side, ends, flags, errors.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void rest(void) { nanosleep(&(struct timespec){0, 20000000}, NULL); }

static int end(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void onSignal(int signal) { (void)signal; }

int main(void) {
  char buffer[100000];
  struct stat st;
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("mkfifo %d", mkfifo("fifo", 0640));
  int again = mkfifo("fifo", 0640);
  printf(", again %d %s\n", again, strerror(errno));
  stat("fifo", &st);
  printf("is fifo %d mode %o\n", S_ISFIFO(st.st_mode), st.st_mode & 07777);

  pid_t pid = fork();
  if (pid == 0) {
    rest();
    int fd = open("fifo", O_WRONLY);
    memset(buffer, 'x', sizeof buffer);
    write(fd, "hello", 5);
    rest();
    write(fd, buffer, sizeof buffer);
    _exit(0);
  }
  int fd = open("fifo", O_RDONLY);
  fstat(fd, &st);
  printf("opened %d, is fifo %d\n", fd >= 0, S_ISFIFO(st.st_mode));
  ssize_t n = read(fd, buffer, sizeof buffer);
  printf("read %zd %.5s\n", n, buffer);
  long total = 0;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) total += n;
  printf("then %ld, end %zd, writer %d\n", total, n, end(pid));
  close(fd);

  printf("no reader: %d", open("fifo", O_WRONLY | O_NONBLOCK));
  printf(" %s\n", strerror(errno));
  fd = open("fifo", O_RDONLY | O_NONBLOCK);
  struct pollfd polled = {fd, POLLIN, 0};
  n = read(fd, buffer, 1);
  int ready = poll(&polled, 1, 0);
  printf("no writer: %zd, poll %d %x\n", n, ready, polled.revents);
  int writer = open("fifo", O_WRONLY | O_NONBLOCK);
  n = read(fd, buffer, 1);
  printf("empty: %zd %s\n", n, strerror(errno));
  write(writer, "abc", 3);
  close(writer);
  ready = poll(&polled, 1, 0);
  printf("left: poll %d %x, read %zd", ready, polled.revents, read(fd, buffer, 10));
  n = read(fd, buffer, 10);
  ready = poll(&polled, 1, 0);
  printf(", read %zd, poll %d %x\n", n, ready, polled.revents);
  close(fd);

  fd = open("fifo", O_RDWR);
  write(fd, "self", 4);
  printf("both: %zd\n", read(fd, buffer, 10));
  write(fd, "lost", 4);
  close(fd);
  fd = open("fifo", O_RDONLY | O_NONBLOCK);
  printf("nothing is kept: %zd\n", read(fd, buffer, 10));
  close(fd);

  struct sigaction action = {.sa_handler = onSignal};
  sigaction(SIGALRM, &action, NULL);
  ualarm(20000, 0);
  printf("interrupted: %d", open("fifo", O_RDONLY));
  printf(" %s\n", strerror(errno));

  pid = fork();
  if (pid == 0) {
    fd = open("fifo", O_WRONLY);
    for (;;) write(fd, "x", 1);
  }
  fd = open("fifo", O_RDONLY);
  read(fd, buffer, 1);
  close(fd);
  printf("writer ended by %d\n", end(pid));

  fd = open("fifo", O_RDONLY | O_NONBLOCK);
  unlink("fifo");
  writer = open("fifo", O_WRONLY);
  printf("unlinked: %d %s\n", writer, strerror(errno));
  printf("exclusive: %d", open("fifo", O_CREAT | O_EXCL | O_RDWR, 0600) >= 0);
  stat("fifo", &st);
  printf(", regular %d\n", S_ISREG(st.st_mode));
  unlink("fifo");
  return 0;
}
