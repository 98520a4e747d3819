#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static __thread int mine;

static void bump(int by) {
  mine += by;
  pthread_mutex_lock(&lock);
  counter += by;
  pthread_mutex_unlock(&lock);
}

static void *worker(void *argument) {
  int by = *(int *)argument;
  for (int i = 0; i < 3; i++)
    bump(by);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  int one = 1, two = 2;
  pthread_create(&first, NULL, worker, &one);
  pthread_join(first, NULL);
  pthread_create(&second, NULL, worker, &two);
  pthread_join(second, NULL);
  printf("%d\n", counter);
  return 0;
}
