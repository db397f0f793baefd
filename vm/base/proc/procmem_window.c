/* SPDX-License-Identifier: MIT */
#include "vm/base/proc/procmem_window.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096

void procmem_window_release(struct procmem_window *w)
{
	for (size_t i = 0; i < PROCMEM_WINDOW_COPIES; i++)
		free(w->copies[i].bytes);
	*w = (struct procmem_window){.memory = w->memory};
}

static bool has(const struct procmem_copy *c, uint64_t addr, size_t n)
{
	return addr >= c->lo && n <= c->n && addr - c->lo <= c->n - n;
}

/* Puts copy number i before the others. */
static struct procmem_copy *use(struct procmem_window *w, size_t i)
{
	struct procmem_copy used = w->copies[i];

	memmove(&w->copies[1], &w->copies[0], i * sizeof(used));
	w->copies[0] = used;
	return &w->copies[0];
}

static const struct procmem_copy *find(struct procmem_window *w, uint64_t addr,
				       size_t n)
{
	for (size_t i = 0; i < PROCMEM_WINDOW_COPIES; i++)
		if (has(&w->copies[i], addr, n))
			return use(w, i);
	return NULL;
}

/* Whether what is read from addr on goes on about where the copy ends. */
static bool is_next(const struct procmem_copy *c, uint64_t addr)
{
	return c->n && c->n == c->cap && addr >= c->lo + c->n / 2 &&
	       addr - c->lo <= c->n + PAGE;
}

/* Room for a copy from addr on, in the place of that before it, or of an old one. */
static struct procmem_copy *take_place(struct procmem_window *w, uint64_t addr)
{
	size_t i = 0, cap = PROCMEM_WINDOW_BYTES;
	struct procmem_copy *c;

	while (i < PROCMEM_WINDOW_COPIES && !is_next(&w->copies[i], addr))
		i++;
	if (i < PROCMEM_WINDOW_COPIES)
		cap = min_u64(2 * w->copies[i].cap, PROCMEM_WINDOW_MOST);
	c = use(w, min_u64(i, PROCMEM_WINDOW_COPIES - 1));
	if (c->cap != cap) {
		free(c->bytes);
		c->bytes = oom_realloc(NULL, cap);
		c->cap = cap;
	}
	return c;
}

/* As far as it can be read. */
static const struct procmem_copy *make(struct procmem_window *w, uint64_t addr)
{
	struct procmem_copy *c = take_place(w, addr);

	c->lo = align_down(addr, PAGE);
	c->n = procmem_peek(w->memory, c->lo, c->bytes, c->cap);
	return c;
}

int procmem_window_read(struct procmem_window *w, uint64_t addr, void *buf, size_t n)
{
	const struct procmem_copy *c;

	if (!w->memory)
		return STATUS_FAULT;
	c = find(w, addr, n);
	if (!c && n <= PROCMEM_WINDOW_BYTES / 2)
		c = make(w, addr);
	if (!c || !has(c, addr, n))
		return procmem_read(w->memory, addr, buf, n);
	memcpy(buf, c->bytes + (addr - c->lo), n);
	return 0;
}
