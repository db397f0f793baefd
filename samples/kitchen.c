/* SPDX-License-Identifier: MIT */
/*
 * A kitchen: two cooks work through a list of orders. Something to trace: calls that
 * take different times, arguments worth printing, recursion, two threads.
 *
 *	kitchen [ORDERS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

enum { COOKS = 2 };

struct order {
	const char *dish;
	int guests;
};

static const char *const menu[] = {"soup", "pasta", "curry", "cake"};

static int orders = 40;
static int next_order, served;
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;

/* Peels one onion: the two halves, then theirs. */
KEEP int peel(int size)
{
	if (size < 2)
		return 1;
	return peel(size / 2) + peel(size - size / 2);
}

KEEP int chop(const char *what, int amount)
{
	return what[0] % 3 + peel(amount);
}

/* Cakes take long. */
KEEP int cook(const char *dish, int guests)
{
	usleep((useconds_t)(dish[1] == 'a' ? 400 : 100) * (useconds_t)guests);
	return guests * 250;
}

KEEP void wash_up(int plates)
{
	if (plates > 0)
		wash_up(plates - 1);
	else
		usleep(50);
}

KEEP int serve(const struct order *order)
{
	int grams;

	chop("onion", order->guests + 3);
	grams = cook(order->dish, order->guests);
	wash_up(order->guests);
	pthread_mutex_lock(&counter);
	served += order->guests;
	pthread_mutex_unlock(&counter);
	return grams;
}

KEEP int take_order(struct order *order)
{
	int number;

	pthread_mutex_lock(&counter);
	number = next_order < orders ? next_order++ : -1;
	pthread_mutex_unlock(&counter);
	if (number < 0)
		return -1;
	order->dish = menu[number % 4];
	order->guests = 1 + number * 7 % 5;
	return number;
}

static void *work(void *arg)
{
	struct order order;
	long grams = 0;

	(void)arg;
	while (take_order(&order) >= 0)
		grams += serve(&order);
	return (void *)grams;
}

int main(int argc, char **argv)
{
	pthread_t cooks[COOKS];
	long total = 0;

	if (argc > 1)
		orders = atoi(argv[1]);
	for (int i = 0; i < COOKS; i++)
		pthread_create(&cooks[i], NULL, work, NULL);
	for (int i = 0; i < COOKS; i++) {
		void *grams;

		pthread_join(cooks[i], &grams);
		total += (long)grams;
	}
	printf("%d orders, %d guests, %ld g\n", orders, served, total);
	return 0;
}
