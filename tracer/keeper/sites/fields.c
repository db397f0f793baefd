/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/fields.h"

#define CLUSTER (UINT64_C(256) << 20) /* detours this near share a field */

struct field_mapper {
	const struct injection *in;
	struct detours *detours;
	const struct detour_requests *list;
};

/* Of the n requests from first on. */
static uint32_t count_sites(const struct detour_requests *list, size_t first, size_t n)
{
	uint32_t count = 0;

	for (size_t i = first; i < first + n; i++)
		count += list->data[i].plan.nsites;
	return count;
}

static bool has_room(const struct detour_field *f, size_t nstubs, size_t nsites)
{
	return f->nswitches + nsites <= f->switches_max &&
	       f->stubs_end.v + nstubs * STUB_MAX <= f->lo.v + f->stubs_max;
}

static bool is_in_reach(const struct detour_field *f, uint64_t patch)
{
	uint64_t end = f->lo.v + f->size;

	return (end > patch ? end - patch : patch - f->lo.v) < CLUSTER * 6;
}

static bool serves(const struct detour_field *f, uint64_t patch, size_t n)
{
	return !f->is_reserved && is_in_reach(f, patch) &&
	       has_room(f, n, n * HOOK_SITES_MAX);
}

struct detour_field *fields_find_room(struct detours *h, uint64_t patch, size_t n)
{
	if (h->field_found < h->fields.len &&
	    serves(&h->fields.data[h->field_found], patch, n))
		return &h->fields.data[h->field_found];
	for (size_t i = 0; i < h->fields.len; i++)
		if (serves(&h->fields.data[i], patch, n)) {
			h->field_found = i;
			return &h->fields.data[i];
		}
	return NULL;
}

/* The number of requests from first on that share a field. */
static size_t cluster(const struct field_mapper *m, size_t first)
{
	const struct detour_request *j = m->list->data;
	size_t n = 1;

	while (first + n < m->list->len &&
	       j[first + n].plan.patch.v - j[first].plan.patch.v < CLUSTER)
		n++;
	return n;
}

/* Near the whole module if possible: operands of moved code may refer to all of it. */
static int map_field(const struct field_mapper *m, size_t first, size_t n)
{
	const struct detour_request *j = m->list->data;
	struct addr_range near = {
		j[first].plan.patch,
		taddr_add(j[first + n - 1].plan.patch, HOOK_COVERED_MAX)};
	uint32_t nsites = count_sites(m->list, first, n);
	struct addr_range all = near_alloc_module(m->in->now, near.lo, CLUSTER * 2);
	int status;

	all.lo.v = min_u64(all.lo.v, near.lo.v);
	all.hi.v = max_u64(all.hi.v, near.hi.v);
	status = inject_field(m->in, all, nsites);
	if (status < 0 && status != STATUS_GONE)
		status = inject_field(m->in, near, nsites);
	return status;
}

/* Reserves a field whose code has all gone for the n requests from first on. */
static bool reserve_field(const struct field_mapper *m, size_t first, size_t n)
{
	const struct detour_request *j = m->list->data;
	struct detours *h = m->detours;
	uint32_t nsites = count_sites(m->list, first, n);

	for (size_t i = 0; i < h->fields.len; i++) {
		struct detour_field *f = &h->fields.data[i];

		if (f->detours.len || f->is_reserved || !has_room(f, n, nsites) ||
		    !is_in_reach(f, j[first].plan.patch.v) ||
		    !is_in_reach(f, j[first + n - 1].plan.patch.v))
			continue;
		f->is_reserved = true;
		return true;
	}
	return false;
}

int fields_map(const struct injection *in, struct detour_requests *list)
{
	const struct field_mapper mapper = {in, in->process->space->detours, list};
	const struct field_mapper *m = &mapper;
	struct detours *h = m->detours;
	int status = 0;
	size_t n;

	for (size_t i = 0; i < m->list->len && status != STATUS_GONE; i += n) {
		n = cluster(m, i);
		if (reserve_field(m, i, n))
			continue;
		if (n < 16 && fields_find_room(h, m->list->data[i].plan.patch.v, n))
			continue;
		status = map_field(m, i, n);
		if (!status)
			h->fields.data[h->fields.len - 1].is_reserved = true;
	}
	for (size_t i = 0; i < h->fields.len; i++)
		h->fields.data[i].is_reserved = false;
	return status == STATUS_GONE ? status : 0;
}
