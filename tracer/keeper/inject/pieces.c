/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/inject/pieces.h"
#include "vm/base/host/vec.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static struct detours *detours_of(const struct injection *in)
{
	return in->process->space->detours;
}

int piece_map(const struct injection *in, uint32_t piece, const struct piece_source *s)
{
	const uint64_t args[6] = {s->at,
				  s->n,
				  (uint64_t)s->prot,
				  MAP_SHARED | MAP_FIXED_NOREPLACE,
				  (uint64_t)s->fd,
				  s->offset};
	uint64_t got;
	int status = remote_call_do(in->remote, SYS_mmap, args, &got);

	if (status < 0)
		return status;
	inject_note_mapping(in, taddr_of(got), s->n);
	/* A kernel before 4.17 takes the address for a hint only. */
	if (got != s->at)
		return STATUS_FULL;
	detours_of(in)->pieces[piece] = (struct detours_piece){taddr_of(got), s->n};
	return 0;
}

static void note_growth(const struct injection *in, struct detours_piece *p, uint64_t n)
{
	struct detours *d = detours_of(in);

	for (size_t i = 0; i < d->mappings.len; i++)
		if (d->mappings.data[i].lo.v == p->lo.v)
			d->mappings.data[i].size = n;
	space_grow_mapping(in->process->space, p->lo, n);
	p->size = n;
}

int piece_grow(const struct injection *in, uint32_t piece, uint64_t n)
{
	struct detours_piece *p = &detours_of(in)->pieces[piece];
	uint64_t last = p->lo.v + p->size - RESIDENT_PAGE, got;
	/* Its last page alone: the program may have split the mapping, by mlock(2). */
	const uint64_t args[6] = {last, RESIDENT_PAGE, RESIDENT_PAGE + n - p->size};
	int status;

	if (n <= p->size)
		return 0;
	if (!p->size)
		return STATUS_NOMEM;
	status = remote_call_do(in->remote, SYS_mremap, args, &got);
	if (!status)
		note_growth(in, p, n);
	return status == STATUS_IO ? STATUS_NOMEM : status;
}

int piece_grow_part(const struct injection *in, enum resident_part part,
		    const struct resident_config *there)
{
	const struct resident_layout *l = &detours_of(in)->view.layout;

	return piece_grow(in, part, resident_extent(l, part, there).bytes);
}

static void set_caches(struct detours *d, uint32_t first, uint32_t n, uint64_t at)
{
	uint64_t bytes = resident_cache_bytes(d->view.there.nsites);

	while (d->caches.len < first + n)
		*vec_push(&d->caches) = 0;
	for (uint32_t i = 0; i < n; i++)
		d->caches.data[first + i] = at + i * bytes;
}

/* Threads that have a pair use its new cache from now on, which is empty. */
static void hand_out(const struct injection *in)
{
	struct detours *d = detours_of(in);

	for (const struct task *t = in->process->tasks; t; t = t->next) {
		uint32_t pair = t->slot.pair;

		if (t->slot.tcb && pair && pair <= d->caches.len)
			detours_tcb(d, t->slot.tcb)->gate.cache =
				d->caches.data[pair - 1];
	}
}

int piece_map_caches(const struct injection *in, uint32_t first, uint32_t n,
		     uint32_t nsites)
{
	uint64_t bytes = n * resident_cache_bytes(nsites), at;
	const uint64_t args[6] = {inject_far(in, bytes),
				  bytes,
				  PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
				  UINT64_MAX,
				  0};
	int status = n ? remote_call_do(in->remote, SYS_mmap, args, &at) : 0;

	if (status || !n)
		return status;
	inject_note_mapping(in, taddr_of(at), bytes);
	detours_of(in)->view.there.nsites = nsites;
	set_caches(detours_of(in), first, n, at);
	hand_out(in);
	return 0;
}
