/* The way of a download client with threads, as Figures 2.1 and 2.2 of the thesis show it. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Aget.h"

int nthreads;
unsigned int bwritten;
pthread_mutex_t bwritten_mutex = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
	int count = argc;
	int fullpath, error = 0, ret;
	pthread_t hthread;
	struct request req = { 0 };
	sigset_t signal_set;

	if (count < 2) {
		fprintf(stderr, "usage: %s [-n threads] url\n", argv[0]);
		exit(1);
	}
	fullpath = 0;
	sigemptyset(&signal_set);
	sigaddset(&signal_set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &signal_set, NULL);
	error = pthread_create(&hthread, NULL, signal_waiter, NULL);
	if (error != 0)
		return 1;
	nthreads = 3;
	ret = parse_url(argv[1], &req);
	if (ret < 0)
		return 1;
	if (fullpath)
		strcpy(req.lfname, "out");
	if (access_log(&req)) {
		resume_get(&req);
	} else {
		get(&req);
	}
	return 0;
}
