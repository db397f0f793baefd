/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/injection.h"
#include "vm/base/host/vec.h"

void inject_note_mapping(const struct injection *in, taddr lo, uint64_t size)
{
	struct space *s = in->process->space;

	*vec_push(&s->detours->mappings) = (struct detours_mapping){lo, size};
	space_add_mapping(s, lo, size);
}

uint64_t inject_away(const struct injection *in, uint64_t n)
{
	struct near_alloc now;
	taddr at = {0};

	if (near_alloc_init(&now, in->remote->tid) < 0)
		return 0;
	if (near_search_away(&now.space, n, &at) < 0)
		at.v = 0;
	near_alloc_release(&now);
	return at.v;
}
