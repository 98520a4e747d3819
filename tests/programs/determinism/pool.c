// A pool of threads takes jobs of different length; each job says who did it.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
static int next, who[200], steps[5]; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static sem_t jobs; static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; static long table[50];
static void *worker(void *p) { long me = (long)p; for (;;) { sem_wait(&jobs); pthread_mutex_lock(&m); int j = next < 200 ? next++ : -1; pthread_mutex_unlock(&m); if (j < 0) return NULL; who[j] = me; char *b = malloc(j * 37 % 5000 + 1); for (volatile int k = 0; k < j * 13 % 700; k++) b[k % (j * 37 % 5000 + 1)] = k; if (j % 7 == 0) { pthread_rwlock_wrlock(&rw); table[j % 50] += me; pthread_rwlock_unlock(&rw); } else { pthread_rwlock_rdlock(&rw); steps[me] += table[j % 50]; pthread_rwlock_unlock(&rw); } free(b); } }
int main(void) { pthread_t t[5]; sem_init(&jobs, 0, 0); for (long i = 0; i < 5; i++) pthread_create(&t[i], NULL, worker, (void *)i); for (int i = 0; i < 205; i++) sem_post(&jobs); for (int i = 0; i < 5; i++) pthread_join(t[i], NULL); for (int i = 0; i < 200; i++) printf("%d", who[i]); puts(""); for (int i = 0; i < 5; i++) printf("%d ", steps[i]); puts(""); return 0; }
