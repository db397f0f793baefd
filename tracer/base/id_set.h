/* SPDX-License-Identifier: MIT */
/*
 * A set of small numbers, such as ids that are given one after the other: a bit for each
 * up to the largest.
 */
#ifndef TRACER_BASE_ID_SET_H
#define TRACER_BASE_ID_SET_H

#include "vm/base/base.h"

/* A zeroed one is empty and ready. */
struct id_set {
	struct {
		uint64_t *data;
		size_t len, cap;
	} words;
	size_t len; /* numbers in it */
};

void id_set_release(struct id_set *s);
bool id_set_has(const struct id_set *s, uint32_t id);
/* False: it was there. */
bool id_set_add(struct id_set *s, uint32_t id);

#endif
