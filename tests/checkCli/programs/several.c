/* Writes beyond a block at two lines, at one of them several times; leaks at a third. Ends with 3. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *shared;

static void *clear(void *unused)
{
    memset(shared, 0, 20); /* THREAD */
    return unused;
}

static void leak(int size)
{
    char *lost = malloc(size); /* LEAK */
    lost[0] = 1;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        shared = malloc(16);
        shared[16] = 1; /* LOOP */
        free(shared);
    }
    shared = malloc(16);
    pthread_create(&thread, NULL, clear, NULL);
    pthread_join(thread, NULL);
    for (int i = 1; i <= 3; i++)
        leak(100 * i);
    write(1, "done\n", 5);
    return 3;
}
