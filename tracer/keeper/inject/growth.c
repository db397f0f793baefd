/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/growth.h"
#include "tracer/keeper/inject/pieces.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/os/procfs.h"

#include <sys/resource.h>

#ifdef DTRACE_SMALL_LIMITS
#define SITES_FIRST  1024u
#define CHUNKS_AHEAD 8u
#define CHUNKS_EACH  160u /* that a firing may take, of each thread */
#else
#define SITES_FIRST  4096u
#define CHUNKS_AHEAD 64u
#define CHUNKS_EACH  8u
#endif
#define MODULES_FIRST 8192u
#define PAIRS_AHEAD   2u
#define INERT_TCBS    4u

static struct detours *detours_of(const struct injection *in)
{
	return in->process->space->detours;
}

struct resident_config growth_first(const struct resident_config *all, uint32_t n)
{
	uint32_t nsites = min_u32(all->nsites, SITES_FIRST);

	return (struct resident_config){
		.nsites = nsites,
		.nhits = min_u32(all->nhits, 2 * nsites),
		.nranges = min_u32(all->nranges, nsites),
		.nshadows = min_u32(all->nshadows, 4 * nsites),
		.ntcbs = min_u32(all->ntcbs, n + PAIRS_AHEAD + INERT_TCBS),
		.nmodules = min_u32(all->nmodules, MODULES_FIRST),
	};
}

uint32_t growth_first_pairs(const struct state *s, uint32_t n)
{
	struct thread_pairs p = {.state = (struct state *)(uintptr_t)s};

	return min_u32(n + PAIRS_AHEAD, thread_pairs_max(&p));
}

/* Chunks that must be left when a thread asks for more. */
static uint32_t chunks_left(uint32_t pairs)
{
	return (uint32_t)min_u64((pairs + 1) * (uint64_t)CHUNKS_EACH, UINT32_MAX / 4);
}

uint32_t growth_first_chunks(const struct state *s, uint32_t n)
{
	return min_u32(CHUNKS_AHEAD + chunks_left(n), state_chunks(s));
}

/* The least doubling of n that is enough, at most max. */
static uint32_t grown(uint32_t n, uint64_t need, uint32_t max)
{
	uint64_t more = n;

	while (more && more < need && more < max)
		more *= 2;
	return (uint32_t)min_u64(more, max);
}

static int grow_part(const struct injection *in, enum resident_part part,
		     const struct resident_config *there, int before)
{
	return before ? before : piece_grow_part(in, part, there);
}

/* Sites have words in three tables and in the cache of each thread. */
static int grow_sites(const struct injection *in, uint32_t n)
{
	struct detours *d = detours_of(in);
	struct resident_config there = d->view.there;
	int status;

	if (n <= there.nsites)
		return 0;
	there.nsites = n;
	status = grow_part(in, RESIDENT_SITES, &there, 0);
	status = grow_part(in, RESIDENT_SPOTS, &there, status);
	status = grow_part(in, RESIDENT_LIGHTS, &there, status);
	if (!status)
		status = piece_map_caches(in, 0, d->pairs.n, n);
	if (!status)
		d->site_numbers.max = n;
	return status;
}

static int grow_shadows(const struct injection *in, uint32_t n)
{
	struct resident_view *v = &detours_of(in)->view;
	struct resident_config there = v->there;
	int status;

	there.nshadows = n;
	status = grow_part(in, RESIDENT_SHADOWS, &there, 0);
	status = grow_part(in, RESIDENT_SHADOWS_LATER, &there, status);
	if (!status)
		v->there.nshadows = n;
	return status;
}

static int grow_lists(const struct injection *in, uint32_t nhits, uint32_t nranges)
{
	struct detours *d = detours_of(in);
	struct resident_config there = d->view.there;
	int status;

	there.nhits = nhits;
	there.nranges = nranges;
	status = grow_part(in, RESIDENT_HITS, &there, 0);
	if (!status)
		d->lists.max = d->view.there.nhits = nhits;
	status = grow_part(in, RESIDENT_RANGES, &there, status);
	if (!status)
		d->ranges.max = d->view.there.nranges = nranges;
	return status;
}

int growth_tables(const struct injection *in, const struct growth_need *need)
{
	const struct resident_view *v = &detours_of(in)->view;
	const struct resident_config *all = &v->layout.config, *now = &v->there;
	int lists, shadows, sites;

	sites = grow_sites(in, grown(now->nsites, need->nsites, all->nsites));
	lists = grow_lists(in, grown(now->nhits, need->nhits, all->nhits),
			   grown(now->nranges, need->nranges, all->nranges));
	shadows = grow_shadows(in, grown(now->nshadows, need->nshadows, all->nshadows));
	return sites ? sites : lists ? lists : shadows;
}

