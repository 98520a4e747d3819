/* Four threads count: mostly each for itself, now and then together under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static long rounds;

static void *count(void *seed) {
  unsigned long x = (unsigned long)seed;
  for (long i = 0; i < rounds; i++) {
    x = x * 6364136223846793005ul + 1442695040888963407ul;
    if ((x >> 33) % 64 == 0) {
      pthread_mutex_lock(&lock);
      total += x >> 60;
      pthread_mutex_unlock(&lock);
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[4];
  rounds = argc > 1 ? atol(argv[1]) : 1000000;
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, count, (void *)(i + 1));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", total);
  return 0;
}
