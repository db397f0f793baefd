/* SPDX-License-Identifier: MIT */
#include "hook/clause_code.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

void clause_code_add(struct clause_code *c, taddr at, const struct native_code *code)
{
	struct clause_code_region *r = vec_push(&c->regions);
	size_t bytes = code->nlights * sizeof(*r->lights);

	*r = (struct clause_code_region){.at = at, .n = code->n};
	r->lights = oom_calloc(code->nlights + (size_t)1, sizeof(*r->lights));
	r->nlights = code->nlights;
	if (bytes)
		memcpy(r->lights, code->lights, bytes);
	c->now = at;
}

void clause_code_release(struct clause_code *c)
{
	for (size_t i = 0; i < c->regions.len; i++)
		free(c->regions.data[i].lights);
	vec_release(&c->regions);
	clause_code_leave(c);
}

static const struct clause_code_region *region_of(const struct clause_code *c, taddr pc)
{
	for (size_t i = 0; i < c->regions.len; i++) {
		const struct clause_code_region *r = &c->regions.data[i];

		if (pc.v - r->at.v < r->n)
			return r;
	}
	return NULL;
}

bool clause_code_holds(const struct clause_code *c, taddr pc)
{
	return region_of(c, pc) != NULL;
}

taddr clause_code_after_fault(const struct clause_code *c, taddr pc)
{
	const struct clause_code_region *r = region_of(c, pc);
	uint32_t lo = 0, hi = r ? r->nlights : 0;
	uint64_t at = r ? pc.v - r->at.v : 0;

	/* The last one that begins there or before. */
	while (lo < hi) {
		uint32_t middle = lo + (hi - lo) / 2;

		if (r->lights[middle].body <= at)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (!lo || at >= r->lights[lo - 1].finished)
		return taddr_of(0);
	return taddr_add(r->at, r->lights[lo - 1].unfinished);
}
