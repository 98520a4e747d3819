// Processes with threads that fork, run other programs and end: only the thread that asked is in the child.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int running = 1, spins;
static const char *self;

static void *spin(void *unused) {
  (void)unused;
  while (running) spins++;
  return NULL;
}

static void *waits(void *unused) {
  pause();
  return unused;
}

static int end(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void before(void) { pthread_mutex_lock(&lock); }
static void after(void) { pthread_mutex_unlock(&lock); }

static void *forks(void *unused) {
  pid_t pid = fork();
  if (pid == 0) {
    int mine = (pid_t)syscall(SYS_gettid) == getpid();
    int now = spins;
    for (volatile int i = 0; i < 2000000; i++) {}
    pthread_mutex_lock(&lock);
    _exit(mine * 2 + (spins == now));
  }
  printf("child of a thread: %d\n", end(pid));
  return unused;
}

static void *runs(void *unused) {
  execl(self, self, "other", NULL);
  return unused;
}

static int other(void) {
  int waited = waitpid(-1, NULL, 0);
  printf("other program: main thread %d, waited for %d %s\n", (pid_t)syscall(SYS_gettid) == getpid(), waited, strerror(errno));
  return 21;
}

static void *exits(void *unused) {
  nanosleep(&(struct timespec){0, 10000000}, NULL);
  exit(33);
  return unused;
}

static void *last(void *unused) {
  nanosleep(&(struct timespec){0, 10000000}, NULL);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[3], t;
  self = argv[0];
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 1) return other();
  pthread_atfork(before, after, after);
  pthread_create(&threads[0], NULL, spin, NULL);
  pthread_create(&threads[1], NULL, waits, NULL);
  pthread_create(&t, NULL, forks, NULL);
  pthread_join(t, NULL);

  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, i == 0 ? spin : waits, NULL);
    pthread_create(&t, NULL, runs, NULL);
    pause();
  }
  printf("exec in a thread: %d\n", end(pid));
  pid = fork();
  if (pid == 0) {
    pthread_create(&threads[0], NULL, spin, NULL);
    pthread_create(&t, NULL, exits, NULL);
    pause();
  }
  printf("exit in a thread: %d\n", end(pid));
  pid = fork();
  if (pid == 0) {
    pthread_create(&t, NULL, last, NULL);
    pthread_exit(NULL);
  }
  printf("main thread first: %d\n", end(pid));
  pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, waits, NULL);
    pause();
  }
  kill(pid, SIGTERM);
  printf("killed: %d\n", end(pid));
  running = 0;
  pthread_join(threads[0], NULL);
  return 0;
}
