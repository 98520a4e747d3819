// Philosophers who put the first fork down if the second is taken: how often each had to.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static pthread_mutex_t fork_[5]; static int meals[5], tries[5]; static volatile unsigned log;
static void *dine(void *p) { long i = (long)p; while (meals[i] < 200) { tries[i]++; pthread_mutex_lock(&fork_[i]); if (pthread_mutex_trylock(&fork_[(i + 1) % 5]) == 0) { meals[i]++; log = log * 7 + i; for (volatile int k = 0; k < 200; k++); pthread_mutex_unlock(&fork_[(i + 1) % 5]); pthread_mutex_unlock(&fork_[i]); } else { pthread_mutex_unlock(&fork_[i]); sched_yield(); } } return NULL; }
int main(void) { pthread_t t[5]; for (int i = 0; i < 5; i++) pthread_mutex_init(&fork_[i], NULL); for (long i = 0; i < 5; i++) pthread_create(&t[i], NULL, dine, (void *)i); for (int i = 0; i < 5; i++) pthread_join(t[i], NULL); for (int i = 0; i < 5; i++) printf("%d meals in %d tries\n", meals[i], tries[i]); printf("%u\n", log); return 0; }
