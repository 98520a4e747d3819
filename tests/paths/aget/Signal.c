#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "Aget.h"

void *signal_waiter(void *arg)
{
	int signal;
	sigset_t set;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGALRM);
	while (1) {
		sigwait(&set, &signal);
		switch (signal) {
		case SIGINT:
			exit(0);
			break;
		case SIGALRM:
			if (bwritten > 0) {
				sigalrm_handler();
			}
			break;
		}
	}
	return NULL;
}

void sigalrm_handler(void)
{
	printf("\r");
	updateProgressBar((float)bwritten, 100.0f);
	fflush(stdout);
}
