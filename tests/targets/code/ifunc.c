/* SPDX-License-Identifier: MIT */
/* Functions that are chosen at start-up: one of its own, and strlen() of the C library. */
#include <stdlib.h>
#include <string.h>

#include "../truth.h"

KEEP static int twice(int n)
{
	return n * 2;
}

KEEP static int thrice(int n)
{
	return n * 3;
}

typedef int function(int n);

__attribute__((used)) static function *resolve(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") ? twice : thrice;
}

int chosen(int n) __attribute__((ifunc("resolve")));

/* What this one may choose is nowhere in its code. */
KEEP static function *look_up(void)
{
	return twice;
}

__attribute__((used)) static function *resolve_elsewhere(void)
{
	return look_up();
}

int obscure(int n) __attribute__((ifunc("resolve_elsewhere")));

static size_t (*volatile length)(const char *) = strlen;

KEEP int measure(const char *text)
{
	return (int)length(text);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += chosen(i);
	sum += obscure(4);
	sum += measure("four") + measure("") + measure("a longer text than the others");
	return sum == 0;
}
