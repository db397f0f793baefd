/* SPDX-License-Identifier: MIT */
#include "vm/base/bytes.h"

void bytes_copy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	while (n--)
		*d++ = *s++;
}

void bytes_zero(void *dst, size_t n)
{
	/* volatile keeps the compiler from turning the loop into memset() */
	volatile unsigned char *d = dst;

	while (n--)
		*d++ = 0;
}

int bytes_compare(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

uint64_t bytes_load(const void *p, size_t size)
{
	const unsigned char *b = p;
	uint64_t v = 0;

	while (size--)
		v = v << 8 | b[size];
	return v;
}

void bytes_store(void *p, uint64_t v, size_t size)
{
	unsigned char *b = p;

	for (; size--; v >>= 8)
		*b++ = (unsigned char)v;
}
