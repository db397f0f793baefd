/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/hooks.h"
#include "tracer/keeper/lifeline.h"
#include "tracer/keeper/mem.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ENDBR 4 /* a retargeted call may stand behind an endbr64 */

struct hooks *hooks_new(void)
{
	return oom_calloc(1, sizeof(struct hooks));
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	if (h->block) {
		lifeline_untie(h->block);
		munmap((char *)h->block - LIFELINE_ROOM,
		       h->block_bytes + LIFELINE_ROOM);
	}
	for (size_t i = 0; i < h->fields.len; i++)
		vec_release(&h->fields.data[i].hooks);
	vec_release(&h->fields);
	vec_release(&h->mappings);
	vec_release(&h->list);
	vec_release(&h->hits);
	vec_release(&h->free_areas);
	map_release(&h->by_patch);
	free(h);
}

struct stub_request hooks_request(const struct hooks *h, const struct hook *hook)
{
	return (struct stub_request){
		.plan = &hook->plan,
		.gate = {h->gate, offsetof(struct resident_gate, rax),
			 offsetof(struct resident_gate, enter)},
		.site = hook->number,
		.stub = taddr_of(hook->stub),
		.switch_word = taddr_of(hook->switch_word),
	};
}

static struct hook *at_patch(const struct hooks *h, uint64_t patch)
{
	uint64_t i;

	return map_get(&h->by_patch, patch, &i) ? &h->list.data[i] : NULL;
}

struct hook *hooks_find(const struct hooks *h, uint64_t addr)
{
	struct hook *hook;

	for (uint64_t k = 0; k < HOOK_COVERED_MAX; k++) {
		hook = at_patch(h, addr - k);
		if (hook && k < hook->plan.covered)
			return hook;
	}
	hook = at_patch(h, addr + ENDBR);
	return hook && hook->plan.site.v == addr ? hook : NULL;
}

struct hook *hooks_find_in(const struct hooks *h, uint64_t lo, uint64_t hi)
{
	struct hook *hook = hooks_find(h, lo);

	for (uint64_t at = lo + 1; !hook && at < hi; at++)
		hook = at_patch(h, at);
	return hook;
}

static struct hook *in_field(const struct hooks *h, const struct hook_field *f,
			     uint64_t pc)
{
	size_t lo = 0, hi = f->hooks.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (h->list.data[f->hooks.data[mid]].stub <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &h->list.data[f->hooks.data[lo - 1]] : NULL;
}

struct hook *hooks_of_stub(const struct hooks *h, uint64_t pc)
{
	for (size_t i = 0; i < h->fields.len; i++) {
		const struct hook_field *f = &h->fields.data[i];

		if (pc >= f->lo && pc < f->stubs_end)
			return in_field(h, f, pc);
	}
	return NULL;
}

static enum wait_where in_text(uint64_t at)
{
	const struct resident_text *t = hooks_text();

	if (at == t->leave_trap)
		return WHERE_LEFT;
	if (at >= t->guard_begin && at < t->guard_end)
		return WHERE_GUARD;
	if ((at >= t->late_begin && at < t->late_end) ||
	    (at >= t->inert && at < t->inert_end))
		return WHERE_LATE;
	return WHERE_RESIDENT;
}

enum wait_where hooks_where(const struct hooks *h, uint64_t pc, uint64_t sp,
			    struct hook **hook)
{
	*hook = NULL;
	if (!h->is_installed)
		return WHERE_ORIGINAL;
	if (pc >= h->place.text && pc < h->gate)
		return in_text(pc - h->place.text);
	*hook = hooks_of_stub(h, pc);
	/* The vDSO's clock runs on the stack in the block, and so may hooks of it. */
	if (sp >= h->place.block && sp < h->place.block + h->block_bytes)
		return WHERE_RESIDENT;
	if (*hook)
		return pc < (*hook)->stub + STUB_TAIL ? WHERE_STUB_HEAD
						      : WHERE_STUB_TAIL;
	return WHERE_ORIGINAL;
}

/* A list that was in use stays as it is: a new one takes its place. */
int hooks_add_hit(struct hooks *h, struct hook *hook, uint32_t probe)
{
	struct resident_block *b = h->block;
	struct resident_site *site = (void *)((char *)b + b->sites_at);
	uint32_t *lists = (void *)((char *)b + b->hits_at);
	uint32_t n = hook->nhits + 1, first = probe, at = h->nlists;

	if (n > 1 && n > h->block->config.nhits - at)
		return STATUS_FULL;
	*vec_push(&h->hits) = (struct hook_hit){.probe = probe};
	if (hook->last_hit)
		h->hits.data[hook->last_hit - 1].next = (uint32_t)h->hits.len;
	else
		hook->first_hit = (uint32_t)h->hits.len;
	hook->last_hit = (uint32_t)h->hits.len;
	hook->nhits = n;
	if (n > 1) {
		first = at;
		for (uint32_t i = hook->first_hit; i; i = h->hits.data[i - 1].next)
			lists[at++] = h->hits.data[i - 1].probe;
		h->nlists = at;
	}
	atomic_store_explicit(&site[hook->number].hits, resident_list(first, n),
			      memory_order_release);
	return 0;
}

static void mask_hook(const struct hook *hook, uint64_t addr, uint8_t *buf, size_t n)
{
	for (uint64_t i = 0; i < HOOK_JUMP; i++) {
		uint64_t at = hook->plan.patch.v + i - addr;

		if (at < n && buf[at] == hook->patch[i])
			buf[at] = hook->plan.original[i];
	}
}

void hooks_mask(const struct hooks *h, uint64_t addr, void *buf, size_t n)
{
	if (n < h->list.len) {
		for (uint64_t at = addr - HOOK_JUMP + 1; at != addr + n; at++) {
			const struct hook *hook = at_patch(h, at);

			if (hook)
				mask_hook(hook, addr, buf, n);
		}
		return;
	}
	for (size_t i = 0; i < h->list.len; i++)
		if (h->list.data[i].is_on)
			mask_hook(&h->list.data[i], addr, buf, n);
}

void hooks_turn_off(struct hooks *h, struct hook *hook)
{
	uint64_t *switches = (void *)((char *)h->block + h->block->switches_at);

	switches[hook->number] = 0;
	hook->is_on = false;
	map_remove(&h->by_patch, hook->plan.patch.v);
}

void hooks_forget(struct hooks *h, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < h->list.len; i++) {
		struct hook *hook = &h->list.data[i];

		if (hook->is_on && hook->plan.patch.v >= lo && hook->plan.patch.v < hi)
			hooks_turn_off(h, hook);
	}
}
