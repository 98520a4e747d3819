/* Threads that count without a lock: how much is lost says how they were interleaved. */
#include <pthread.h>
#include <stdio.h>

static volatile long counter;

static void *count(void *arg) {
  for (int i = 0; i < 2000; i++) {
    long value = counter;
    counter = value + 1;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", counter);
  return 0;
}
