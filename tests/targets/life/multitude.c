/* SPDX-License-Identifier: MIT */
/*
 * 3,000 threads that are all there at once: each calls before the last one has
 * come and after.
 */
#include <pthread.h>
#include <stdlib.h>

#include "../truth.h"

#define THREADS 3000
#define STACK	(64 << 10)

static unsigned long n_work, n_worker;
static pthread_barrier_t together;

KEEP long work(long v)
{
	hit(&n_work);
	return v + 1;
}

KEEP void *worker(void *arg)
{
	hit(&n_worker);
	work((long)arg);
	pthread_barrier_wait(&together);
	return (void *)work((long)arg);
}

int main(void)
{
	static pthread_t t[THREADS];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_barrier_init(&together, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], &attr, worker, (void *)i))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	truth("work", &n_work);
	truth("worker", &n_worker);
	return 0;
}
