#ifndef AGET_H
#define AGET_H
#include <pthread.h>

struct request {
	char host[64];
	char lfname[64];
	int clength;
};

struct thread_data {
	struct request *req;
	pthread_t tid;
	int soffset, foffset;
};

extern int nthreads;
extern unsigned int bwritten;
extern pthread_mutex_t bwritten_mutex;

void *signal_waiter(void *arg);
void sigalrm_handler(void);
void updateProgressBar(float cur, float tot);
void *http_get(void *arg);
void resume_get(struct request *req);
void get(struct request *req);
int parse_url(char *url, struct request *req);
int access_log(struct request *req);
#endif
