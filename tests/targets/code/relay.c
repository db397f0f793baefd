/* SPDX-License-Identifier: MIT */
/*
 * Functions that end in calls of others, whose results are theirs: outer() always, by way
 * of middle(), which sometimes returns by itself; half() with a floating-point result;
 * nested() inside of itself; odd() and even() of each other; chosen() of a function that
 * only a pointer names. Some calls are left by longjmp(): then inner() runs at the same
 * place of the stack without outer().
 */
#include <setjmp.h>

#include "../truth.h"

static jmp_buf back;
static volatile int sink;

KEEP int inner(int v)
{
	if (v == -1)
		longjmp(back, 1);
	sink++;
	return v * 10 + 1;
}

KEEP int middle(int v)
{
	sink++;
	if (v == 7)
		return 777;
	return inner(v);
}

KEEP int outer(int v)
{
	return middle(v);
}

KEEP double third(int v)
{
	return v + 0.25;
}

KEEP double half(int v)
{
	return third(v);
}

int nested(int v);

KEEP int nest(int v)
{
	int below = v ? nested(v - 1) : 0;

	sink++;
	return below + 1;
}

KEEP int nested(int v)
{
	sink++;
	return nest(v);
}

int even(int v);

KEEP int odd(int v)
{
	sink++;
	return v ? even(v - 1) : 0;
}

KEEP int even(int v)
{
	sink++;
	return v ? odd(v - 1) : 1;
}

KEEP int call(int (*f)(int), int v)
{
	return f(v);
}

KEEP int chosen(int v)
{
	return call(inner, v);
}

/* outer(-1) does not return; inner(3) is called from where it was. */
KEEP int left(void)
{
	static int (*const calls[])(int) = {outer, inner, outer, middle, outer};
	static const int with[] = {-1, 3, -1, 4, 5};
	volatile int i = 0, sum = 0;

	for (; i < 5; i++)
		if (!setjmp(back))
			sum += calls[i](with[i]);
	return sum;
}

int main(void)
{
	int sum = outer(1) + outer(7) + left();

	sum += (int)(4 * half(2)) + nested(3) + even(6) + chosen(8);
	return sum != 1006;
}
