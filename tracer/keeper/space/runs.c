/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/runs.h"
#include "vm/base/host/vec.h"

/* The least power of two that n numbers fit in. */
static uint32_t class_of(uint32_t n)
{
	uint32_t class = 0;

	while (class + 1 < RUNS_CLASSES && UINT32_C(1) << class < n)
		class ++;
	return class;
}

/* The upper half of a larger run becomes free. */
static uint32_t split(struct runs *r, uint32_t class)
{
	uint32_t from = class;

	while (from < RUNS_CLASSES && !r->free[from].len)
		from++;
	if (from == RUNS_CLASSES)
		return RUNS_NONE;
	for (; from > class; from--) {
		uint32_t first = r->free[from].data[--r->free[from].len];

		*vec_push(&r->free[from - 1]) = first + (UINT32_C(1) << (from - 1));
		*vec_push(&r->free[from - 1]) = first;
	}
	return r->free[class].data[--r->free[class].len];
}

uint32_t runs_take(struct runs *r, uint32_t n)
{
	uint32_t class = class_of(n), size = UINT32_C(1) << class, first;

	if (size < n)
		return RUNS_NONE;
	if (r->free[class].len)
		return r->free[class].data[--r->free[class].len];
	if (size > r->max - r->end)
		return split(r, class);
	first = r->end;
	r->end += size;
	return first;
}

void runs_give(struct runs *r, uint32_t first, uint32_t n)
{
	*vec_push(&r->free[class_of(n)]) = first;
}

void runs_release(struct runs *r)
{
	for (uint32_t i = 0; i < RUNS_CLASSES; i++)
		vec_release(&r->free[i]);
}
