/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/bpt.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

void bpt_release(struct bpt_table *t)
{
	vec_release(&t->sites);
	vec_release(&t->free);
	vec_release(&t->hits);
	places_release(&t->by_addr);
}

struct bpt_site *bpt_find(const struct bpt_table *t, taddr addr)
{
	uint32_t i;

	return places_get(&t->by_addr, addr, &i) ? &t->sites.data[i] : NULL;
}

bool bpt_has_within(const struct bpt_table *t, struct addr_range r)
{
	if (!t->sites.len || r.lo.v >= t->hi.v || r.hi.v <= t->lo.v ||
	    !places_may_have(&t->by_addr, taddr_add(r.lo, 1 - INSN_MAX), r.hi))
		return false;
	for (taddr at = taddr_add(r.lo, 1 - INSN_MAX); at.v != r.hi.v; at.v++) {
		const struct bpt_site *site = bpt_find(t, at);

		if (site && at.v + site->in.len > r.lo.v)
			return true;
	}
	return false;
}

struct bpt_site *bpt_add(struct bpt_table *t, const struct insn *in)
{
	bool is_first = t->sites.len == 0;
	struct bpt_site *site = t->free.len
					? &t->sites.data[t->free.data[--t->free.len]]
					: vec_push(&t->sites);
	uint64_t end = in->addr.v + INSN_MAX;

	*site = (struct bpt_site){.in = *in};
	places_set(&t->by_addr, in->addr, bpt_number(t, site));
	t->lo.v = is_first ? in->addr.v : min_u64(t->lo.v, in->addr.v);
	t->hi.v = max_u64(t->hi.v, end);
	return site;
}

struct bpt_site *bpt_make(struct bpt_table *t, taddr addr, const uint8_t *code,
			  size_t n, enum keeper_reason *why)
{
	struct bpt_site *site;
	const char *reason;
	struct insn in;
	enum step_how how;

	if (n && code[0] == BPT_BYTE)
		*why = KEEPER_REASON_BREAKPOINT;
	else if (!n || decode(code, n, addr, &in) < 0)
		*why = KEEPER_REASON_UNDECODABLE;
	else if (in.kind == INSN_INT)
		*why = KEEPER_REASON_BREAKPOINT;
	else if ((how = step_plan(&in, &reason)) == STEP_REFUSE)
		*why = KEEPER_REASON_CONTROL;
	else
		*why = KEEPER_REASON_NONE;
	if (*why != KEEPER_REASON_NONE)
		return NULL;
	site = bpt_add(t, &in);
	site->how = how;
	site->after = n > in.len ? code[in.len] : 0;
	site->nnext = (uint8_t)min_u64(n - 1, BPT_NEXT);
	memcpy(site->next, code + 1, site->nnext);
	return site;
}

void bpt_drop(struct bpt_table *t, const struct bpt_site *site)
{
	places_remove(&t->by_addr, site->in.addr);
}

void bpt_hits_add(struct bpt_hits *h, struct bpt_hit_list *list,
		  const struct bpt_hit *hit)
{
	uint32_t number = h->free;

	if (number) {
		h->free = h->data[number - 1].next;
	} else {
		vec_push(h);
		number = (uint32_t)h->len;
	}
	h->data[number - 1] = *hit;
	h->data[number - 1].next = 0;
	if (list->last)
		h->data[list->last - 1].next = number;
	else
		list->first = number;
	list->last = number;
}

void bpt_hits_give(struct bpt_hits *h, struct bpt_hit_list *list)
{
	uint32_t next;

	for (uint32_t n = list->first; n; n = next) {
		next = h->data[n - 1].next;
		h->data[n - 1] = (struct bpt_hit){.next = h->free};
		h->free = n;
	}
	*list = (struct bpt_hit_list){0, 0};
}

void bpt_add_hit(struct bpt_table *t, struct bpt_site *site, const struct bpt_hit *hit)
{
	bpt_hits_add(&t->hits, &site->hits, hit);
}

