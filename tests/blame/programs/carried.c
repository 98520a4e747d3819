/*
 * A table of routes is written beyond its end, over the key of an account (HO). The key goes on in the way that the
 * argument names (copy, file, pipe, thread, process), twice, before it is used as an index and crashes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUTES 8
#define KEYS 1024

struct account { long key; long balance; char owner[16]; };

static long *routes;
static struct account *account;
static long ledger[KEYS];
static long handed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void fill_routes(int count) {
    for (int i = 0; i < count; i++)             // @error
        routes[i] = 1000000000L + i;            // @corrupt
}

static struct account by_copy(struct account given) {
    struct account copies[3];
    memcpy(&copies[0], &given, sizeof given);
    memmove(&copies[1], &copies[0], sizeof given);
    copies[2] = copies[1];
    return copies[2];
}

static struct account by_file(struct account given) {
    struct account taken;
    FILE *file = tmpfile();
    if (file == NULL || fwrite(&given, sizeof given, 1, file) != 1)
        exit(3);
    rewind(file);
    if (fread(&taken, sizeof taken, 1, file) != 1)
        exit(3);
    fclose(file);
    return taken;
}

static struct account by_pipe(struct account given) {
    struct account taken;
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], &given, sizeof given) != sizeof given)
        exit(3);
    if (read(ends[0], &taken, sizeof taken) != sizeof taken)
        exit(3);
    close(ends[0]);
    close(ends[1]);
    return taken;
}

static void *worker(void *from) {
    const struct account *given = from;
    pthread_mutex_lock(&lock);
    handed = given->key;
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static struct account by_thread(struct account given) {
    pthread_t thread;
    struct account taken = given;
    is_ready = 0;
    pthread_create(&thread, NULL, worker, &given);
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&ready, &lock);
    taken.key = handed;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return taken;
}

/* A child reads it, and sends it back. */
static struct account by_process(struct account given) {
    struct account taken;
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0)
        exit(3);
    pid_t child = fork();
    if (child == 0) {
        struct account own;
        if (read(there[0], &own, sizeof own) != sizeof own || write(back[1], &own, sizeof own) != sizeof own)
            _exit(3);
        _exit(0);
    }
    if (write(there[1], &given, sizeof given) != sizeof given || read(back[0], &taken, sizeof taken) != sizeof taken)
        exit(3);
    waitpid(child, NULL, 0);
    return taken;
}

static struct account carry(const char *way, struct account given) {
    if (strcmp(way, "file") == 0)
        return by_file(given);
    if (strcmp(way, "pipe") == 0)
        return by_pipe(given);
    if (strcmp(way, "thread") == 0)
        return by_thread(given);
    if (strcmp(way, "process") == 0)
        return by_process(given);
    return by_copy(given);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 1;
    routes = malloc(ROUTES * sizeof *routes);
    account = malloc(sizeof *account);
    account->key = 12;
    account->balance = 40;
    strcpy(account->owner, "someone");
    fill_routes(atoi(argv[2]));
    struct account first = carry(argv[1], *account);
    struct account second = carry(argv[1], first);
    ledger[second.key] += second.balance;       // @crash1
    printf("%ld\n", ledger[12]);
    return 0;
}
