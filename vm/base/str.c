/* SPDX-License-Identifier: MIT */
#include "vm/base/str.h"

size_t str_len(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int str_compare(const char *a, const char *b, size_t max)
{
	for (size_t i = 0; i < max; i++) {
		unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];

		if (x != y)
			return x < y ? -1 : 1;
		if (!x)
			break;
	}
	return 0;
}

size_t str_copy(char *dst, size_t cap, const char *s)
{
	size_t n = 0;

	for (; n + 1 < cap && s[n]; n++)
		dst[n] = s[n];
	dst[n] = '\0';
	return n;
}
