/*
 * Has something in the kernel all the time, of the kind that its argument says: a branch that goes on from the middle of a recording with another kernel
 * (tests/replay/branchKernel.test.ts) must find it there. Every round prints a line, so a difference shows soon.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long expired[3];

__attribute__((noinline)) long work(int rounds) {
  long sum = 0;
  for (int i = 0; i < rounds; i++) sum += i % 7 * (sum & 3);
  return sum;
}

static void onTimer(int signal, siginfo_t *info, void *context) {
  expired[info->si_value.sival_int] += 1 + info->si_overrun;
  (void)signal, (void)context;
}

static timer_t makeTimer(clockid_t clock, int signal, int value, long first, long period) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal, .sigev_value.sival_int = value};
  struct itimerspec setting = {{0, period}, {0, first}};
  timer_t timer;
  timer_create(clock, &event, &timer);
  timer_settime(timer, 0, &setting, NULL);
  return timer;
}

/* One that goes on and on, one that counts processor time, one that is set anew; their signals wait now and then. */
static void timers(void) {
  struct sigaction action = {.sa_sigaction = onTimer, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGRTMIN, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  timer_t all[] = {makeTimer(CLOCK_MONOTONIC, SIGRTMIN, 0, 3000, 700), makeTimer(CLOCK_PROCESS_CPUTIME_ID, SIGUSR1, 1, 5000, 40000), makeTimer(CLOCK_THREAD_CPUTIME_ID, SIGRTMIN, 2, 16000, 0)};
  timer_delete(makeTimer(CLOCK_REALTIME, SIGUSR1, 0, 1, 0));
  sigset_t blocked;
  sigemptyset(&blocked), sigaddset(&blocked, SIGRTMIN), sigaddset(&blocked, SIGUSR1);
  for (int i = 0; i < 12; i++) {
    struct itimerspec left;
    sigprocmask(i % 3 ? SIG_UNBLOCK : SIG_BLOCK, &blocked, NULL);
    work(500);
    timer_gettime(all[2], &left);
    printf("%ld %ld %ld left %ld overrun %d\n", expired[0], expired[1], expired[2], left.it_value.tv_nsec, timer_getoverrun(all[0]));
    fflush(stdout);
    if (i == 7) makeTimer(CLOCK_BOOTTIME, SIGRTMIN, 2, 2000, 0);
    if (i == 9) timer_delete(all[1]);
  }
}

/* Written through a mapping, through descriptors and by a child; cut off and made longer. */
static void memory(void) {
  int fd = memfd_create("notes", MFD_ALLOW_SEALING), unmapped = memfd_create("plain", 0);
  ftruncate(fd, 20000);
  unsigned char *map = mmap(NULL, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char path[50], text[200], back[100] = "";
  sprintf(path, "/proc/self/fd/%d", fd);
  int again = open(path, O_RDONLY);
  for (int i = 0; i < 12; i++) {
    long sum = 0;
    map[i * 1500] += i + 1;
    pwrite(fd, "written", 7, i * 1600);
    sprintf(text, "line %d of what nobody maps, which is %ld characters long, or so\n", i, work(200) % 1000);
    write(unmapped, text, strlen(text));
    if (i % 4 == 3 && fork() == 0) {
      map[5] += 10;
      pwrite(fd, "child", 5, 9000);
      _exit(0);
    }
    wait(NULL);
    if (i == 6) ftruncate(fd, 5000), ftruncate(fd, 20000), fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    for (int at = 0; at < 20000; at += 7) sum += map[at];
    pread(unmapped, back, 60, i * 30);
    struct stat stat;
    fstat(unmapped, &stat);
    printf("%ld at %ld read %zd %c seals %d shrinks %d, %ld %.20s\n", sum, (long)lseek(unmapped, 0, SEEK_CUR), read(again, text, 100), text[96] ? text[96] : '-', fcntl(fd, F_GET_SEALS), ftruncate(fd, 19000 + 100 * i), (long)stat.st_size, back);
    fflush(stdout);
  }
}

static socklen_t bindTo(int fd, int family, struct sockaddr_storage *address) {
  socklen_t length = sizeof *address;
  memset(address, 0, sizeof *address);
  address->ss_family = family;
  if (family == AF_UNIX) {
    strcpy(((struct sockaddr_un *)address)->sun_path + 1, "of the test");
    length = offsetof(struct sockaddr_un, sun_path) + 12;
  } else {
    ((struct sockaddr_in *)address)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    length = sizeof(struct sockaddr_in);
  }
  bind(fd, (struct sockaddr *)address, length);
  getsockname(fd, (struct sockaddr *)address, &length);
  return length;
}

/* Two at a time, one of which has to wait; says what it wants in two parts. */
static void ask(int family, struct sockaddr_storage *address, socklen_t length) {
  char text[300];
  for (int i = 0; i < 4; i++) {
    int one = socket(family, SOCK_STREAM, 0), other = socket(family, SOCK_STREAM, 0);
    connect(one, (struct sockaddr *)address, length);
    connect(other, (struct sockaddr *)address, length);
    write(other, "second", 6);
    shutdown(other, SHUT_WR);
    send(one, "fi", 2, 0);
    work(400);
    send(one, "rst", 3, 0);
    recv(one, text, sizeof text, 0);
    work(200);
    close(one);
    while (read(other, text, 100) > 0) work(50);
    close(other);
  }
  exit(5);
}

/* Connections come and go, with something under way and a task that waits. */
static void serve(int family) {
  struct sockaddr_storage address;
  int listener = socket(family, SOCK_STREAM, 0), status, size = 10000;
  char text[300];
  socklen_t length = bindTo(listener, family, &address);
  listen(listener, 3);
  if (fork() == 0) ask(family, &address, length);
  for (int i = 0; i < 4; i++) {
    int one = accept(listener, NULL, NULL);
    setsockopt(one, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    int other = accept(listener, NULL, NULL);
    long got = 0, more = 0;
    while (got < 5) got += read(one, text + got, 100);
    printf("%.5s", text);
    memset(text, 'a' + i, sizeof text);
    write(one, text, 250);
    while ((more = recv(other, text, 2, 0)) > 0) got += more, work(100);
    printf(" %ld, at the end %ld", got, more);
    for (int k = 0; k < 3; k++) write(other, text, 120), work(150);
    close(other);
    printf(", then %zd\n", read(one, text, 10));
    fflush(stdout);
    close(one);
  }
  wait(&status);
  printf("status %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  if (strcmp(argv[1], "timers") == 0) timers();
  if (strcmp(argv[1], "memory") == 0) memory();
  if (strcmp(argv[1], "unix sockets") == 0) serve(AF_UNIX);
  if (strcmp(argv[1], "tcp sockets") == 0) serve(AF_INET);
  puts("done");
  return 0;
}
