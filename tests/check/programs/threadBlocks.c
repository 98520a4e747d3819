/* What the C library allocates for threads and does not give back, and beside it, with -DKEPT, what the program could have given back. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 40, THREADS = 3 };
#ifdef KEPT
enum { WAITING = 4 };
#else
enum { WAITING = 3 };
#endif

static pthread_key_t keys[KEYS];
static __thread char *mine;
static pthread_barrier_t everybody;

static void *work(void *argument) {
  dlopen("/no/such/library.so", RTLD_NOW);
  puts(strerror(9999));
  pthread_setspecific(keys[KEYS - 1], &everybody);
#ifdef KEPT
  mine = strdup("thread-local");            /* KEPT */
  pthread_setspecific(keys[0], strdup("specific")); /* KEPT */
#endif
  return argument;
}

static void *waitForEver(void *argument) {
  pthread_barrier_wait(&everybody);
  for (;;) pthread_barrier_wait(argument);
}

int main(void) {
  pthread_t threads[THREADS], last, other, third;
  pthread_attr_t own;
  pthread_barrier_t never;
  static _Alignas(4096) char stack[1 << 18];
  for (int i = 0; i < KEYS; i++) pthread_key_create(&keys[i], NULL);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  work(NULL);
  pthread_barrier_init(&everybody, NULL, WAITING);
  pthread_barrier_init(&never, NULL, 100);
  pthread_attr_init(&own);
  pthread_attr_setstack(&own, stack, sizeof stack);
  pthread_create(&last, &own, waitForEver, &never);
  pthread_create(&other, NULL, waitForEver, &never);
#ifdef KEPT
  char *heap = aligned_alloc(4096, sizeof stack); /* KEPT */
  pthread_attr_setstack(&own, heap, sizeof stack);
  pthread_create(&third, &own, waitForEver, &never);
  pthread_t given;
  pthread_create(&given, NULL, work, strdup("argument")); /* KEPT */
  pthread_join(given, NULL);
#endif
  pthread_barrier_wait(&everybody);
  return 0;
}
