/* SPDX-License-Identifier: MIT */
/*
 * 32 threads calling the same functions at once; then 64 short-lived ones, one
 * after the other.
 */
#include <pthread.h>

#include "../truth.h"

#define THREADS 32
#define TURNS	300

static unsigned long n_work, n_inner, n_worker, n_brief;

KEEP long inner(long v)
{
	hit(&n_inner);
	return v * 3;
}

KEEP long work(long v)
{
	hit(&n_work);
	return inner(v) + inner(v + 1);
}

KEEP void *worker(void *arg)
{
	long sum = 0;

	hit(&n_worker);
	for (long i = 0; i < TURNS; i++)
		sum += work(i);
	return sum ? NULL : arg;
}

KEEP void *brief(void *arg)
{
	hit(&n_brief);
	return (void *)work((long)arg);
}

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (long i = 0; i < 64; i++) {
		pthread_create(&t[0], NULL, brief, (void *)i);
		pthread_join(t[0], NULL);
	}
	truth("work", &n_work);
	truth("inner", &n_inner);
	truth("worker", &n_worker);
	truth("brief", &n_brief);
	return 0;
}
