#include <pthread.h>

#include "Aget.h"

void *http_get(void *arg)
{
	struct thread_data *td = arg;
	int left = td->req->clength / nthreads;

	do {
		int dr = left > 10 ? 10 : left;
		left -= dr;
		pthread_mutex_lock(&bwritten_mutex);
		bwritten += (unsigned)dr;
		pthread_mutex_unlock(&bwritten_mutex);
		updateProgressBar((float)bwritten, (float)td->req->clength);
	} while (left > 0);
	return NULL;
}
