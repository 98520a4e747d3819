/* Locks that processes share: mutexes, condition variables, barriers and semaphores in shared memory; an owner that dies. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 3
#define ROUNDS 300

struct shared {
  pthread_mutex_t mutex, robust, inheriting;
  pthread_cond_t turnCame;
  pthread_barrier_t barrier;
  pthread_rwlock_t rwlock;
  sem_t semaphore;
  long counters[4];
  int turn;
  char order[64];
};

static struct shared *shared;

static void work(int me) {
  pthread_barrier_wait(&shared->barrier);
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&shared->mutex);
    shared->counters[0]++;
    pthread_mutex_unlock(&shared->mutex);
    pthread_mutex_lock(&shared->inheriting);
    shared->counters[1]++;
    if (i % 20 == 0) sched_yield();
    pthread_mutex_unlock(&shared->inheriting);
    pthread_rwlock_wrlock(&shared->rwlock);
    shared->counters[2]++;
    pthread_rwlock_unlock(&shared->rwlock);
    sem_wait(&shared->semaphore);
    shared->counters[3]++;
    sem_post(&shared->semaphore);
  }
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&shared->mutex);
    while (shared->turn % PROCESSES != me) pthread_cond_wait(&shared->turnCame, &shared->mutex);
    shared->order[shared->turn++] = (char)('a' + me);
    pthread_cond_broadcast(&shared->turnCame);
    pthread_mutex_unlock(&shared->mutex);
  }
}

static void prepare(void) {
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_barrierattr_t barrier;
  pthread_rwlockattr_t rwlock;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex);
  pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&shared->inheriting, &mutex);
  pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_NONE);
  pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->robust, &mutex);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->turnCame, &condition);
  pthread_barrierattr_init(&barrier);
  pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &barrier, PROCESSES);
  pthread_rwlockattr_init(&rwlock);
  pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&shared->rwlock, &rwlock);
  sem_init(&shared->semaphore, 1, 1);
}

static void ownerDies(void) {
  pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&shared->robust);
    shared->turn = -1;
    usleep(20000);
    _exit(0);
  }
  while (*(volatile int *)&shared->turn != -1) usleep(100);
  int result = pthread_mutex_lock(&shared->robust);
  printf("owner died: %d\n", result == EOWNERDEAD);
  pthread_mutex_consistent(&shared->robust);
  pthread_mutex_unlock(&shared->robust);
  printf("again: %d\n", pthread_mutex_lock(&shared->robust));
  waitpid(child, NULL, 0);
}

static void named(void) {
  char name[64];
  snprintf(name, sizeof name, "/culprit-test-%d", getpid());
  sem_t *go = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  pid_t child = fork();
  if (child == 0) {
    sem_t *mine = sem_open(name, 0);
    for (int i = 0; i < 3; i++) sem_post(mine);
    _exit(5);
  }
  for (int i = 0; i < 3; i++) sem_wait(go);
  int status;
  waitpid(child, &status, 0);
  printf("named: %d %d\n", sem_trywait(go), WEXITSTATUS(status));
  sem_unlink(name);
}

int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  prepare();
  for (int i = 0; i < PROCESSES; i++)
    if (fork() == 0) {
      work(i);
      _exit(i);
    }
  int sum = 0, status;
  while (wait(&status) > 0) sum += WEXITSTATUS(status);
  printf("ended with %d\n", sum);
  for (int i = 0; i < 4; i++) printf("counter %ld\n", shared->counters[i]);
  printf("order %s\n", shared->order);
  ownerDies();
  named();
  return 0;
}
