/* SPDX-License-Identifier: MIT */
#include "vm/base/host/procmem_window.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096

void procmem_window_release(struct procmem_window *w)
{
	free(w->bytes);
	*w = (struct procmem_window){.memory = w->memory};
}

static bool has(const struct procmem_window *w, uint64_t addr, size_t n)
{
	return addr >= w->lo && n <= w->n && addr - w->lo <= w->n - n;
}

/* As far as pages can be read. */
static void move(struct procmem_window *w, uint64_t addr)
{
	if (!w->bytes)
		w->bytes = oom_realloc(NULL, PROCMEM_WINDOW_BYTES);
	w->lo = align_down(addr, PAGE);
	w->n = procmem_peek(w->memory, w->lo, w->bytes, PROCMEM_WINDOW_BYTES);
}

int procmem_window_read(struct procmem_window *w, uint64_t addr, void *buf, size_t n)
{
	if (!w->memory)
		return STATUS_FAULT;
	if (!has(w, addr, n) && n <= PROCMEM_WINDOW_BYTES / 2)
		move(w, addr);
	if (!has(w, addr, n))
		return procmem_read(w->memory, addr, buf, n);
	memcpy(buf, w->bytes + (addr - w->lo), n);
	return 0;
}
