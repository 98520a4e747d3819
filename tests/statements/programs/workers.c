/* Threads that go through the same lines. */
#include <pthread.h>
#include <sched.h>

static volatile int sums[3];

static int step(int who, int i) {
  if (i % 2 && who) sched_yield();
  return i + who;
}

static void *work(void *argument) {
  int who = (int)(long)argument;
  for (int i = 0; i < 5; i++) sums[who] += step(who, i);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, (void *)i);
  work((void *)2L);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return sums[0] + sums[1] + sums[2] == 0;
}
