#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "Aget.h"

static struct thread_data *wthread;

static int calc_offset(int total, int part, int count)
{
	return total / count * part;
}

void resume_get(struct request *req)
{
	int i;

	wthread = calloc((size_t)nthreads, sizeof *wthread);
	if (wthread == NULL) {
		perror("calloc");
		exit(1);
	}
	for (i = 0; i < nthreads; i++) {
		wthread[i].req = req;
		wthread[i].soffset = calc_offset(req->clength, i, nthreads);
		pthread_create(&wthread[i].tid, NULL, http_get, &wthread[i]);
	}
	for (i = 0; i < nthreads; i++)
		pthread_join(wthread[i].tid, NULL);
}

void get(struct request *req)
{
	resume_get(req);
}