static void hide_site(const struct bpt_site *site, taddr addr, uint8_t *buf, size_t n)
{
	uint64_t at = site->in.addr.v;

	if (site->is_set && at >= addr.v && at - addr.v < n &&
	    buf[at - addr.v] == BPT_BYTE)
		buf[at - addr.v] = site->in.bytes[0];
}

void bpt_hide(const struct bpt_table *t, taddr addr, void *buf, size_t n)
{
	if (!t->nset || addr.v >= t->hi.v || addr.v + n <= t->lo.v)
		return;
	if (n < t->sites.len) {
		for (size_t i = 0; i < n; i++) {
			const struct bpt_site *site =
				bpt_find(t, taddr_add(addr, (int64_t)i));

			if (site)
				hide_site(site, addr, buf, n);
		}
		return;
	}
	for (size_t i = 0; i < t->sites.len; i++)
		hide_site(&t->sites.data[i], addr, buf, n);
}

static int by_address(const void *a, const void *b, void *ctx)
{
	const struct bpt_table *t = ctx;
	uint64_t x = t->sites.data[*(const uint32_t *)a].in.addr.v;
	uint64_t y = t->sites.data[*(const uint32_t *)b].in.addr.v;

	return (x > y) - (x < y);
}

void bpt_sort(const struct bpt_table *t, struct bpt_list *list)
{
	if (list->len)
		qsort_r(list->data, list->len, sizeof(*list->data), by_address,
			(void *)(uintptr_t)t);
}

void bpt_forget(struct bpt_table *t, struct addr_range r)
{
	for (size_t i = 0; i < t->sites.len; i++) {
		struct bpt_site *site = &t->sites.data[i];

		if (site->is_gone || !addr_range_holds(&r, site->in.addr))
			continue;
		t->nset -= site->is_set;
		site->is_set = site->was_set = false;
		site->is_gone = true;
		bpt_drop(t, site);
		if (!site->slot.at.v)
			bpt_give_back(t, (uint32_t)i);
	}
}

void bpt_give_back(struct bpt_table *t, uint32_t number)
{
	struct bpt_site *site = &t->sites.data[number];

	bpt_hits_give(&t->hits, &site->hits);
	*site = (struct bpt_site){.is_gone = true};
	*vec_push(&t->free) = number;
}

void bpt_retire(struct bpt_table *t, struct bpt_site *site)
{
	t->nset -= site->is_set;
	site->is_set = site->was_set = false;
	site->is_retired = true;
	bpt_hits_give(&t->hits, &site->hits);
}

void bpt_note_restored(struct bpt_table *t)
{
	for (size_t i = 0; i < t->sites.len; i++)
		t->sites.data[i].is_set = false;
	t->nset = 0;
}

/*
 * All sites whose byte is set, or may be in a copy, ascending. The caller releases the
 * list.
 */
static struct bpt_list all_set(const struct bpt_table *t, bool is_copy)
{
	struct bpt_list list = {0};

	for (size_t i = 0; i < t->sites.len; i++)
		if (t->sites.data[i].is_set || (is_copy && t->sites.data[i].was_set))
			*vec_push(&list) = (uint32_t)i;
	bpt_sort(t, &list);
	return list;
}

static void note_failure(void *ctx, uint32_t site)
{
	bool *has_failed = ctx;

	(void)site;
	*has_failed = true;
}

void bpt_restore(const struct bpt_table *t, int tid, int mem, bool is_copy)
{
	struct procfs_maps maps = {0};
	struct bpt_list list = all_set(t, is_copy);
	bool has_failed = false;
	struct bpt_write w = {t, mem, &maps, false, note_failure, &has_failed};

	/* Without maps they are written one by one. */
	if (list.len) {
		procfs_maps(tid, &maps);
		bpt_write(&w, &list);
	}
	/* What cannot be written now has been unmapped by the target itself. */
	if (has_failed)
		bpt_write(&w, &list);
	vec_release(&list);
	procfs_maps_release(&maps);
}
