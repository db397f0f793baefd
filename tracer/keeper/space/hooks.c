/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/hooks.h"
#include "tracer/keeper/os/lifeline.h"
#include "tracer/keeper/os/mem.h"
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
	vec_release(&h->sites);
	vec_release(&h->hits);
	map_release(&h->range_at);
	masks_release(&h->masks);
	vec_release(&h->free_areas);
	map_release(&h->by_patch);
	map_release(&h->by_board);
	free(h);
}

struct stub_request hooks_request(const struct hooks *h, const struct hook *hook)
{
	return (struct stub_request){
		.plan = &hook->plan,
		.gate = {h->gate, offsetof(struct resident_gate, rax),
			 offsetof(struct resident_gate, enter)},
		.site = hook->first_site,
		.stub = taddr_of(hook->stub),
		.switch_word = taddr_of(hook->switch_word),
	};
}

static struct hook *at_patch(const struct hooks *h, uint64_t patch)
{
	uint64_t i;

	return map_get(&h->by_patch, patch, &i) ? &h->list.data[i] : NULL;
}

static struct hook *at_board(const struct hooks *h, uint64_t board)
{
	uint64_t i;

	return map_get(&h->by_board, board, &i) ? &h->list.data[i] : NULL;
}

bool hooks_is_plan(const struct hook_plan *p)
{
	uint64_t reach =
		hook_board_entry(&p->board).v - (p->patch.v + HOOK_SHORT - 128);
	bool is_call = p->tactic == HOOK_CALL && p->nsites == 1 &&
		       p->patch.v - p->site.v <= INSN_MAX;
	bool is_jmp = (p->tactic == HOOK_JMP || p->tactic == HOOK_JMP_SHORT) &&
		      p->nsites > 0 && p->nsites <= HOOK_SITES_MAX &&
		      p->site.v >= p->patch.v && p->site.v - p->patch.v < p->covered;
	bool has_board = p->tactic == HOOK_JMP_SHORT;
	bool is_board = reach < 256 && p->board.covered <= HOOK_COVERED_MAX &&
			p->board.covered >= hook_board_written(&p->board) &&
			p->board.ninsns <= HOOK_COVERED_MAX;

	return (is_call || is_jmp) && has_board == (p->board.at.v != 0) &&
	       (!has_board || is_board) && p->covered >= hook_plan_patched(p) &&
	       p->covered <= HOOK_COVERED_MAX && p->ninsns <= HOOK_COVERED_MAX;
}

struct hook *hooks_find(const struct hooks *h, uint64_t addr)
{
	struct hook *hook;

	for (uint64_t k = 0; h->by_board.len && k < HOOK_COVERED_MAX; k++) {
		hook = at_board(h, addr - k);
		if (hook && k < hook->plan.board.covered)
			return hook;
	}
	for (uint64_t k = 0; k < HOOK_COVERED_MAX; k++) {
		hook = at_patch(h, addr - k);
		if (hook && k < hook_plan_held(&hook->plan))
			return hook;
	}
	hook = at_patch(h, addr + ENDBR);
	return hook && hook->plan.site.v == addr ? hook : NULL;
}

struct hook *hooks_find_in(const struct hooks *h, uint64_t lo, uint64_t hi)
{
	struct hook *hook = hooks_find(h, lo);

	for (uint64_t at = lo + 1; !hook && at < hi; at++) {
		hook = at_patch(h, at);
		if (!hook)
			hook = at_board(h, at);
	}
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
	struct hook *hook;

	for (size_t i = 0; i < h->fields.len; i++) {
		const struct hook_field *f = &h->fields.data[i];

		if (pc >= f->lo && pc < f->stubs_end)
			return in_field(h, f, pc);
	}
	hook = h->by_board.len ? hooks_find(h, pc) : NULL;
	return hook && hooks_is_at_board(hook, pc) ? hook : NULL;
}

bool hooks_is_before_busy(uint64_t at)
{
	const struct resident_text *t = hooks_text();

	return (at >= t->enter && at < t->quick_end) ||
	       (at >= t->inert && at < t->inert_end);
}

static enum wait_where in_text(uint64_t at)
{
	const struct resident_text *t = hooks_text();

	if (at == t->leave_trap)
		return WHERE_LEFT;
	if (at >= t->guard_begin && at < t->guard_end)
		return WHERE_GUARD;
	if ((at >= t->late_begin && at < t->late_end) || hooks_is_before_busy(at))
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
	if (*hook && hooks_is_at_board(*hook, pc))
		return WHERE_STUB_HEAD;
	if (*hook)
		return pc < (*hook)->stub + STUB_TAIL && hooks_begins_with_head(*hook)
			       ? WHERE_STUB_HEAD
			       : WHERE_STUB_TAIL;
	return WHERE_ORIGINAL;
}

