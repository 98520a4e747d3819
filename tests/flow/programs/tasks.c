/* From thread to thread, through a signal handler, from a parent to its child, across system calls that wait. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static char *volatile inHandler;
static volatile unsigned sink;

static void *produce(void *argument) {
  char *made = argument;
  for (int i = 0; i < 20000; i++) sink += i;
  pthread_mutex_lock(&lock);
  shared = made;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  return made;
}

static void handle(int number) {
  inHandler = shared;
}

static __attribute__((noinline)) char *interrupted(char *kept) {
  raise(SIGUSR1);
  for (int i = 0; i < 1000; i++) sink += i;
  return kept;
}

int main(void) {
  char *block = malloc(8);
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, 0, produce, block);
  pthread_mutex_lock(&lock);
  while (shared == 0) pthread_cond_wait(&ready, &lock);
  char *received = shared;
  pthread_mutex_unlock(&lock);
  void *result;
  pthread_join(thread, &result);
  char *joined = result;
  char *after = interrupted(received);
  char *handled = inHandler;
  int pair[2];
  pipe(pair);
  pid_t child = fork();
  if (child == 0) {
    char *own = after;
    after = 0;
    write(pair[1], &own, sizeof own);
    _exit(own != joined); // MARK: child
  }
  char *other;
  read(pair[0], &other, sizeof other);
  wait(0);
  char *mine = after;
  return handled != mine || other != mine; // MARK: end
}
