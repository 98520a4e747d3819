#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int done[3];
static volatile int signals;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;

static void noted(int number) {
  signals += number;
}

static void *work(void *argument) {
  int number = *(int *) argument;
  char name[16];
  snprintf(name, sizeof name, "worker%d", number);
  pthread_setname_np(pthread_self(), name);
  pthread_barrier_wait(&all);
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&lock);
    done[number]++;
    pthread_mutex_unlock(&lock);
  }
  pthread_barrier_wait(&all);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  int numbers[3] = {0, 1, 2};
  signal(SIGUSR1, noted);
  pthread_barrier_init(&all, NULL, 3);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, &numbers[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  raise(SIGUSR1);
  printf("%d %d %d %d\n", done[0], done[1], done[2], signals);
  return 0;
}
