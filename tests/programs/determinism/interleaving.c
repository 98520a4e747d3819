// Threads without any order between them write down who is where: the log is the schedule.
#include <pthread.h>
#include <stdio.h>
static volatile unsigned char log[200000]; static volatile int at; static unsigned seen[4];
static void *work(void *p) { long me = (long)p; for (int i = 0; i < 20000; i++) { int k = at; log[k] = 'a' + me; at = k + 1; seen[me] += k; } return NULL; }
int main(void) {
    pthread_t t[4]; for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, (void *)i); for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    unsigned h = 5381; int changes = 0; for (int i = 0; i < at; i++) { h = h * 33 + log[i]; changes += i && log[i] != log[i - 1]; }
    printf("%d entries, %d changes, hash %u\n", at, changes, h); for (int i = 0; i < 4; i++) printf("%u ", seen[i]); for (int i = 0; i < at; i += 997) putchar(log[i]); puts(""); return 0;
}
