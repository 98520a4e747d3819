/* Two threads take turns on a shared variable; one of them corrupts it. */
#include <pthread.h>
#include <stdio.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;
int limit = 100;
__thread int own;

static void add(int amount) {
  pthread_mutex_lock(&lock);
  shared += amount;
  pthread_mutex_unlock(&lock);
  own += amount;
}

static void *worker(void *arg) {
  for (int i = 0; i < 30; i++) add(1);
  limit = -1;
  for (int i = 0; i < 30; i++) add(2);
  return arg;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  for (int i = 0; i < 50; i++) add(10);
  pthread_join(thread, NULL);
  printf("%d %d\n", shared, limit); /* MARK: joined */
  return limit < 0;
}
