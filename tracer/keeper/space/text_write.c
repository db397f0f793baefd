/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/text_write.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <string.h>

#define PAGE	  UINT64_C(4096)
#define RUN_BYTES (64 * PAGE) /* what the caches of a processor hold */

static uint64_t first_page(struct text_span s)
{
	return align_down(s.at.v, PAGE);
}

static uint64_t end_page(struct text_span s)
{
	return align_up(s.at.v + s.n, PAGE);
}

/* Where a run of whole pages that begins with the page at lo must end; lo: none may. */
static uint64_t run_limit(const struct text_write *w, uint64_t lo)
{
	const struct procfs_area *area;

	if (!w->maps)
		return lo + RUN_BYTES;
	area = procfs_maps_find(w->maps, taddr_of(lo));
	return !area || area->is_writable ? lo
					  : min_u64(area->range.hi.v, lo + RUN_BYTES);
}

/* How many places from first on lie on pages that follow each other; 0: one by one. */
static size_t run_length(const struct text_write *w, size_t first)
{
	struct text_span s = w->span(w->ctx, first);
	uint64_t limit = run_limit(w, first_page(s)), end = end_page(s);
	size_t n = 0;

	while (end <= limit) {
		n++;
		if (first + n == w->n)
			break;
		s = w->span(w->ctx, first + n);
		if (first_page(s) > end)
			break;
		end = end_page(s);
	}
	return n;
}

/* 0, or the status of what failed: then nothing has been written. */
static int write_run(const struct text_write *w, size_t first, size_t n, uint8_t *buf,
		     uint8_t *results)
{
	uint64_t lo = first_page(w->span(w->ctx, first));
	uint64_t hi = end_page(w->span(w->ctx, first + n - 1));
	uint8_t *old = buf + RUN_BYTES;
	bool has_changed = false;
	int status = mem_read(w->mem, taddr_of(lo), buf, hi - lo);

	if (status < 0)
		return status;
	if (!w->is_look)
		memcpy(old, buf, hi - lo);
	for (size_t i = first; i < first + n; i++) {
		uint64_t at = w->span(w->ctx, i).at.v;

		results[i] = (uint8_t)w->change(w->ctx, i, buf + (at - lo));
		has_changed |= results[i] == TEXT_CHANGED;
	}
	if (has_changed)
		status = mem_write(w->mem, taddr_of(lo), buf, hi - lo);
	if (status < 0)
		mem_write(w->mem, taddr_of(lo), old, hi - lo);
	return status;
}

/* One place: in writable memory, or when a run met a page that cannot be accessed. */
static enum text_result write_one(const struct text_write *w, size_t i)
{
	struct text_span s = w->span(w->ctx, i);
	uint8_t bytes[TEXT_SPAN_MAX], old[TEXT_SPAN_MAX];
	enum text_result result;

	if (mem_read(w->mem, s.at, bytes, s.n) < 0)
		return TEXT_FAILED;
	memcpy(old, bytes, s.n);
	result = w->change(w->ctx, i, bytes);
	if (result != TEXT_CHANGED || mem_write(w->mem, s.at, bytes, s.n) == 0)
		return result;
	/* It may have been written in part, when it crosses a page's end. */
	if (s.n > 1)
		mem_write(w->mem, s.at, old, s.n);
	return TEXT_FAILED;
}

void text_write(const struct text_write *w, uint8_t *results)
{
	uint8_t *buf = w->n ? oom_realloc(NULL, 2 * RUN_BYTES) : NULL;

	for (size_t i = 0; i < w->n;) {
		size_t n = run_length(w, i);
		int status = n ? write_run(w, i, n, buf, results) : STATUS_FAULT;

		/* Each further place would fail as slowly. */
		if (status == STATUS_GONE) {
			memset(results + i, TEXT_FAILED, w->n - i);
			break;
		}
		for (size_t end = i + max_u64(n, 1); i < end; i++)
			if (status < 0)
				results[i] = (uint8_t)write_one(w, i);
	}
	free(buf);
}