/* The instruction that a site of the plan stands on; false: not what was planned. */
static bool decode_site(const struct hook_plan *plan, uint32_t site, struct insn *in)
{
	uint8_t at = plan->sites[site].at;

	return at < plan->covered && decode(plan->original + at, plan->covered - at,
					    taddr_add(plan->patch, at), in) == 0;
}

int hooks_find_site(const struct hook_plan *plan, uint64_t addr, uint16_t kind)
{
	int taken = -1;

	if (keeper_site_event(kind) == KEEPER_SITE_RETURN)
		taken = hook_plan_find(plan, taddr_of(addr), true);
	return taken >= 0 ? taken : hook_plan_find(plan, taddr_of(addr), false);
}

bool hooks_begins_with_head(const struct hook *hook)
{
	const struct hook_plan *plan = &hook->plan;

	return plan->tactic == HOOK_CALL ||
	       (plan->sites[0].at == 0 && !plan->sites[0].on_taken);
}

bool hooks_is_tail(const struct hooks *h, const struct hook *hook, uint64_t addr)
{
	for (uint32_t i = 0; i < hook->plan.nsites; i++) {
		uint32_t head = h->sites.data[hook->first_site + i].head;

		if (addr == hook->stub + head + STUB_TAIL)
			return true;
	}
	return false;
}

/* The parts of a function in the block, for all hits that share them; or negative. */
static int64_t block_ranges(struct space *s, const struct bpt_hit *hit)
{
	struct hooks *h = s->hooks;
	struct resident_block *b = h->block;
	struct resident_range *to = (void *)((char *)b + b->ranges_at);
	uint64_t at;

	if (map_get(&h->range_at, hit->first_range + UINT64_C(1), &at))
		return (int64_t)at;
	if (hit->nranges > b->config.nranges - h->nranges)
		return STATUS_FULL;
	at = h->nranges;
	for (uint32_t i = 0; i < hit->nranges; i++) {
		const struct keeper_range *r = &s->ranges.data[hit->first_range + i];

		to[at + i] = (struct resident_range){r->lo, r->hi};
	}
	h->nranges += hit->nranges;
	map_set(&h->range_at, hit->first_range + UINT64_C(1), at);
	return (int64_t)at;
}

/* An indirect jump is an exit when its target lies outside of the function. */
static int set_leaving(struct space *s, const struct bpt_hit *hit,
		       const struct insn *in, struct resident_hit *out)
{
	bool is_relative = in->has_mem && in->mem.base == INSN_REG_RIP;
	int64_t at = block_ranges(s, hit);

	if (at < 0)
		return (int)at;
	out->kind = (uint8_t)(RESIDENT_LEAVING | (out->kind & RESIDENT_RAW));
	out->first_range = (uint32_t)at;
	out->nranges = hit->nranges;
	out->reg = in->reg;
	if (!in->has_mem)
		return 0;
	out->base = is_relative ? RESIDENT_NO_REG : in->mem.base;
	out->index = in->mem.index;
	out->scale = in->mem.scale;
	out->disp = in->mem.disp;
	if (is_relative)
		out->disp += (int64_t)(in->addr.v + in->len);
	return 0;
}

static int resident_hit_of(struct space *s, uint32_t site, const struct bpt_hit *hit,
			   struct resident_hit *out)
{
	const struct hooks *h = s->hooks;
	const struct hook *hook = &h->list.data[h->sites.data[site].hook];
	struct insn in;

	*out = (struct resident_hit){.probe = hit->probe, .arg0 = hit->arg0};
	out->kind = keeper_site_is_raw(hit->kind) ? RESIDENT_RAW : 0;
	if (keeper_site_event(hit->kind) != KEEPER_SITE_RETURN) {
		if (hit->kind == KEEPER_SITE_RAW + KEEPER_SITE_OFFSET)
			out->kind |= RESIDENT_OFFSET;
		return 0;
	}
	out->kind |= RESIDENT_RETURN;
	if (!decode_site(&hook->plan, site - hook->first_site, &in))
		return STATUS_BADFMT;
	return in.kind == INSN_JMP_INDIRECT ? set_leaving(s, hit, &in, out) : 0;
}

