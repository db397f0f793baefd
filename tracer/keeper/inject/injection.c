/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/injection.h"
#include "vm/base/host/vec.h"

#define FAR_ROOM (UINT64_C(16) << 30)

void inject_note_mapping(const struct injection *in, taddr lo, uint64_t size)
{
	struct space *s = in->process->space;

	*vec_push(&s->detours->mappings) = (struct detours_mapping){lo, size};
	space_add_mapping(s, lo, size);
}

/* Where the process will have all that does not grow, but for stubs. */
static int choose_far(struct detours *d, const struct near_space *space)
{
	taddr at;
	int status = d->far.hi.v ? 0 : near_search_far(space, FAR_ROOM, &at);

	if (!status && !d->far.hi.v)
		d->far = (struct addr_range){at, taddr_add(at, (int64_t)FAR_ROOM)};
	return status;
}

uint64_t inject_far(const struct injection *in, uint64_t n)
{
	struct detours *d = in->process->space->detours;
	struct near_alloc now;
	taddr at = {0};
	int status;

	if (near_alloc_init(&now, in->remote->tid) < 0)
		return 0;
	status = choose_far(d, &now.space);
	if (!status)
		status = near_search_in(&now.space, d->far, n, &at);
	if (status && near_search_far(&now.space, n, &at) < 0)
		at.v = 0;
	near_alloc_release(&now);
	return at.v;
}

uint64_t inject_growing(const struct injection *in, uint64_t n)
{
	struct near_alloc now;
	taddr at = {0};

	if (near_alloc_init(&now, in->remote->tid) < 0)
		return 0;
	if (near_search_far(&now.space, n, &at) < 0)
		at.v = 0;
	near_alloc_release(&now);
	return at.v;
}
