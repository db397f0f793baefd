/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/near_alloc.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/proc/procstat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB	   (UINT64_C(1) << 30)
#define STACK_ROOM (GIB / 4) /* no stack limit is larger without being endless */
#define LOWEST	   UINT64_C(0x10000) /* default of vm.mmap_min_addr */
#define HIGHEST	   UINT64_C(0x7ffffffff000)

static uint64_t start_of_heap(int tid)
{
	struct procstat s;

	return procstat_read(tid, tid, &s) ? 0 : procstat_number(s.text, PROCSTAT_BRK);
}

/* Nobody may map below; more than the default is rare, less of no use. */
static uint64_t lowest_address(void)
{
	unsigned long long v = 0;
	FILE *f = fopen("/proc/sys/vm/mmap_min_addr", "re");

	if (f && fscanf(f, "%llu", &v) != 1)
		v = 0;
	if (f)
		fclose(f);
	return max_u64(v, LOWEST);
}

static void add_area(struct near_alloc *n, const struct procfs_area *a)
{
	struct addr_range r = a->range;

	n->ranges[n->space.nmaps++] = r;
	if (a->kind == AREA_HEAP) {
		if (!n->space.heap.hi.v)
			n->space.heap.lo = r.lo;
		n->space.heap.hi = r.hi;
	} else if (a->kind == AREA_STACK) {
		r.lo.v = r.lo.v > STACK_ROOM ? r.lo.v - STACK_ROOM : 0;
		n->space.stack = r;
	}
}

int near_alloc_init(struct near_alloc *n, int tid)
{
	uint64_t heap;

	*n = (struct near_alloc){.space.lowest = lowest_address()};
	if (procfs_maps(tid, &n->maps) < 0) {
		procfs_maps_release(&n->maps);
		return STATUS_GONE;
	}
	n->ranges = oom_calloc(n->maps.len, sizeof(*n->ranges));
	n->space.maps = n->ranges;
	for (size_t i = 0; i < n->maps.len; i++)
		add_area(n, &n->maps.data[i]);
	heap = start_of_heap(tid);
	if (!n->space.heap.hi.v && heap)
		n->space.heap = (struct addr_range){taddr_of(heap), taddr_of(heap)};
	return 0;
}

void near_alloc_release(struct near_alloc *n)
{
	procfs_maps_release(&n->maps);
	free(n->ranges);
	*n = (struct near_alloc){.maps.len = 0};
}

int near_alloc_renew(struct near_alloc *n, int tid)
{
	near_alloc_release(n);
	return near_alloc_init(n, tid);
}

void near_alloc_add(struct near_alloc *n, struct addr_range range)
{
	struct procfs_maps *m = &n->maps;
	size_t at = m->len;

	*vec_push(m) = (struct procfs_area){0};
	for (; at && m->data[at - 1].range.lo.v > range.lo.v; at--)
		m->data[at] = m->data[at - 1];
	m->data[at] = (struct procfs_area){.range = range, .is_executable = true};
	n->ranges = oom_realloc(n->ranges, m->len * sizeof(*n->ranges));
	for (size_t i = at; i < m->len; i++)
		n->ranges[i] = m->data[i].range;
	n->space.maps = n->ranges;
	n->space.nmaps = m->len;
}

struct addr_range near_alloc_module(const struct near_alloc *n, taddr addr,
				    uint64_t reach)
{
	const struct procfs_area *at = procfs_maps_find(&n->maps, addr);
	const struct procfs_area *first = at, *last = at;
	const struct procfs_area *end = n->maps.data + n->maps.len;

	if (!at)
		return (struct addr_range){addr, taddr_add(addr, 1)};
	while (first > n->maps.data && first[-1].range.hi.v == first->range.lo.v &&
	       addr.v - first[-1].range.lo.v <= reach)
		first--;
	while (last + 1 < end && last[1].range.lo.v == last->range.hi.v &&
	       last[1].range.hi.v - addr.v <= reach)
		last++;
	return (struct addr_range){first->range.lo, last->range.hi};
}

/*
 * Where a gap really begins: the break grows up from the heap, or from the
 * program's own data before the first brk(). Every mapping that is followed by
 * a gap and lies in the low half is taken for such, except when it is known not
 * to be: cheap, and never wrong in the dangerous direction.
 */
static uint64_t gap_start(const struct procfs_maps *maps, size_t before)
{
	const struct procfs_area *a = &maps->data[before];
	bool may_be_break = a->kind == AREA_HEAP || a->is_writable;

	return may_be_break ? a->range.hi.v + GIB : a->range.hi.v;
}

static uint64_t gap_end(const struct procfs_maps *maps, size_t after)
{
	if (after == maps->len)
		return HIGHEST;
	if (maps->data[after].kind == AREA_STACK)
		return maps->data[after].range.lo.v > STACK_ROOM
			       ? maps->data[after].range.lo.v - STACK_ROOM
			       : 0;
	return maps->data[after].range.lo.v;
}

taddr near_alloc_gap(const struct procfs_maps *maps, struct addr_range near,
		     uint64_t reach, uint64_t size)
{
	uint64_t lo = near.lo.v, hi = near.hi.v;
	uint64_t least = hi > reach ? max_u64(hi - reach, LOWEST) : LOWEST;
	uint64_t most = lo + reach, above = 0;

	/* The highest gap below the code, else the lowest above it. */
	for (size_t i = maps->len + 1; i-- > 0;) {
		uint64_t from = i ? gap_start(maps, i - 1) : LOWEST;
		uint64_t to = gap_end(maps, i);

		from = max_u64(from, least);
		to = min_u64(to, most);
		if (to < from || to - from < size)
			continue;
		if (to <= lo)
			return taddr_of(align_down(to - size, 4096));
		above = align_up(from, 4096);
	}
	return taddr_of(above && above + size <= most ? above : 0);
}
