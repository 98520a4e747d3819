/* Two threads that take two locks in opposite order; main waits for them. With an argument it could be interrupted. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

pthread_mutex_t firstLock = PTHREAD_MUTEX_INITIALIZER, secondLock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int signal) { _exit(9); }

static void *forwards(void *arg) {
  pthread_mutex_lock(&firstLock);
  usleep(1000);
  pthread_mutex_lock(&secondLock);
  return NULL;
}

static void *backwards(void *arg) {
  pthread_mutex_lock(&secondLock);
  usleep(1000);
  pthread_mutex_lock(&firstLock);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  if (argc > 1) signal(SIGTERM, handler);
  pthread_create(&threads[0], NULL, forwards, NULL);
  pthread_create(&threads[1], NULL, backwards, NULL);
  puts("waiting");
  fflush(stdout);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
