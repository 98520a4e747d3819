/* How threads and processes end: main before the others, a thread that exits for all, a signal, detached threads, exec. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_t mainThread;

static void pauseFor(long milliseconds) {
  struct timespec time = {0, milliseconds * 1000000};
  nanosleep(&time, NULL);
}

static void *afterMain(void *arg) {
  void *result;
  pthread_join(mainThread, &result);
  printf("main ended with %ld\n", (long)result);
  fflush(stdout);
  return NULL;
}

static void *exiting(void *arg) {
  pauseFor(5);
  puts("exit from a thread");
  exit(7);
}

static void *crashing(void *arg) {
  pauseFor(5);
  fflush(stdout);
  *(volatile int *)0x10 = 1;
  return NULL;
}

static void *executing(void *arg) {
  fflush(stdout);
  execlp("echo", "echo", "executed by a thread", NULL);
  return NULL;
}

static void *looping(void *arg) {
  for (;;) pauseFor(1);
  return NULL;
}

static volatile int detached;

static void *detaching(void *arg) {
  pthread_detach(pthread_self());
  __sync_fetch_and_add(&detached, 1);
  return NULL;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  pthread_t thread;
  mainThread = pthread_self();
  pthread_create(&thread, NULL, looping, NULL);
  if (!strcmp(how, "main")) {
    pthread_cancel(thread);
    pthread_create(&thread, NULL, afterMain, NULL);
    pthread_exit((void *)42);
  }
  if (!strcmp(how, "exit")) pthread_create(&thread, NULL, exiting, NULL);
  if (!strcmp(how, "crash")) pthread_create(&thread, NULL, crashing, NULL);
  if (!strcmp(how, "exec")) pthread_create(&thread, NULL, executing, NULL);
  if (!strcmp(how, "return")) return 3;
  if (!strcmp(how, "raw")) {
    puts("main leaves");
    fflush(stdout);
    pthread_create(&thread, NULL, exiting, NULL);
    syscall(SYS_exit, 9);
  }
  if (!strcmp(how, "detached")) {
    for (int i = 0; i < 200; i++) {
      pthread_create(&thread, NULL, detaching, NULL);
      while (detached <= i) sched_yield();
    }
    printf("detached %d\n", detached);
    return 0;
  }
  for (;;) pause();
}
