/* Mutexes whose owner ends without unlocking them, with and without priority inheritance. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex, second;
static volatile int locked;

static void *dying(void *arg) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&second);
  locked = 1;
  if (arg != NULL) {
    struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void *waiting(void *arg) {
  long result = pthread_mutex_lock(&mutex);
  if (result == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  return (void *)result;
}

static void try(const char *name, int protocol) {
  pthread_mutexattr_t attributes;
  pthread_t thread, others[3];
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  printf("%s\n", name);
  for (long wait = 0; wait < 2; wait++) {
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutex_init(&second, &attributes);
    locked = 0;
    pthread_create(&thread, NULL, dying, (void *)wait);
    while (!locked) sched_yield();
    int dead = 0;
    for (int i = 0; i < 3; i++) pthread_create(&others[i], NULL, waiting, NULL);
    for (int i = 0; i < 3; i++) {
      void *result;
      pthread_join(others[i], &result);
      dead += (long)result == EOWNERDEAD;
    }
    pthread_join(thread, NULL);
    printf("told that the owner died: %d\n", dead);
    printf("second: %d", pthread_mutex_lock(&second) == EOWNERDEAD);
    printf(" %d", pthread_mutex_unlock(&second));
    printf(" %d\n", pthread_mutex_lock(&second) == ENOTRECOVERABLE);
    printf("first: %d %d\n", pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex));
    pthread_mutex_destroy(&mutex);
    pthread_mutex_destroy(&second);
  }
}

static pthread_mutex_t inherited;
static long count;

static void *counting(void *arg) {
  for (int i = 0; i < 2000; i++) {
    pthread_mutex_lock(&inherited);
    count++;
    if (i % 50 == 0) sched_yield();
    pthread_mutex_unlock(&inherited);
  }
  return NULL;
}

static void *timed(void *arg) {
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 10000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_nsec -= 1000000000, soon.tv_sec++;
  printf("busy %d, timed out %d\n", pthread_mutex_trylock(&inherited), pthread_mutex_timedlock(&inherited, &soon));
  return NULL;
}

static void inheriting(void) {
  pthread_mutexattr_t attributes;
  pthread_t threads[4];
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&inherited, &attributes);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, counting, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("count %ld\n", count);
  pthread_mutex_lock(&inherited);
  printf("again %d\n", pthread_mutex_lock(&inherited));
  pthread_create(&threads[0], NULL, timed, NULL);
  pthread_join(threads[0], NULL);
  printf("unlock %d %d\n", pthread_mutex_unlock(&inherited), pthread_mutex_unlock(&inherited));
}

int main(void) {
  try("plain", PTHREAD_PRIO_NONE);
  try("inheriting", PTHREAD_PRIO_INHERIT);
  inheriting();
  return 0;
}
