/* SPDX-License-Identifier: MIT */
/*
 * place() is called with the same stack pointer and registers by functions that differ:
 * left(), right() and, below frames of variable size, both; 20 times each. What one call
 * leaves on the stack is what the next one finds there.
 */
#include <alloca.h>
#include <string.h>

#include "../truth.h"

static volatile int sink;

KEEP void place(int n)
{
	sink += n;
}

KEEP void left(int n)
{
	place(n);
	sink++;
}

KEEP void right(int n)
{
	place(n);
	sink++;
}

KEEP void roomy(int n)
{
	size_t size = 64 + 32 * (size_t)(n % 3);
	char *room = alloca(size);

	memset(room, n, size);
	if (n & 1)
		left(room[n % 16]);
	else
		right(room[n % 16]);
	sink++;
}

int main(void)
{
	for (int i = 0; i < 20; i++) {
		left(i);
		right(i);
		roomy(2 * i);
		roomy(2 * i + 1);
	}
	return 0;
}
