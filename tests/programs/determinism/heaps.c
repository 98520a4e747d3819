// Threads that allocate and free each other's memory: addresses are part of the output.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *slot[64]; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static unsigned long log[4];
static void *work(void *p) { long me = (long)p; unsigned r = me * 7 + 1; for (int i = 0; i < 1500; i++) { r = r * 1103515245 + 12345; void *n = malloc(r % 3000), *o; pthread_mutex_lock(&m); o = slot[r >> 8 & 63]; slot[r >> 8 & 63] = n; pthread_mutex_unlock(&m); log[me] = log[me] * 31 + (unsigned long)o; free(o); } return NULL; }
int main(void) { pthread_t t[4]; for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i); for (int i = 0; i < 4; i++) pthread_join(t[i], NULL); for (int i = 0; i < 4; i++) printf("%lx\n", log[i]); for (int i = 0; i < 64; i += 9) printf("%p ", slot[i]); puts(""); return 0; }
