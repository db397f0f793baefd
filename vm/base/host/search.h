/* SPDX-License-Identifier: MIT */
/*
 * Binary search in an array of structs that ascends by a number.
 */
#ifndef VM_BASE_HOST_SEARCH_H
#define VM_BASE_HOST_SEARCH_H

#include <string.h>

#include "vm/base/base.h"

/*
 * How many of the n structs have a number that is at most key. first points to the
 * number, a uint64_t, in the first of them; size is that of one struct. So the last one
 * that is at most key has the index result - 1, the next one the index result.
 */
static inline size_t search_at_most(const void *first, size_t n, size_t size,
				    uint64_t key)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t v;

		memcpy(&v, (const char *)first + mid * size, sizeof(v));
		if (v <= key)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
