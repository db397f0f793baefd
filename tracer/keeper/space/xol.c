/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/xol.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MIB	   (UINT64_C(1) << 20)
#define GIB	   (UINT64_C(1) << 30)
#define REACH	   (2 * GIB - 64 * MIB) /* a margin for operands outside the code */
#define LOWEST	   UINT64_C(0x10000)	/* default of vm.mmap_min_addr */
#define HIGHEST	   UINT64_C(0x7ffffffff000)
#define STACK_ROOM (256 * MIB) /* no stack limit is larger without being endless */
#define COPY_ALIGN 8
#define RUN_MAX	   (64 * 1024)

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

	return may_be_break ? a->hi + GIB : a->hi;
}

static uint64_t gap_end(const struct procfs_maps *maps, size_t after)
{
	if (after == maps->len)
		return HIGHEST;
	if (maps->data[after].kind == AREA_STACK)
		return maps->data[after].lo > STACK_ROOM
			       ? maps->data[after].lo - STACK_ROOM
			       : 0;
	return maps->data[after].lo;
}

uint64_t xol_find_gap(const struct procfs_maps *maps, uint64_t lo, uint64_t hi,
		      uint64_t size)
{
	uint64_t least = hi > REACH ? max_u64(hi - REACH, LOWEST) : LOWEST;
	uint64_t most = lo + REACH, above = 0;

	/* The highest gap below the code, else the lowest above it. */
	for (size_t i = maps->len + 1; i-- > 0;) {
		uint64_t from = i ? gap_start(maps, i - 1) : LOWEST;
		uint64_t to = gap_end(maps, i);

		from = max_u64(from, least);
		to = min_u64(to, most);
		if (to < from || to - from < size)
			continue;
		if (to <= lo)
			return align_down(to - size, 4096);
		above = align_up(from, 4096);
	}
	return above && above + size <= most ? above : 0;
}

int xol_map(struct remote *r, struct space *s, const uint64_t range[2], uint64_t size)
{
	struct procfs_maps maps = {0};
	uint64_t at = 0;
	int64_t got = 0;
	int status = procfs_maps(r->tid, &maps);

	size = align_up(size, 4096);
	if (!status)
		at = xol_find_gap(&maps, range[0], range[1], size);
	procfs_maps_release(&maps);
	if (!status && !at)
		return STATUS_FULL;
	if (!status) {
		const uint64_t args[6] = {at,
					  size,
					  PROT_READ | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS |
						  MAP_FIXED_NOREPLACE,
					  UINT64_MAX,
					  0};

		status = remote_call(r, SYS_mmap, args, &got);
	}
	if (status < 0)
		return status;
	/* A kernel before 4.17 takes the address for a hint only. */
	if (got > 0 && (uint64_t)got != at)
		xol_unmap(r, (uint64_t)got, size);
	if ((uint64_t)got != at)
		return STATUS_FULL;
	*vec_push(&s->arenas) = (struct bpt_arena){.lo = at, .size = size};
	journal_add(&s->journal, JOURNAL_MAPPED, at, size);
	return 0;
}

int xol_unmap(struct remote *r, uint64_t lo, uint64_t size)
{
	const uint64_t args[6] = {lo, size};
	int64_t got = 0;
	int status = remote_call(r, SYS_munmap, args, &got);

	/* The kernel may want memory to split a mapping. */
	return status || got < 0 ? remote_call(r, SYS_munmap, args, &got) : 0;
}

static struct bpt_arena *find_room(const struct space *s, uint64_t addr)
{
	for (size_t i = 0; i < s->arenas.len; i++) {
		struct bpt_arena *a = &s->arenas.data[i];
		uint64_t far = a->lo > addr ? a->lo + a->size - addr : addr - a->lo;

		if (far < REACH + 32 * MIB && a->size - a->used >= STEP_COPY_MAX)
			return a;
	}
	return NULL;
}

/* Each takes its room; the caller undoes that. */
static bool try_room(struct space *s, const struct bpt_list *list)
{
	bool has_room = true;

	for (size_t i = 0; i < list->len && has_room; i++) {
		const struct bpt_site *site = &s->sites.data[list->data[i]];
		struct bpt_arena *a;

		if (site->how != STEP_COPY)
			continue;
		a = find_room(s, site->in.addr.v);
		has_room = a != NULL;
		if (a)
			a->used += STEP_COPY_MAX;
	}
	return has_room;
}

bool xol_has_room(struct space *s, const struct bpt_list *list)
{
	uint64_t *used = oom_calloc(s->arenas.len + 1, sizeof(*used));
	bool has_room;

	for (size_t i = 0; i < s->arenas.len; i++)
		used[i] = s->arenas.data[i].used;
	has_room = try_room(s, list);
	for (size_t i = 0; i < s->arenas.len; i++)
		s->arenas.data[i].used = used[i];
	free(used);
	return has_room;
}

int xol_flush(struct space *s, struct xol_run *run)
{
	int status = run->len ? mem_write(s->mem, run->lo, run->data, run->len) : 0;

	run->len = 0;
	return status;
}

static int run_add(struct space *s, struct xol_run *run, uint64_t at,
		   const uint8_t code[STEP_COPY_MAX])
{
	size_t gap = run->len ? at - (run->lo + run->len) : 0;
	int status = 0;

	if (run->len && (at < run->lo + run->len || gap >= COPY_ALIGN ||
			 run->len + 2 * STEP_COPY_MAX > RUN_MAX)) {
		status = xol_flush(s, run);
		gap = 0;
	}
	if (!run->data)
		run->data = oom_realloc(NULL, RUN_MAX);
	if (!run->len)
		run->lo = at;
	memset(run->data + run->len, BPT_BYTE, gap);
	run->len += gap;
	memcpy(run->data + run->len, code, STEP_COPY_MAX);
	return status;
}

int xol_place(struct space *s, uint32_t index, struct xol_run *run)
{
	struct bpt_site *site = &s->sites.data[index];
	struct bpt_arena *a = find_room(s, site->in.addr.v);
	uint8_t code[STEP_COPY_MAX];
	uint64_t at;
	int n, status;

	if (!a)
		return STATUS_FULL;
	at = a->lo + a->used;
	memset(code, BPT_BYTE, sizeof(code));
	n = step_copy(&site->in, taddr_of(at), code, &site->insn_len);
	if (n < 0)
		return n;
	status = run_add(s, run, at, code);
	run->len += (size_t)n;
	site->copy = at;
	site->copy_len = (uint8_t)n;
	a->used = align_up(a->used + (uint64_t)n, COPY_ALIGN);
	*vec_push(&a->sites) = index;
	return status;
}
