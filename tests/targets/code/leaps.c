/* SPDX-License-Identifier: MIT */
/* leap() jumps past middle() by an instruction of its own, every other time. */
#include "../truth.h"

static void *buffer[5];

KEEP int leap(int i)
{
	if (i & 1)
		__builtin_longjmp(buffer, 1);
	return i + 1;
}

KEEP int middle(int i)
{
	volatile int v = leap(i);

	return v + 1;
}

KEEP int attempt(int i)
{
	if (__builtin_setjmp(buffer))
		return -i;
	return middle(i);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += attempt(i);
	return sum == 0;
}
