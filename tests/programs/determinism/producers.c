// Producers and consumers with a bounded queue: who takes what.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int queue[8], head, tail, done; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t room = PTHREAD_COND_INITIALIZER, work = PTHREAD_COND_INITIALIZER; static unsigned log;
static void *produce(void *p) { for (int i = 0; i < 300; i++) { pthread_mutex_lock(&m); while (tail - head == 8) pthread_cond_wait(&room, &m); queue[tail++ % 8] = (long)p * 1000 + i; log = log * 31 + tail; pthread_cond_signal(&work); pthread_mutex_unlock(&m); if (i % 50 == 0) usleep(100); } return NULL; }
static void *consume(void *p) { long sum = 0, n = 0; for (;;) { pthread_mutex_lock(&m); while (tail == head && !done) pthread_cond_wait(&work, &m); if (tail == head) { pthread_mutex_unlock(&m); break; } int v = queue[head++ % 8]; log = log * 37 + v; pthread_cond_signal(&room); pthread_mutex_unlock(&m); sum += v; n++; for (volatile int k = 0; k < v % 100; k++); } printf("consumer %ld took %ld, sum %ld\n", (long)p, n, sum); return NULL; }
int main(void) { pthread_t t[6]; for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, produce, (void *)i); for (long i = 3; i < 6; i++) pthread_create(&t[i], NULL, consume, (void *)i); for (int i = 0; i < 3; i++) pthread_join(t[i], NULL); pthread_mutex_lock(&m); done = 1; pthread_cond_broadcast(&work); pthread_mutex_unlock(&m); for (int i = 3; i < 6; i++) pthread_join(t[i], NULL); printf("log %u\n", log); return 0; }
