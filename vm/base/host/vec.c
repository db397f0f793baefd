/* SPDX-License-Identifier: MIT */
#include "vm/base/host/vec.h"
#include "vm/base/host/oom.h"

void *vec_grow(void *data, size_t len, size_t *cap, size_t size)
{
	size_t want = len < 8 ? 16 : len * 2;

	if (len < *cap)
		return data;
	*cap = want;
	return oom_realloc(data, want * size);
}
