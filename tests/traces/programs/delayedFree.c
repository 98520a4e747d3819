/*
 * The bug of the thesis's browser in miniature. Collections that leave chunks behind start a timer, which frees them later. Whether there
 * are any is in a counter that a helper thread updates: with the collector's lock when it is told to be right, otherwise without, and
 * then the first collection may look too early, start no timer, and the memory stays.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sched.h>

static pthread_mutex_t gcLock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t swept = PTHREAD_COND_INITIALIZER;
static sem_t sweepNow;
int chunksWaiting;
static int isRight, sweeps, timers;

void create_timer(int id) { timers++; }
void timer_fired(int id) { timers--; }

static void *sweeper(void *unused) {
    for (int i = 0; i < 3; i++) {
        sem_wait(&sweepNow);
        if (isRight) pthread_mutex_lock(&gcLock);
        chunksWaiting++;                            /* MARK: sweep */
        if (isRight) {
            sweeps++;
            pthread_cond_signal(&swept);
            pthread_mutex_unlock(&gcLock);
        }
    }
    return 0;
}

void collect(int id) {
    pthread_mutex_lock(&gcLock);
    int before = sweeps;
    sem_post(&sweepNow);
    while (isRight && sweeps == before) pthread_cond_wait(&swept, &gcLock);
    if (chunksWaiting > 0) create_timer(id);        /* MARK: look */
    pthread_mutex_unlock(&gcLock);
}

int main(int argc, char **argv) {
    pthread_t helper;
    isRight = argc > 1;
    sem_init(&sweepNow, 0, 0);
    pthread_create(&helper, 0, sweeper, 0);
    for (int id = 1; id <= 3; id++) {
        collect(id);
        for (int i = 0; i < 200; i++) sched_yield();
        if (timers > 0) timer_fired(id);
    }
    pthread_join(helper, 0);
    printf("timers left: %d, chunks: %d\n", timers, chunksWaiting);
    return 0;
}
