#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#define APART __attribute__((noipa))
volatile long source;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; long total; 
void *work(void *x) { for (int i = 0; i < 50; i++) { pthread_mutex_lock(&lock); total += source; pthread_mutex_unlock(&lock); } return (void *)(total << 20); }
int main(void) {
  pthread_t t[3];
  source = 12;
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  void *r; for (int i = 0; i < 3; i++) pthread_join(t[i], &r);
  pthread_mutex_lock(&lock);
  printf("total\n");
  if (total) *(int *)(total << 40) = 1;
  puts("end");
  return 0;
}
