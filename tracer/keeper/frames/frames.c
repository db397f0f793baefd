/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/frames/frames.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct keeper_frame *x = a, *y = b;

	if (x->range.lo.v != y->range.lo.v)
		return x->range.lo.v < y->range.lo.v ? -1 : 1;
	return (x->probe > y->probe) - (x->probe < y->probe);
}

static void note_reach(struct frames *f)
{
	uint64_t most = 0;

	for (size_t i = 0; i < f->len; i++) {
		most = max_u64(most, f->data[i].range.hi.v);
		f->reach[i] = most;
	}
}

int frames_set(struct frames **f, struct link_memory list, struct err *e)
{
	struct frames *new;
	struct keeper_frame *data;

	if (list.bytes % sizeof(*data))
		return err_set(e, STATUS_BADFMT, "the list of frames is malformed");
	data = link_copy(list, e);
	if (!data)
		return e->status;
	new = oom_calloc(1, sizeof(*new));
	new->data = data;
	new->len = list.bytes / sizeof(*data);
	new->reach = oom_calloc(new->len + 1, sizeof(*new->reach));
	qsort(new->data, new->len, sizeof(*new->data), compare);
	note_reach(new);
	frames_free(*f);
	*f = new;
	return 0;
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	free(f->data);
	free(f->reach);
	free(f);
}

void frames_forget(struct frames *f, struct addr_range r)
{
	size_t n = 0;

	if (!f)
		return;
	for (size_t i = 0; i < f->len; i++)
		if (!addr_range_holds(&r, f->data[i].range.lo))
			f->data[n++] = f->data[i];
	f->len = n;
	note_reach(f);
}

/* How many begin at or before pc. */
static size_t count_before(const struct frames *f, taddr pc, size_t n)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->data[mid].range.lo.v <= pc.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t frames_find(const struct frames *f, taddr pc, size_t i)
{
	for (i = count_before(f, pc, i); i > 0 && f->reach[i - 1] > pc.v; i--)
		if (addr_range_holds(&f->data[i - 1].range, pc))
			return i;
	return 0;
}
