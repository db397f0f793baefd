/* SPDX-License-Identifier: MIT */
/* outer() runs inner() in another thread, waits for it, and calls inner() itself. */
#include <pthread.h>
#include <stdio.h>

#include "../truth.h"

KEEP long inner(long v)
{
	return v * 3 + 1;
}

static void *run(void *v)
{
	return (void *)inner((long)v);
}

KEEP long outer(long v)
{
	pthread_t t;
	void *result;

	if (pthread_create(&t, NULL, run, (void *)v))
		return 1;
	pthread_join(t, &result);
	return inner(v) - (long)result;
}

int main(void)
{
	return (int)outer(5);
}
