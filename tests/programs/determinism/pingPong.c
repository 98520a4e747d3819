// Two threads and two processes hand a ball to and fro, by condition and by pipe; the time it took.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static int turn; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }
static void *play(void *p) { for (int i = 0; i < 500; i++) { pthread_mutex_lock(&m); while (turn != (long)p) pthread_cond_wait(&c, &m); turn = !turn; pthread_cond_signal(&c); pthread_mutex_unlock(&m); } return NULL; }
int main(void) { long start = now(); pthread_t t; pthread_create(&t, NULL, play, (void *)1); play((void *)0); pthread_join(t, NULL); printf("threads: %ld ns\n", now() - start); int a[2], b[2]; pipe(a); pipe(b); start = now(); if (fork() == 0) { char x; while (close(a[1]), read(a[0], &x, 1) == 1) { x++; write(b[1], &x, 1); } _exit(0); } close(a[0]); char x = 0; for (int i = 0; i < 300; i++) { write(a[1], &x, 1); read(b[0], &x, 1); } close(a[1]); wait(NULL); printf("processes: %ld ns, %d\n", now() - start, x); return 0; }
