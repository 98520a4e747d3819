/* A variable that changes in many ways: by stores, copies, string instructions, a callee's frame, the kernel, another thread. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile int victim = 1;
char buffer[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int step(int i) {
  volatile int local[4] = {i, i + 1, i + 2, i + 3};
  for (int k = 0; k < 20; k++) local[k & 3] += k;
  return local[i & 3];
}

static void *other(void *arg) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    victim += 1000;
    pthread_mutex_unlock(&lock);
  }
  return arg;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 200; i++) {
    sum += step(i);
    if (i % 50 == 7) victim = sum;
  }
  int fds[2];
  pipe(fds);
  write(fds[1], "hello, world", 12);
  read(fds[0], buffer, sizeof buffer);
  memcpy(buffer + 16, buffer, 12);
  memset(buffer + 32, 'x', 20);
  int value = 77;
  write(fds[1], &value, sizeof value);
  read(fds[0], (void *)&victim, sizeof victim);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&lock);
    victim++;
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, NULL);
  printf("%d %s\n", victim, buffer);
  return 0;
}
