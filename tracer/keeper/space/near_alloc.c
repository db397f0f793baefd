/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/near_alloc.h"
#include "vm/base/host/oom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_ROOM                                                                     \
	(UINT64_C(256) << 20) /* no stack limit is larger without being endless */
#define LOWEST	  UINT64_C(0x10000)
#define START_BRK 47 /* its field in /proc/PID/stat, from 1 */

static uint64_t start_of_heap(int tid)
{
	char line[1024], *p;
	int field = 2;

	if (procfs_line(tid, "stat", line, sizeof(line)) < 0)
		return 0;
	/* The name, field 2, may hold spaces and parentheses. */
	p = strrchr(line, ')');
	while (p && field < START_BRK) {
		p = strchr(p + 1, ' ');
		field++;
	}
	return p ? strtoull(p, NULL, 10) : 0;
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
	struct addr_range r = {taddr_of(a->lo), taddr_of(a->hi)};

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
}

struct addr_range near_alloc_module(const struct near_alloc *n, uint64_t addr,
				    uint64_t reach)
{
	const struct procfs_area *at = procfs_maps_find(&n->maps, addr);
	const struct procfs_area *first = at, *last = at;
	const struct procfs_area *end = n->maps.data + n->maps.len;

	if (!at)
		return (struct addr_range){taddr_of(addr), taddr_of(addr + 1)};
	while (first > n->maps.data && first[-1].hi == first->lo &&
	       addr - first[-1].lo <= reach)
		first--;
	while (last + 1 < end && last[1].lo == last->hi && last[1].hi - addr <= reach)
		last++;
	return (struct addr_range){taddr_of(first->lo), taddr_of(last->hi)};
}
