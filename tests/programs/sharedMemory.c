// Memory that processes share: anonymous, of files, of memfds; what private mappings keep to themselves; locks in it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 40
#define SIZE (PAGES * 4096)

static int end(pid_t pid) {
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void *map(int flags, int fd) {
  void *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (at == MAP_FAILED) exit(99);
  return at;
}

/* Each side writes its own half of every page, turn by turn. */
static void turns(const char *what, volatile int *memory) {
  _Atomic int *turn = (_Atomic int *)memory;
  pid_t pid = fork();
  int me = pid == 0;
  for (int round = 0; round < 20; round++) {
    while (atomic_load(turn) % 2 != me) sched_yield();
    for (int page = 1; page < PAGES; page++) {
      volatile int *half = memory + page * 1024 + me * 512, *other = memory + page * 1024 + !me * 512;
      if (round > 0 && *other != (round - 1 + me) * 100 + page && *other != round * 100 + page) _exit(1);
      *half = round * 100 + page;
    }
    atomic_fetch_add(turn, 1);
  }
  if (pid == 0) _exit(0);
  int status = end(pid);
  printf("%s: %d, turns %d\n", what, status, atomic_load(turn));
}

static void privately(void) {
  int fd = open("private", O_RDWR | O_CREAT | O_TRUNC, 0600);
  ftruncate(fd, SIZE);
  pwrite(fd, "file", 4, 4096);
  char *shared = map(MAP_SHARED, fd), *own = map(MAP_PRIVATE, fd);
  own[0] = 'p';
  pid_t pid = fork();
  if (pid == 0) {
    int ok = own[0] == 'p' && memcmp(own + 4096, "file", 4) == 0;
    own[0] = 'c';
    shared[8192] = 's';
    memcpy(shared + 4096, "FILE", 4);
    _exit(ok ? 0 : 1);
  }
  int status = end(pid);
  printf("private: %d %c, shared %c, file ", status, own[0], shared[8192]);
  char text[5] = "";
  pread(fd, text, 4, 4096);
  printf("%s\n", text);
  pwrite(fd, "pwrite", 6, 12288);
  pid = fork();
  if (pid == 0) _exit(memcmp(shared + 12288, "pwrite", 6) != 0);
  printf("written: %d\n", end(pid));
}

struct locked {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
  int counter, ready;
};

static void locks(void) {
  struct locked *l = map(MAP_SHARED | MAP_ANONYMOUS, -1);
  pthread_mutexattr_t ma;
  pthread_mutexattr_init(&ma);
  pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&l->mutex, &ma);
  pthread_condattr_t ca;
  pthread_condattr_init(&ca);
  pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&l->condition, &ca);
  sem_init(&l->semaphore, 1, 0);
  pid_t pids[4];
  for (int i = 0; i < 4; i++) {
    pids[i] = fork();
    if (pids[i] != 0) continue;
    pthread_mutex_lock(&l->mutex);
    while (!l->ready) pthread_cond_wait(&l->condition, &l->mutex);
    pthread_mutex_unlock(&l->mutex);
    for (int n = 0; n < 500; n++) {
      pthread_mutex_lock(&l->mutex);
      int value = l->counter;
      if (n % 50 == 0) sched_yield();
      l->counter = value + 1;
      pthread_mutex_unlock(&l->mutex);
    }
    sem_post(&l->semaphore);
    _exit(0);
  }
  pthread_mutex_lock(&l->mutex);
  l->ready = 1;
  pthread_cond_broadcast(&l->condition);
  pthread_mutex_unlock(&l->mutex);
  for (int i = 0; i < 4; i++) sem_wait(&l->semaphore);
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += end(pids[i]);
  printf("locks: counter %d, statuses %d\n", l->counter, sum);
}

static void robust(void) {
  pthread_mutex_t *mutex = map(MAP_SHARED | MAP_ANONYMOUS, -1);
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(mutex, &a);
  pid_t pid = fork();
  if (pid == 0) {
    pthread_mutex_lock(mutex);
    _exit(3);
  }
  int status = end(pid);
  printf("robust: %d %s\n", status, strerror(pthread_mutex_lock(mutex)));
  pthread_mutex_consistent(mutex);
  printf("unlock %d", pthread_mutex_unlock(mutex));
  printf(" lock %d\n", pthread_mutex_lock(mutex));
}

static void inherited(void) {
  int *shared = map(MAP_SHARED | MAP_ANONYMOUS, -1);
  if (fork() == 0) {
    if (fork() == 0) {
      shared[3000] = 7;
      munmap(shared, SIZE);
      _exit(0);
    }
    wait(NULL);
    shared[3001] = shared[3000] + 1;
    _exit(0);
  }
  wait(NULL);
  printf("inherited: %d %d\n", shared[3000], shared[3001]);
  mprotect(shared, SIZE, PROT_READ);
  pid_t pid = fork();
  if (pid == 0) shared[0] = 1;
  printf("protected: %d\n", end(pid));
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  turns("anonymous", map(MAP_SHARED | MAP_ANONYMOUS, -1));
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
  ftruncate(fd, SIZE);
  turns("file", map(MAP_SHARED, fd));
  fd = memfd_create("memory", 0);
  ftruncate(fd, SIZE);
  turns("memfd", map(MAP_SHARED, fd));
  int *twice = map(MAP_SHARED, fd);
  printf("memfd has %d\n", twice[0]);
  privately();
  locks();
  robust();
  inherited();
  return 0;
}
