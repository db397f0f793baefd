/* SPDX-License-Identifier: MIT */
#include "vm/base/host/arena.h"
#include "vm/base/host/oom.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_SIZE 65536

/* Blocks form a list, newest first; only the newest has room. */
struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(16) unsigned char bytes[];
};

void arena_release(struct arena *a)
{
	struct arena_block *next;

	for (struct arena_block *b = a->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){0};
}

static void add_block(struct arena *a, size_t n)
{
	size_t size = n > ARENA_BLOCK_SIZE ? n : ARENA_BLOCK_SIZE;
	struct arena_block *b = oom_calloc(1, sizeof(*b) + size);

	b->next = a->blocks;
	b->size = size;
	a->blocks = b;
	a->left = size;
}

void *arena_alloc(struct arena *a, size_t n)
{
	unsigned char *p;

	n = align_up(n ? n : 1, 16);
	if (n > a->left)
		add_block(a, n);
	p = a->blocks->bytes + (a->blocks->size - a->left);
	a->left -= n;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
