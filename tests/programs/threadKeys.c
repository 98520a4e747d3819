/* What threads have for themselves: thread-local variables, keys with destructors, names, stacks, errno. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread int counter = 5;
static __thread char buffer[100];
static pthread_key_t keys[3];
static int destroyed[3], rounds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void destroy(void *value) {
  pthread_mutex_lock(&mutex);
  destroyed[(long)value % 3]++;
  pthread_mutex_unlock(&mutex);
}

/* Sets its key again: destructors are called again. */
static void destroyAgain(void *value) {
  __sync_fetch_and_add(&rounds, 1);
  if ((long)value > 1) pthread_setspecific(keys[2], (void *)((long)value - 1));
}

static void *work(void *arg) {
  long me = (long)arg;
  for (int i = 0; i < 2000; i++) {
    counter++;
    snprintf(buffer, sizeof buffer, "thread %ld", me);
    errno = (int)me;
    if (i % 100 == 0) sched_yield();
    if (errno != me) abort();
  }
  pthread_setspecific(keys[0], (void *)(me * 3 + 3));
  pthread_setspecific(keys[1], (void *)(me * 3 + 4));
  pthread_setspecific(keys[2], (void *)3L);
  char name[16];
  snprintf(name, sizeof name, "worker%ld", me);
  pthread_setname_np(pthread_self(), name);
  memset(name, 0, sizeof name);
  pthread_getname_np(pthread_self(), name, sizeof name);
  char *text = malloc(200);
  snprintf(text, 200, "%s counted to %d as %s, %s", buffer, counter, name, syscall(SYS_gettid) == getpid() ? "main" : "not main");
  return text;
}

static void *deep(void *arg) {
  volatile char array[100 * 1024];
  long depth = (long)arg;
  memset((char *)array, (int)depth, sizeof array);
  if (depth > 0) deep((void *)(depth - 1));
  return (void *)(long)array[500];
}

int main(void) {
  pthread_t threads[5];
  pthread_key_create(&keys[0], destroy);
  pthread_key_create(&keys[1], destroy);
  pthread_key_create(&keys[2], destroyAgain);
  for (long i = 0; i < 5; i++) pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 5; i++) {
    char *text;
    pthread_join(threads[i], (void **)&text);
    puts(text);
    free(text);
  }
  printf("destroyed %d %d, rounds %d, counter %d\n", destroyed[0], destroyed[1], rounds, counter);
  pthread_attr_t attributes;
  size_t size;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 4 << 20);
  pthread_attr_getstacksize(&attributes, &size);
  void *result;
  pthread_create(&threads[0], &attributes, deep, (void *)30L);
  pthread_join(threads[0], &result);
  printf("stack %zu, result %ld\n", size, (long)result);
  printf("no such thread: %d\n", pthread_kill(pthread_self(), 0));
  return 0;
}
