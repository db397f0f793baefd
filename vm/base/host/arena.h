/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed all at once: one compilation, one arena. Running out
 * of memory ends the process with a message: there is nothing to save.
 */
#ifndef VM_BASE_HOST_ARENA_H
#define VM_BASE_HOST_ARENA_H

#include "vm/base/base.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t left;
};

/* A zeroed struct arena is ready; release makes it so again. */
void arena_release(struct arena *a);
/* n zeroed bytes, aligned to 16. */
void *arena_alloc(struct arena *a, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) ATTR_PRINTF(2, 3);

#endif
