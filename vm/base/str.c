/* SPDX-License-Identifier: MIT */
#include "vm/base/str.h"

size_t str_len(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

size_t str_copy(char *dst, size_t cap, const char *s)
{
	size_t n = 0;

	for (; n + 1 < cap && s[n]; n++)
		dst[n] = s[n];
	dst[n] = '\0';
	return n;
}

bool str_has_end(const char *s, const char *end)
{
	size_t n = str_len(s, SIZE_MAX), k = str_len(end, SIZE_MAX);

	if (n < k)
		return false;
	for (size_t i = 0; i < k; i++)
		if (s[n - k + i] != end[i])
			return false;
	return true;
}
