/* Two threads count. "race": one of them without the lock; "race clean": both with it. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;
static int isClean;

static void *careful(void *unused) {
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *careless(void *unused) {
    for (int i = 0; i < 5; i++) {
        if (isClean) pthread_mutex_lock(&lock);
        counter++;                              /* MARK: race */
        if (isClean) pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    isClean = argc > 1;
    counter = 0;
    pthread_create(&a, 0, careful, 0);
    pthread_create(&b, 0, careless, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%d\n", counter);
    return 0;
}
