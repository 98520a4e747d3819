#include <stdio.h>
#include <string.h>

#include "Aget.h"

int parse_url(char *url, struct request *req)
{
	if (strlen(url) >= sizeof req->host)
		return -1;
	strcpy(req->host, url);
	req->clength = 300;
	return 0;
}

int access_log(struct request *req)
{
	return req->lfname[0] != '\0';
}

void updateProgressBar(float cur, float tot)
{
	float rat;
	int ndot, i;
	static float prev = -1;

	rat = cur / tot;
	ndot = (int)(rat * 100);
	if ((ndot < prev + 5) && (ndot != 100))
		return;

	for (i = 0; i < ndot; i++)
		putchar('.');
	for (i = ndot - 1; i < 100; i++)
		putchar(' ');
	printf("[%d%% completed]\n", ndot);
	prev = ndot;
}
