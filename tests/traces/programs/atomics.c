/*
 * Threads that are kept in order by atomic variables, each in a way of its own: "atomics KIND clean" is right, "atomics KIND" is not.
 * message: a flag of type _Atomic, stored and loaded by plain moves; spin: a plain int, taken by an exchange and given back by a move;
 * ticket: taken by fetch-and-add; compare: by compare-and-exchange; count: the variable is atomic itself; chain: knowledge goes through a third thread.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static atomic_int ready, relayed;
static int spin, tickets, serving, claimed;
int data, counter;
static const char *kind;
static int isClean;

static int is(const char *name) { return strcmp(kind, name) == 0; }

static void take(void) {
    if (is("spin")) while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE)) sched_yield();
    if (is("ticket")) for (int own = __atomic_fetch_add(&tickets, 1, __ATOMIC_RELAXED); __atomic_load_n(&serving, __ATOMIC_ACQUIRE) != own;) sched_yield();
    if (is("compare")) for (int free = 0; !__atomic_compare_exchange_n(&claimed, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED); free = 0) sched_yield();
}

static void give(void) {
    if (is("spin")) __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
    if (is("ticket")) __atomic_fetch_add(&serving, 1, __ATOMIC_RELEASE);
    if (is("compare")) __atomic_store_n(&claimed, 0, __ATOMIC_RELEASE);
}

static void add(int holds) {
    for (int i = 0; i < 4; i++) {
        if (holds) take();
        counter++;                                      /* MARK: plain */
        if (holds) give();
        sched_yield();
    }
}

static void *first(void *unused) {
    data = 42;                                          /* MARK: write */
    if (is("message") || is("chain")) atomic_store_explicit(&ready, 1, memory_order_release);
    else if (is("count")) for (int i = 0; i < 4; i++) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    else add(1);
    return 0;
}

static void *second(void *unused) {
    atomic_int *flag = is("chain") ? &relayed : &ready;
    if (is("message") || is("chain")) {
        while (isClean && !atomic_load_explicit(flag, memory_order_acquire)) sched_yield();
        counter = data;                                 /* MARK: read */
    } else if (is("count") && isClean) for (int i = 0; i < 4; i++) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    else add(isClean);
    return 0;
}

static void *relay(void *unused) {
    while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
    atomic_store_explicit(&relayed, 1, memory_order_release);
    return 0;
}

int main(int argc, char **argv) {
    void *(*functions[])(void *) = {first, second, relay};
    pthread_t threads[3];
    kind = argv[1];
    isClean = argc > 2;
    int count = is("chain") ? 3 : 2;
    for (int i = 0; i < count; i++) pthread_create(&threads[i], 0, functions[i], 0);
    for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
    printf("%d %d\n", data, counter);
    return 0;
}
