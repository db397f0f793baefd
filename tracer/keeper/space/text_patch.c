/* SPDX-License-Identifier: MIT */
/*
 * Writing jumps. As for breakpoints (bpt_write.c), neighbouring pages are read,
 * changed and written as one run.
 */
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define PAGE	  UINT64_C(4096)
#define RUN_PAGES 256

static int by_address(const void *a, const void *b)
{
	const struct text_patch *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static uint64_t first_page(const struct text_patch *p)
{
	return align_down(p->at, PAGE);
}

static uint64_t end_page(const struct text_patch *p)
{
	return align_up(p->at + p->n, PAGE);
}

/* How many patches from first on lie on pages that follow each other. */
static size_t run_length(const struct text_patches *list, size_t first)
{
	uint64_t lo = first_page(&list->data[first]);
	size_t n = 1;

	for (; first + n < list->len; n++) {
		const struct text_patch *p = &list->data[first + n];

		if (first_page(p) > end_page(p - 1) ||
		    end_page(p) > lo + RUN_PAGES * PAGE)
			break;
	}
	return n;
}

static void exchange(struct text_patch *p, uint8_t *at)
{
	p->is_done = memcmp(at, p->from, p->n) == 0;
	if (p->is_done)
		memcpy(at, p->to, p->n);
}

/* One patch alone: what is left when a run met a page that cannot be accessed. */
static void write_one(struct text_patch *p, int mem)
{
	uint8_t bytes[HOOK_COVERED_MAX];

	p->is_done = false;
	if (mem_read(mem, p->at, bytes, p->n) < 0)
		return;
	exchange(p, bytes);
	if (p->is_done && mem_write(mem, p->at, bytes, p->n) < 0) {
		/* It may have been written in part, when it crosses a page's end. */
		mem_write(mem, p->at, p->from, p->n);
		p->is_done = false;
	}
}

static bool write_run(struct text_patch *p, size_t n, int mem, uint8_t *buf)
{
	uint64_t lo = first_page(p), hi = end_page(&p[n - 1]);
	uint8_t *old = buf + RUN_PAGES * PAGE;
	bool has_changed = false;

	if (mem_read(mem, lo, buf, hi - lo) < 0)
		return false;
	memcpy(old, buf, hi - lo);
	for (size_t i = 0; i < n; i++) {
		exchange(&p[i], buf + (p[i].at - lo));
		has_changed |= p[i].is_done;
	}
	if (!has_changed || mem_write(mem, lo, buf, hi - lo) == 0)
		return true;
	mem_write(mem, lo, old, hi - lo);
	return false;
}

void text_patches_write(struct text_patches *list, int mem)
{
	uint8_t *buf = oom_realloc(NULL, 2 * RUN_PAGES * PAGE);

	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_address);
	for (size_t i = 0; i < list->len;) {
		size_t n = run_length(list, i);

		if (!write_run(&list->data[i], n, mem, buf))
			for (size_t k = 0; k < n; k++)
				write_one(&list->data[i + k], mem);
		i += n;
	}
	free(buf);
}

static struct text_patch patch_of(uint64_t at, const uint8_t *from, const uint8_t *to,
				  size_t n)
{
	struct text_patch p = {.at = at, .n = (uint8_t)n};

	memcpy(p.from, from, n);
	memcpy(p.to, to, n);
	return p;
}

size_t text_patches_of(const struct detour *detour, bool is_undo,
		       struct text_patch out[TEXT_PATCHES_MAX])
{
	const struct hook_plan *plan = &detour->plan;
	const uint8_t *ours[TEXT_PATCHES_MAX] = {detour->patch, detour->island};
	const uint8_t *theirs[TEXT_PATCHES_MAX] = {plan->original,
						   plan->island.original};
	const uint8_t **from = is_undo ? ours : theirs, **to = is_undo ? theirs : ours;

	out[0] = patch_of(plan->patch.v, from[0], to[0], hook_plan_patched(plan));
	out[0].number = detour->number;
	if (!hook_plan_has_island(plan))
		return 1;
	out[1] = patch_of(plan->island.at.v, from[1], to[1],
			  hook_island_written(&plan->island));
	out[1].number = detour->number;
	out[1].is_island = true;
	return 2;
}

void text_patches_add(struct text_patches *list, const struct detour *detour,
		      bool is_undo)
{
	struct text_patch both[TEXT_PATCHES_MAX];
	size_t n = text_patches_of(detour, is_undo, both);

	for (size_t i = 0; i < n; i++)
		*vec_push(list) = both[i];
}

void detours_restore(const struct detours *h, int mem)
{
	struct text_patches list = {0};

	for (size_t i = 0; i < h->list.len; i++)
		if (h->list.data[i].is_on)
			text_patches_add(&list, &h->list.data[i], true);
	text_patches_write(&list, mem);
	/* Once more: what was restored is left alone. */
	text_patches_write(&list, mem);
	vec_release(&list);
}
