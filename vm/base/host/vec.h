/* SPDX-License-Identifier: MIT */
/*
 * A growing array. Declare one as a struct with the three members below,
 *
 *	struct { struct site *data; size_t len, cap; } sites;
 *
 * zeroed; add with *vec_push(&v) = x; release with vec_release(&v).
 * The two macros exist because C has no generic function; all work is in
 * vec_grow(). Running out of memory ends the process with a message.
 */
#ifndef VM_BASE_HOST_VEC_H
#define VM_BASE_HOST_VEC_H

#include "vm/base/base.h"
#include <stdlib.h>

/* Returns data moved to room for one more element of size bytes; updates cap. */
void *vec_grow(void *data, size_t len, size_t *cap, size_t size);

/* Pointer to a new, uninitialised last element. */
#define vec_push(v)                                                                    \
	((v)->data = (v)->len < (v)->cap ? (v)->data                                   \
					 : vec_grow((v)->data, (v)->len, &(v)->cap,    \
						    sizeof(*(v)->data)),               \
	 &(v)->data[(v)->len++])

#define vec_release(v) (free((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)

#endif
