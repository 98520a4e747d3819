#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job { char data[24]; struct job *next; };
static struct job *queue; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) { struct job *j = arg; memset(j->data, 'z', 40); return NULL; }
int main(void) {
    pthread_t t; struct job *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b); a->next = b; queue = a;
    pthread_create(&t, NULL, worker, a); pthread_join(t, NULL);
    int n = 0; for (struct job *j = queue; j; j = j->next) n += j->data[0];
    printf("%d\n", n); return 0;
}
