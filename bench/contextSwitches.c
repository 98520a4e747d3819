/* Two threads hand a turn to each other: every hand-over is a context switch. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;
static long switches;

static void *play(void *self) {
  pthread_mutex_lock(&lock);
  while (turn < switches) {
    if (turn % 2 == (long)self) {
      turn++;
      pthread_cond_signal(&changed);
    } else pthread_cond_wait(&changed, &lock);
  }
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t other;
  switches = argc > 1 ? atol(argv[1]) : 10000;
  pthread_create(&other, NULL, play, (void *)1);
  play((void *)0);
  pthread_join(other, NULL);
  printf("%ld\n", turn);
  return 0;
}