int growth_modules(const struct injection *in)
{
	struct resident_view *v = &detours_of(in)->view;
	struct resident_config there = v->there;
	uint64_t need = 2 * stacks_listed_max(in->process->space->stacks);
	int status;

	there.nmodules = grown(there.nmodules, need, v->layout.config.nmodules);
	status = piece_grow_part(in, RESIDENT_MODULES, &there);
	if (!status)
		v->there.nmodules = there.nmodules;
	return status;
}

bool growth_needs_threads(const struct detours *d, bool is_inert)
{
	const struct thread_pairs *p = &d->pairs;
	bool has_tcb = d->free_tcbs.len || d->ntcbs < d->view.there.ntcbs;
	bool has_pair = p->free.len || p->nused < p->n;

	if (!has_tcb && d->view.there.ntcbs < d->view.layout.config.ntcbs)
		return true;
	return !is_inert && !has_pair && p->n < thread_pairs_max(p);
}

static uint32_t pairs_in_use(const struct detours *d)
{
	return d->pairs.nused - (uint32_t)d->pairs.free.len;
}

/* More and more at a time: there is one call for each doubling, not for each thread. */
static uint32_t with_some_ahead(uint32_t n)
{
	return n + PAIRS_AHEAD + n / 4;
}

static int grow_pairs(const struct injection *in, uint32_t n)
{
	struct detours *d = detours_of(in);
	uint32_t now = d->pairs.n, nslots = resident_slot(n, 0);
	int status;

	if (n <= now)
		return 0;
	status =
		piece_grow(in, DETOURS_SLOTS, state_slots(d->state.state, nslots).size);
	/* Counts of a pair without a cache are only slower. */
	if (!status)
		piece_map_caches(in, now, n - now, d->view.there.nsites);
	if (status)
		return status;
	d->pairs.n = n;
	growth_pool(in);
	return 0;
}

int growth_threads(const struct injection *in, uint32_t n)
{
	struct detours *d = detours_of(in);
	struct resident_config there = d->view.there;
	uint32_t tcbs = d->ntcbs - (uint32_t)d->free_tcbs.len + n;
	int status;

	if (tcbs > there.ntcbs || growth_needs_threads(d, true))
		there.ntcbs = min_u32(with_some_ahead(tcbs) + INERT_TCBS,
				      d->view.layout.config.ntcbs);
	status = piece_grow_part(in, RESIDENT_TCBS, &there);
	if (status)
		return status;
	d->view.there.ntcbs = there.ntcbs;
	n += pairs_in_use(d);
	if (n <= d->pairs.n)
		return 0;
	return grow_pairs(in, min_u32(with_some_ahead(n), thread_pairs_max(&d->pairs)));
}

/* What the process may still map, if its address space is limited. */
uint64_t growth_room(const struct injection *in)
{
	struct procfs_status st;
	struct rlimit limit;

	if (prlimit(in->process->pid, RLIMIT_AS, NULL, &limit) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY || procfs_status(in->remote->tid, &st) < 0)
		return UINT64_MAX;
	return limit.rlim_cur > st.mapped ? limit.rlim_cur - st.mapped : 0;
}

void growth_open_chunks(const struct injection *in, uint32_t n)
{
	struct detours *d = detours_of(in);
	struct state *s = d->state.state;
	uint32_t left = chunks_left(max_u32(pairs_in_use(d), in->process->ntasks));

	state_open_chunks(s, n,
			  n < state_chunks(s) ? n - min_u32(n, left) : UINT32_MAX);
}

/* So many chunks are there, or as many as can be. */
static bool grow_pool(const struct injection *in, uint32_t n)
{
	struct detours *d = detours_of(in);
	uint64_t before = d->pieces[DETOURS_POOL].size;
	uint64_t after = state_pool(d->state.state, n).size;

	if (after <= before)
		return true;
	return after - before <= growth_room(in) / 2 &&
	       piece_grow(in, DETOURS_POOL, after) == 0;
}

void growth_pool(const struct injection *in)
{
	struct detours *d = detours_of(in);
	struct state *s = d->state.state;
	uint32_t taken = state_chunks_taken(s);
	uint32_t left = chunks_left(max_u32(pairs_in_use(d), in->process->ntasks));
	uint64_t want = taken + (uint64_t)left + CHUNKS_AHEAD + taken / 4;
	uint32_t all = state_chunks(s), n = (uint32_t)min_u64(want, all);
	uint32_t now = state_chunks_open(s);

	if (n <= now) /* another thread was first */
		return;
	if (grow_pool(in, n))
		growth_open_chunks(in, n);
	else
		state_open_chunks(s, now, UINT32_MAX);
}
