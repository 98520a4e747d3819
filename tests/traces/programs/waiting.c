/*
 * Two threads that are kept in order by what pthreads has for it: "waiting KIND clean"; without "clean" one of them does not take part.
 * rwlock: one writes, one reads; readers: two threads write, though each holds the lock for reading; trylock, spin, barrier, once, semaphore.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
int counter;
static const char *kind;
static int isClean;

static int is(const char *name) { return strcmp(kind, name) == 0; }
static void initialise(void) { counter = 1; }

static void take(int writes) {
    if (is("rwlock")) { if (writes) pthread_rwlock_wrlock(&rwlock); else pthread_rwlock_rdlock(&rwlock); }
    if (is("readers")) { if (isClean) pthread_rwlock_wrlock(&rwlock); else pthread_rwlock_rdlock(&rwlock); }
    if (is("trylock")) while (pthread_mutex_trylock(&mutex)) sched_yield();
    if (is("spin")) while (pthread_spin_trylock(&spin)) sched_yield();
    if (is("semaphore")) sem_wait(&semaphore);
}

static void give(void) {
    if (is("rwlock") || is("readers")) pthread_rwlock_unlock(&rwlock);
    if (is("trylock")) pthread_mutex_unlock(&mutex);
    if (is("spin")) pthread_spin_unlock(&spin);
    if (is("semaphore")) sem_post(&semaphore);
}

static void *work(void *argument) {
    int isFirst = argument == 0, takesPart = isFirst || isClean || is("readers");
    if (is("once")) {
        if (takesPart) pthread_once(&once, initialise);
        return (void *)(long)counter;                   /* MARK: once */
    }
    if (is("barrier")) {
        if (isFirst) counter++;
        if (takesPart) pthread_barrier_wait(&barrier);
        if (!isFirst) counter++;                        /* MARK: barrier */
        if (isFirst && !isClean) pthread_barrier_wait(&barrier);
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        if (takesPart) take(isFirst);
        if (isFirst || !is("rwlock")) counter++;        /* MARK: write */
        else if (counter > 100) puts("many");           /* MARK: read */
        if (takesPart) give();
        sched_yield();
    }
    return 0;
}

int main(int argc, char **argv) {
    pthread_t one, other;
    kind = argv[1];
    isClean = argc > 2;
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, 0, isClean ? 2 : 1);
    sem_init(&semaphore, 0, 1);
    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, "");
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d\n", counter);
    return 0;
}
