/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/xol.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/step.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define SLACK	   (UINT64_C(32) << 20) /* an area may be this much out of XOL_REACH */
#define SLOT_ALIGN 8
#define RUN_MAX	   (64 * 1024)
#define FILLER	   0xcc /* int3: no thread runs between slots */

void xol_release(struct xol *x)
{
	for (size_t i = 0; i < x->len; i++)
		vec_release(&x->data[i].slots);
	vec_release(x);
}

void xol_add_area(struct xol *x, taddr lo, uint64_t size)
{
	*vec_push(x) = (struct xol_area){.lo = lo, .size = size};
}

bool xol_find(const struct xol *x, taddr pc, uint32_t *site)
{
	for (size_t i = 0; i < x->len; i++) {
		const struct xol_area *a = &x->data[i];
		size_t lo = 0, hi = a->slots.len;

		if (pc.v < a->lo.v || pc.v >= a->lo.v + a->used)
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (a->slots.data[mid].at.v <= pc.v)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo)
			*site = a->slots.data[lo - 1].site;
		return lo > 0;
	}
	return false;
}

void xol_trim(struct xol *x, bool (*has_gone)(void *ctx, const struct xol_owner *slot),
	      void *ctx)
{
	for (size_t i = 0; i < x->len; i++) {
		struct xol_area *a = &x->data[i];

		while (a->slots.len) {
			const struct xol_owner *last = &a->slots.data[a->slots.len - 1];

			if (!has_gone(ctx, last))
				break;
			a->used = last->at.v - a->lo.v;
			a->slots.len--;
		}
	}
}

/* An area in reach of addr with room for a slot; used: of each area, or NULL: its own. */
static size_t find_room(const struct xol *x, const uint64_t *used, taddr addr)
{
	for (size_t i = 0; i < x->len; i++) {
		const struct xol_area *a = &x->data[i];
		uint64_t far = a->lo.v > addr.v ? a->lo.v + a->size - addr.v
						: addr.v - a->lo.v;
		uint64_t in_use = used ? used[i] : a->used;

		if (far < XOL_REACH + SLACK && a->size - in_use >= STEP_SLOT_MAX)
			return i;
	}
	return x->len;
}

bool xol_has_room(const struct xol *x, const taddr *addrs, size_t n)
{
	uint64_t *used = oom_calloc(x->len + 1, sizeof(*used));
	size_t i = 0;

	for (size_t k = 0; k < x->len; k++)
		used[k] = x->data[k].used;
	for (; i < n; i++) {
		size_t area = find_room(x, used, addrs[i]);

		if (area == x->len)
			break;
		used[area] += STEP_SLOT_MAX;
	}
	free(used);
	return i == n;
}

int xol_run_flush(struct xol_run *run)
{
	int status = run->len ? mem_write(run->mem, run->lo, run->data, run->len) : 0;

	run->len = 0;
	return status;
}

void xol_run_release(struct xol_run *run)
{
	free(run->data);
}

static int run_add(struct xol_run *run, taddr at, const uint8_t code[STEP_SLOT_MAX])
{
	size_t gap = run->len ? at.v - (run->lo.v + run->len) : 0;
	int status = 0;

	if (run->len && (at.v < run->lo.v + run->len || gap >= SLOT_ALIGN ||
			 run->len + 2 * STEP_SLOT_MAX > RUN_MAX)) {
		status = xol_run_flush(run);
		gap = 0;
	}
	if (!run->data)
		run->data = oom_realloc(NULL, RUN_MAX);
	if (!run->len)
		run->lo = at;
	memset(run->data + run->len, FILLER, gap);
	run->len += gap;
	memcpy(run->data + run->len, code, STEP_SLOT_MAX);
	return status;
}

int xol_place(struct xol *x, const struct insn *in, uint32_t site,
	      struct xol_slot *slot, struct xol_run *run)
{
	size_t area = find_room(x, NULL, in->addr);
	uint8_t code[STEP_SLOT_MAX];
	struct xol_area *a;
	taddr at;
	int n, status;

	if (area == x->len)
		return STATUS_FULL;
	a = &x->data[area];
	at = taddr_add(a->lo, (int64_t)a->used);
	memset(code, FILLER, sizeof(code));
	n = step_build_slot(in, at, code, &slot->insn_len);
	if (n < 0)
		return n;
	status = run_add(run, at, code);
	run->len += (size_t)n;
	slot->at = at;
	slot->len = (uint8_t)n;
	a->used = align_up(a->used + (uint64_t)n, SLOT_ALIGN);
	*vec_push(&a->slots) = (struct xol_owner){at, site};
	return status;
}
