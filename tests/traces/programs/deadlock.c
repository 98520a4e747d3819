/* Two locks, taken in two orders by two threads; "deadlock clean": in one order. It does not hang: the threads run one after the other. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int transfers;

static void transfer(pthread_mutex_t *from, pthread_mutex_t *to) {
    pthread_mutex_lock(from);
    pthread_mutex_lock(to);         /* MARK: inner */
    transfers++;
    pthread_mutex_unlock(to);
    pthread_mutex_unlock(from);
}

static void *there(void *unused) { transfer(&first, &second); return 0; }
static void *back(void *clean) { if (clean) transfer(&first, &second); else transfer(&second, &first); return 0; }

int main(int argc, char **argv) {
    pthread_t a, b;
    pthread_create(&a, 0, there, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, back, argc > 1 ? &b : 0);
    pthread_join(b, 0);
    printf("%d\n", transfers);
    return 0;
}
