/* Threads that meet at mutexes of all kinds, condition variables, barriers, rwlocks, spinlocks and semaphores. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 4
#define ROUNDS 3000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static long counters[4];
static int serials;

static void *counting(void *arg) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    counters[0]++;
    pthread_mutex_unlock(&mutex);
    pthread_spin_lock(&spin);
    counters[1]++;
    pthread_spin_unlock(&spin);
    sem_wait(&semaphore);
    counters[2]++;
    sem_post(&semaphore);
    if (i % 8 == 0) {
      pthread_rwlock_wrlock(&rwlock);
      counters[3]++;
      pthread_rwlock_unlock(&rwlock);
    } else {
      pthread_rwlock_rdlock(&rwlock);
      if (counters[3] < 0) abort();
      pthread_rwlock_unlock(&rwlock);
    }
  }
  return (void *)((long)arg * 10);
}

static void *meeting(void *arg) {
  for (int i = 0; i < 50; i++)
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) __sync_fetch_and_add(&serials, 1);
  return NULL;
}

static void inThreads(void *(*work)(void *)) {
  pthread_t threads[THREADS];
  long sum = 0;
  for (long i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, (void *)i) != 0) abort();
  for (int i = 0; i < THREADS; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("results %ld\n", sum);
}

/* A queue of bounded length with two condition variables. */
static pthread_cond_t notFull = PTHREAD_COND_INITIALIZER, notEmpty = PTHREAD_COND_INITIALIZER;
static int queue[7], filled, done;
static long produced, consumed;

static void *queueing(void *arg) {
  long me = (long)arg;
  for (int i = 1; i <= 1000; i++) {
    pthread_mutex_lock(&mutex);
    if (me % 2 == 0) {
      while (filled == 7) pthread_cond_wait(&notFull, &mutex);
      queue[filled++] = i;
      produced += i;
      pthread_cond_signal(&notEmpty);
    } else {
      while (filled == 0) pthread_cond_wait(&notEmpty, &mutex);
      consumed += queue[--filled];
      if (i % 3 == 0) pthread_cond_broadcast(&notFull);
      else pthread_cond_signal(&notFull);
    }
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static pthread_mutex_t kind;

static void *trying(void *arg) {
  printf("busy: %d\n", pthread_mutex_trylock(&kind));
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 20000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_nsec -= 1000000000, soon.tv_sec++;
  printf("timed out: %d\n", pthread_mutex_timedlock(&kind, &soon));
  printf("not mine: %d\n", pthread_mutex_unlock(&kind) == EPERM);
  return NULL;
}

static void kinds(void) {
  pthread_mutexattr_t attributes;
  pthread_t thread;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&kind, &attributes);
  pthread_mutex_lock(&kind);
  printf("again: %d\n", pthread_mutex_lock(&kind));
  pthread_create(&thread, NULL, trying, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_unlock(&kind);
  printf("not locked: %d\n", pthread_mutex_unlock(&kind));
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&kind, &attributes);
  for (int i = 0; i < 3; i++) printf("recursive: %d\n", pthread_mutex_lock(&kind));
  for (int i = 0; i < 4; i++) printf("unlock: %d\n", pthread_mutex_unlock(&kind));
}

static void timedWait(clockid_t clock) {
  pthread_condattr_t attributes;
  pthread_cond_t never;
  struct timespec before, until, after;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, clock);
  pthread_cond_init(&never, &attributes);
  clock_gettime(clock, &before);
  until = before;
  until.tv_nsec += 30000000;
  if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
  pthread_mutex_lock(&mutex);
  int result = pthread_cond_timedwait(&never, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  clock_gettime(clock, &after);
  long passed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
  printf("timed wait: %d, %s\n", result, passed >= 29 && passed < 1000 ? "in time" : "not in time");
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

static void initialise(void) { initialised++; }

static void *initialising(void *arg) {
  for (int i = 0; i < 100; i++) pthread_once(&once, initialise);
  return NULL;
}

int main(void) {
  pthread_spin_init(&spin, 0);
  sem_init(&semaphore, 0, 2);
  pthread_barrier_init(&barrier, NULL, THREADS);
  sem_wait(&semaphore);
  inThreads(counting);
  for (int i = 0; i < 4; i++) printf("counter %d: %ld\n", i, counters[i]);
  inThreads(meeting);
  printf("serial: %d\n", serials);
  inThreads(queueing);
  printf("queue: %s\n", produced == consumed && filled == 0 ? "empty" : "wrong");
  kinds();
  timedWait(CLOCK_REALTIME);
  timedWait(CLOCK_MONOTONIC);
  inThreads(initialising);
  printf("once: %d\n", initialised);
  sem_post(&semaphore);
  printf("semaphore: %d", sem_trywait(&semaphore));
  printf(" %d", sem_trywait(&semaphore));
  printf(" %d %d\n", sem_trywait(&semaphore), errno);
  return 0;
}
