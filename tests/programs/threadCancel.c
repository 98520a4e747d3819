/* Cancelling threads: where they wait, at once, not at all, with handlers that clean up. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int fds[2];
static volatile int ready;
static char order[16];

static void note(void *arg) { strncat(order, arg, 1); }

static void unlock(void *arg) {
  note(arg);
  pthread_mutex_unlock(&mutex);
}

static void *inSleep(void *arg) {
  pthread_cleanup_push(note, "a");
  pthread_cleanup_push(note, "b");
  ready = 1;
  sleep(100);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

static void *inRead(void *arg) {
  char byte;
  pthread_cleanup_push(note, "r");
  ready = 1;
  read(fds[0], &byte, 1);
  pthread_cleanup_pop(0);
  return NULL;
}

static void *inCondition(void *arg) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, "c");
  ready = 1;
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
  return NULL;
}

static void *atOnce(void *arg) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  ready = 1;
  for (;;) ready = 1;
  return NULL;
}

static void *notNow(void *arg) {
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  ready = 1;
  struct timespec pause = {0, 20000000};
  nanosleep(&pause, NULL);
  note("n");
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  pthread_testcancel();
  note("!");
  return NULL;
}

static void *neverAsked(void *arg) {
  ready = 1;
  return (void *)7;
}

static void cancel(const char *name, void *(*work)(void *)) {
  pthread_t thread;
  void *result;
  struct timespec pause = {0, 5000000};
  ready = 0;
  order[0] = 0;
  pthread_create(&thread, NULL, work, NULL);
  while (!ready) sched_yield();
  nanosleep(&pause, NULL);
  int cancelled = pthread_cancel(thread);
  pthread_join(thread, &result);
  printf("%s: %d, %s, order '%s'\n", name, cancelled, result == PTHREAD_CANCELED ? "cancelled" : "ended by itself", order);
}

int main(void) {
  if (pipe(fds) != 0) return 1;
  cancel("in sleep", inSleep);
  cancel("in read", inRead);
  cancel("in a condition", inCondition);
  printf("mutex: %d\n", pthread_mutex_trylock(&mutex));
  cancel("at once", atOnce);
  cancel("not now", notNow);
  cancel("too late", neverAsked);
  return 0;
}
