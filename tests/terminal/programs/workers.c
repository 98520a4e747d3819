// Threads one after the other, with variables of their own, and a stop in each.
#include <pthread.h>
#include <stdio.h>

struct job {
  int number;
  long result;
};

static __thread int depth;
static __thread struct job last = {-1, -1};

static long climb(int n) {
  depth = n;
  if (n == 0) return 1;
  return n * climb(n - 1);
}

static void *work(void *argument) {
  struct job *job = argument;
  last = *job;
  job->result = climb(job->number);
  return job;
}

int main(void) {
  struct job jobs[2] = {{3, 0}, {4, 0}};
  pthread_t thread;
  for (int i = 0; i < 2; i++) {
    pthread_create(&thread, NULL, work, &jobs[i]);
    pthread_join(thread, NULL);
  }
  printf("%ld %ld %d\n", jobs[0].result, jobs[1].result, depth);
  return 0;
}
