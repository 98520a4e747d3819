/* Two threads that write the same counter without a lock. */
#include <pthread.h>
#include <stdio.h>

static int counter;

static void count(int by)
{
  counter += by;
}

static void *work(void *unused)
{
  (void)unused;
  for (int i = 0; i < 3; i++)
    count(1);
  return NULL;
}

int main(void)
{
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  count(5);
  pthread_join(other, NULL);
  printf("%d\n", counter);
  return 0;
}
