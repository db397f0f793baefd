/* SPDX-License-Identifier: MIT */
/*
 * A small shop for scripts as people write them: requests of known number,
 * sizes and results, memory taken and given back (one piece is lost), errors,
 * nested calls and a recursion. One thread, no output, no clock.
 */
#include <stdlib.h>
#include <string.h>

#include "../truth.h"

struct item {
	int id;
	int stock;
	long price;
	char name[16];
	struct item *next;
};

static struct item *items;
static volatile size_t taken;

KEEP void *pool_alloc(size_t size)
{
	void *p = calloc(1, size);

	taken += size; /* no tail call: the result is the function's own */
	return p;
}

KEEP void pool_free(void *p)
{
	free(p);
}

KEEP struct item *item_new(int id, const char *name, long price)
{
	struct item *item = pool_alloc(sizeof(*item));

	item->id = id;
	item->stock = 3 + id;
	item->price = price;
	strncpy(item->name, name, sizeof(item->name) - 1);
	item->next = items;
	items = item;
	return item;
}

KEEP int name_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

KEEP struct item *find(const char *name)
{
	struct item *item = items;

	while (item && !name_equal(item->name, name))
		item = item->next;
	return item;
}

/* The price of all, or -1 when there is no such thing, -2 when too few are left. */
KEEP long buy(const char *name, int count)
{
	struct item *item = find(name);

	if (!item)
		return -1;
	if (item->stock < count)
		return -2;
	item->stock -= count;
	return item->price * count;
}

/* 2^n calls */
KEEP long discount(long n)
{
	volatile long sum = 1; /* else the second call becomes a loop */

	if (n > 0) {
		sum += discount(n - 1);
		sum += discount(n - 1);
	}
	return sum;
}

KEEP long serve(int customer, const char *name, int count)
{
	char *note = pool_alloc((size_t)(16 << customer % 4));
	long paid = buy(name, count);

	note[0] = (char)paid;
	if (paid > 100)
		paid -= discount(2);
	if (customer != 5) /* forgets his note */
		pool_free(note);
	return paid;
}

int main(void)
{
	static const struct {
		int customer;
		const char *name;
		int count;
	} requests[] = {
		{1, "tea", 1}, {2, "cup", 2}, {3, "tea", 3}, {4, "ink", 1},
		{5, "pot", 1}, {6, "tea", 9}, {1, "cup", 1}, {7, "pot", 2},
	};
	long total = 0;

	item_new(1, "tea", 5);
	item_new(2, "cup", 20);
	item_new(3, "pot", 150);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		total += serve(requests[i].customer, requests[i].name,
			       requests[i].count);
	return total == 0;
}
