/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/bpt.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/space/stacks.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <unistd.h>

struct space *space_new(void)
{
	struct space *s = oom_calloc(1, sizeof(*s));

	s->mem = -1;
	s->refs = 1;
	s->lo = UINT64_MAX;
	return s;
}

int space_open(struct space *s, int pid)
{
	int mem = mem_open(pid);

	if (mem < 0)
		return mem;
	s->mem = mem;
	return 0;
}

void space_unref(struct space *s)
{
	if (--s->refs)
		return;
	if (s->mem >= 0)
		close(s->mem);
	for (size_t i = 0; i < s->arenas.len; i++)
		vec_release(&s->arenas.data[i].sites);
	vec_release(&s->arenas);
	vec_release(&s->sites);
	vec_release(&s->hits);
	vec_release(&s->ranges);
	map_release(&s->by_addr);
	journal_release(&s->journal);
	detours_free(s->detours);
	stacks_free(s->stacks);
	free(s);
}

struct bpt_site *bpt_find(const struct space *s, uint64_t addr)
{
	uint64_t i;

	return map_get(&s->by_addr, addr, &i) ? &s->sites.data[i] : NULL;
}

struct bpt_site *bpt_add(struct space *s, const struct insn *in)
{
	struct bpt_site *site = vec_push(&s->sites);
	uint64_t end = in->addr.v + INSN_MAX;

	*site = (struct bpt_site){.in = *in};
	map_set(&s->by_addr, in->addr.v, s->sites.len - 1);
	s->lo = min_u64(s->lo, in->addr.v);
	s->hi = max_u64(s->hi, end);
	return site;
}

void bpt_add_hit(struct space *s, struct bpt_site *site, const struct bpt_hit *hit)
{
	uint32_t number;

	*vec_push(&s->hits) = *hit;
	number = (uint32_t)s->hits.len;
	if (site->last_hit)
		s->hits.data[site->last_hit - 1].next = number;
	else
		site->first_hit = number;
	site->last_hit = number;
}

/* The site whose copy holds pc, or NULL. */
static struct bpt_site *site_of_copy(const struct space *s, uint64_t pc)
{
	for (size_t i = 0; i < s->arenas.len; i++) {
		const struct bpt_arena *a = &s->arenas.data[i];
		size_t lo = 0, hi = a->sites.len;

		if (pc < a->lo || pc >= a->lo + a->used)
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (s->sites.data[a->sites.data[mid]].copy <= pc)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo ? &s->sites.data[a->sites.data[lo - 1]] : NULL;
	}
	return NULL;
}

enum stop_where bpt_where(const struct space *s, uint64_t pc, struct bpt_site **site)
{
	*site = bpt_find(s, pc - 1);
	if (*site)
		return (*site)->in.len == 1 ? WHERE_BEHIND : WHERE_TRAPPED;
	*site = site_of_copy(s, pc);
	if (!*site)
		return WHERE_ORIGINAL;
	return pc < (*site)->copy + (*site)->insn_len ? WHERE_COPY_BEFORE
						      : WHERE_COPY_AFTER;
}

static void mask_site(const struct bpt_site *site, uint64_t addr, uint8_t *buf,
		      size_t n)
{
	uint64_t at = site->in.addr.v;

	if (site->is_set && at >= addr && at - addr < n && buf[at - addr] == BPT_BYTE)
		buf[at - addr] = site->in.bytes[0];
}

void bpt_mask(const struct space *s, uint64_t addr, void *buf, size_t n)
{
	if (s->detours)
		detours_mask(s->detours, addr, buf, n);
	if (!s->nset || addr >= s->hi || addr + n <= s->lo)
		return;
	if (n < s->sites.len) {
		for (size_t i = 0; i < n; i++) {
			const struct bpt_site *site = bpt_find(s, addr + i);

			if (site)
				mask_site(site, addr, buf, n);
		}
		return;
	}
	for (size_t i = 0; i < s->sites.len; i++)
		mask_site(&s->sites.data[i], addr, buf, n);
}

/* qsort_r without GNU's argument order in mind: context is the space. */
static int by_address(const void *a, const void *b, void *ctx)
{
	const struct space *s = ctx;
	uint64_t x = s->sites.data[*(const uint32_t *)a].in.addr.v;
	uint64_t y = s->sites.data[*(const uint32_t *)b].in.addr.v;

	return (x > y) - (x < y);
}

void bpt_sort(const struct space *s, struct bpt_list *list)
{
	if (list->len)
		qsort_r(list->data, list->len, sizeof(*list->data), by_address,
			(void *)(uintptr_t)s);
}

/* All sites whose byte is set, ascending. The caller releases the list. */
static struct bpt_list all_set(const struct space *s)
{
	struct bpt_list list = {0};

	for (size_t i = 0; i < s->sites.len; i++)
		if (s->sites.data[i].is_set)
			*vec_push(&list) = (uint32_t)i;
	bpt_sort(s, &list);
	return list;
}

void bpt_forget(struct space *s, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < s->sites.len; i++) {
		struct bpt_site *site = &s->sites.data[i];
		uint64_t at = site->in.addr.v;

		if (at < lo || at >= hi)
			continue;
		s->nset -= site->is_set;
		site->is_set = false;
		/* The copy stays where it is: it costs nothing until the end. */
		map_remove(&s->by_addr, at);
	}
}

static void note_failure(void *ctx, uint32_t site)
{
	bool *has_failed = ctx;

	(void)site;
	*has_failed = true;
}

void bpt_restore(const struct space *s, int pid, int mem)
{
	struct procfs_maps maps = {0};
	struct bpt_list list = all_set(s);
	bool has_failed = false;
	struct bpt_write w = {s, mem, &maps, false, note_failure, &has_failed};

	/* Without maps they are written one by one. */
	if (list.len) {
		procfs_maps(pid, &maps);
		bpt_write(&w, &list);
	}
	/* What cannot be written now has been unmapped by the target itself. */
	if (has_failed)
		bpt_write(&w, &list);
	vec_release(&list);
	procfs_maps_release(&maps);
}
