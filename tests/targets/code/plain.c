/* SPDX-License-Identifier: MIT */
/*
 * Functions called a known number of times; exits with 3. With BY_ADDRESS the
 * names are those that a stripped program has: sub_ and the link address.
 */
#include <stdio.h>

#include "../truth.h"

static unsigned long n_alpha, n_beta, n_gamma, n_loop, n_never;

KEEP long alpha(long x)
{
	hit(&n_alpha);
	return x + 1;
}

KEEP long beta(long x)
{
	hit(&n_beta);
	return alpha(x) + alpha(x * 2);
}

KEEP void gamma_once(void)
{
	hit(&n_gamma);
}

/* Its first instruction is the target of its own loop's jump or close to it. */
KEEP long loop(long n)
{
	long sum = 0;

	hit(&n_loop);
	while (n--)
		sum += alpha(n);
	return sum;
}

KEEP void never(void)
{
	hit(&n_never);
}

static void print(const char *name, void *function, const unsigned long *calls)
{
	char address[32];

	(void)function;
#ifdef BY_ADDRESS
	snprintf(address, sizeof(address), "sub_%lx", (unsigned long)function);
	name = address;
#else
	(void)address;
#endif
	truth(name, calls);
}

int main(int argc, char **argv)
{
	long sum = 0;

	(void)argv;
	for (long i = 0; i < 500; i++)
		sum += beta(i);
	for (long i = 0; i < 100; i++)
		sum += loop(i);
	gamma_once();
	if (argc > 100)
		never();
	printf("sum=%ld\n", sum);
	print("alpha", (void *)alpha, &n_alpha);
	print("beta", (void *)beta, &n_beta);
	print("gamma_once", (void *)gamma_once, &n_gamma);
	print("loop", (void *)loop, &n_loop);
	print("never", (void *)never, &n_never);
	return 3;
}