static void note_hit(struct hooks *h, struct hooked_site *site,
		     const struct bpt_hit *hit)
{
	*vec_push(&h->hits) = *hit;
	if (site->last_hit)
		h->hits.data[site->last_hit - 1].next = (uint32_t)h->hits.len;
	else
		site->first_hit = (uint32_t)h->hits.len;
	site->last_hit = (uint32_t)h->hits.len;
	site->nhits++;
}

/* The word of a site with this hit alone; 0: it needs an element. */
static uint64_t word_alone(const struct hooks *h, uint32_t site,
			   const struct bpt_hit *hit)
{
	const struct hook *hook = &h->list.data[h->sites.data[site].hook];
	struct insn in;

	if (hit->probe >= RESIDENT_PROBES_MAX)
		return 0;
	if (hit->kind < KEEPER_SITE_RETURN)
		return resident_alone(hit->probe);
	if (hit->kind != KEEPER_SITE_RETURN ||
	    !decode_site(&hook->plan, site - hook->first_site, &in) ||
	    in.kind == INSN_JMP_INDIRECT)
		return 0;
	return resident_return(hit->probe, hit->arg0);
}

/* A list that was in use stays as it is: a new one takes its place. */
int hooks_add_hit(struct space *s, uint32_t number, const struct bpt_hit *hit)
{
	struct hooks *h = s->hooks;
	struct resident_block *b = h->block;
	struct resident_site *to = (void *)((char *)b + b->sites_at);
	struct resident_hit *list = (void *)((char *)b + b->hits_at);
	struct hooked_site *site = &h->sites.data[number];
	uint32_t n = site->nhits + 1, at = h->nlists;
	uint64_t word = n > 1 ? 0 : word_alone(h, number, hit);
	int status = 0;

	if (!word) {
		if (n > b->config.nhits - at)
			return STATUS_FULL;
		word = resident_list(at, n);
		for (uint32_t i = site->first_hit; i && !status;
		     i = h->hits.data[i - 1].next)
			status = resident_hit_of(s, number, &h->hits.data[i - 1],
						 &list[at++]);
		if (!status)
			status = resident_hit_of(s, number, hit, &list[at++]);
		if (status)
			return status;
		h->nlists = at;
	}
	note_hit(h, site, hit);
	if (h->list.data[site->hook].plan.tactic == HOOK_CALL)
		word |= RESIDENT_PUSHED;
	atomic_store_explicit(&to[number].hits, word, memory_order_release);
	return 0;
}

static void mask_patch(const struct patch *p, uint64_t addr, uint8_t *buf, size_t n)
{
	for (uint64_t i = 0; i < p->n; i++) {
		uint64_t at = p->at + i - addr;

		if (at < n && buf[at] == p->from[i])
			buf[at] = p->to[i];
	}
}

static void mask_hook(const struct hook *hook, uint64_t addr, uint8_t *buf, size_t n)
{
	struct patch undo[PATCHES_MAX];
	size_t npatches = patches_of(hook, true, undo);

	for (size_t i = 0; i < npatches; i++)
		mask_patch(&undo[i], addr, buf, n);
}

void hooks_mask(const struct hooks *h, uint64_t addr, void *buf, size_t n)
{
	if (n < h->list.len) {
		for (uint64_t at = addr - HOOK_COVERED_MAX + 1; at != addr + n; at++) {
			const struct hook *hook = at_patch(h, at);
			const struct hook *over = at_board(h, at);

			if (hook)
				mask_hook(hook, addr, buf, n);
			if (over)
				mask_hook(over, addr, buf, n);
		}
		return;
	}
	for (size_t i = 0; i < h->list.len; i++)
		if (h->list.data[i].is_on)
			mask_hook(&h->list.data[i], addr, buf, n);
}

void hooks_turn_on(struct hooks *h, struct hook *hook)
{
	hook->is_on = true;
	map_set(&h->by_patch, hook->plan.patch.v, hook->number);
	if (hook->plan.board.at.v)
		map_set(&h->by_board, hook->plan.board.at.v, hook->number);
}

void hooks_turn_off(struct hooks *h, struct hook *hook)
{
	hook->is_on = false;
	map_remove(&h->by_patch, hook->plan.patch.v);
	if (hook->plan.board.at.v)
		map_remove(&h->by_board, hook->plan.board.at.v);
}

void hooks_forget(struct hooks *h, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < h->list.len; i++) {
		struct hook *hook = &h->list.data[i];

		if (hook->is_on && hook->plan.patch.v >= lo && hook->plan.patch.v < hi)
			hooks_turn_off(h, hook);
	}
}
