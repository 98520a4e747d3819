/* Threads that run the altered statement, and processes that are made before and after it. */
#define APART static __attribute__((noipa))
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, odd;

static void *worker(void *argument)
{
    long id = (long)argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        total += (int)id; // @add
        if (total & 1) // @odd
            odd++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

APART int child(int n)
{ // @childBody
    int r = 1;
    r = n * 3; // @child
    if (n > 1) // @childCondition
        r += 1;
    return r;
}

int main(void)
{
    setlinebuf(stdout);
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(2 * i + 2));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("total %d odd %d\n", total, odd);
    for (int n = 1; n < 4; n++) {
        fflush(stdout);
        pid_t pid = fork(); // @fork
        if (pid == 0)
            _exit(child(n));
        int status = 0;
        waitpid(pid, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    if (total == 1200) // @abort
        return 4;
    abort();
}
