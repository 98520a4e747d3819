/* Fails if the thread gets its turn before the program goes on: that depends on how threads are interleaved. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static volatile int is_quicker;

static void *thread(void *unused) {
  is_quicker = 1;
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, thread, NULL);
  sched_yield();
  if (is_quicker) abort();
  return pthread_join(other, NULL);
}
