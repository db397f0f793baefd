/* SPDX-License-Identifier: MIT */
/*
 * Decides about all sites of a function together, in one pass from its beginning.
 * Each site tries, in this order:
 *
 *	1 to be in the region that the previous jump has taken over already
 *	2 a region that begins at it
 *	3 a region that begins at instructions before it, nearest first
 *	4 to make the region before longer, up to it
 *	5 once all have tried these, a region for a short jump, at it or before it
 *	6 once all have tried that, a punned jump at it
 *	7 once all have tried that, chained jumps from it on, which take over what was
 *	  planned behind it
 *
 * 3 to 5 need to know every way into the instructions before the site, so when they
 * begin before it they are not for functions with a jump whose targets are unknown.
 * What stays is a breakpoint, which no region may hold: a moved instruction never runs
 * where it was.
 */
#include "hook/plan.h"

#include "hook/chain.h"
#include "hook/held.h"
#include "hook/islands.h"
#include "hook/branches.h"
#include "vm/base/bytes.h"
#include "vm/base/host/vec.h"

#define RECENT 16 /* instructions before a site that are remembered */

#define HEAP_ROOM (UINT64_C(0x44) << 24) /* where it begins, and NEAR_HEAP_ROOM */
#define LOW_END	  UINT64_C(0x7fff0000)

/* What was decided about wants [first, first + n). */
struct decided {
	struct hook_plan plan;
	size_t first, n;
	taddr lo, hi; /* no other region may have bytes in it */
};

struct pass {
	struct planning p;
	const struct hook_function *f;
	struct hook_plan now; /* of wants [first, next); valid when next > first */
	size_t first, next;
	taddr floor; /* no region may begin below */
	struct {
		struct addr_range range;
		bool is_computed;
	} body;	      /* that was looked up last */
	bool is_read; /* b knows all instructions; else they are read here: */
	/* Where the last instructions before `read` begin. */
	taddr recent[RECENT];
	size_t nrecent;
	taddr read;
	struct {
		struct decided *data; /* vec; ascending */
		size_t len, cap;
	} decided;
	struct island_rooms rooms;
};

/* Whether memory has at `at` the n bytes of the file. */
static bool is_changed(const struct pass *s, taddr at, const uint8_t *file, size_t n)
{
	uint8_t memory[HOOK_COVERED_MAX];

	return s->f->read && (s->f->read(s->f->ctx, at, memory, n) < 0 ||
			      bytes_compare(memory, file, n) != 0);
}

static void decide(struct pass *s, const struct hook_plan *plan, size_t first, size_t n,
		   taddr hi)
{
	taddr lo = taddr_of(min_u64(plan->site.v, plan->patch.v));

	*vec_push(&s->decided) = (struct decided){*plan, first, n, lo, hi};
	if (s->p.islands && plan->padding)
		held_take_padding(s->p.islands, plan);
}

/* Instead of the jump that was planned, a breakpoint for each want of it. */
static void refuse_all(struct pass *s, enum hook_reason reason)
{
	struct hook_plan plan;

	for (size_t i = s->first; i < s->next; i++) {
		taddr pc = s->f->wants[i].pc;

		plan_refuse(&plan, pc, reason);
		decide(s, &plan, i, 1, taddr_add(pc, 1));
	}
	s->first = s->next;
}

static void emit(struct pass *s)
{
	if (s->next == s->first)
		return;
	if (s->now.covered &&
	    is_changed(s, s->now.patch, s->now.original, s->now.covered))
		refuse_all(s, HOOK_REASON_CHANGED);
	else
		decide(s, &s->now, s->first, s->next - s->first, s->floor);
	s->first = s->next;
}

/* The sites of a want whose instruction is `in`; false: there is no room. */
static bool add_sites(struct hook_plan *plan, const struct hook_probe_point *w,
		      const struct insn *in)
{
	bool is_jcc = in->kind == INSN_JCC;
	bool before = w->is_before || (w->is_exit && !is_jcc);
	bool taken = w->is_exit && is_jcc;

	if (plan->nsites + before + taken > HOOK_SITES_MAX)
		return false;
	for (int i = !before; i <= taken; i++)
		plan->sites[plan->nsites++] = (struct hook_plan_site){
			(uint8_t)(w->pc.v - plan->patch.v), i == 1};
	return true;
}

/* Reads on to pc, which must turn out to be the beginning of an instruction. */
static bool read_to(struct pass *s, taddr pc)
{
	struct planning at = s->p;
	struct insn_brief in;

	if (s->is_read)
		return branches_is_insn(s->p.branches, pc);
	while (s->read.v < pc.v) {
		if (!planning_begin(&at, s->read) ||
		    decode_brief(at.code, at.left, s->read, &in) != 0) {
			s->nrecent = 0;
			s->read = pc;
			return false;
		}
		s->recent[s->nrecent++ % RECENT] = s->read;
		s->read = taddr_add(s->read, in.len);
	}
	return s->read.v == pc.v;
}

/*
 * Moves *at, which begins at a place that read_to() has found, to the instruction
 * before: the i-th such step. False: it is not known, or in no function.
 */
static bool step_back(const struct pass *s, size_t i, taddr *at)
{
	if (i > RECENT)
		return false;
	if (s->is_read)
		return branches_insn_before(s->p.branches, s->p.lo, at);
	if (i > s->nrecent)
		return false;
	*at = s->recent[(s->nrecent - i) % RECENT];
	return true;
}

/* Whether jumps whose targets are not known may lead there. */
static bool is_computed(struct pass *s, taddr pc)
{
	const struct hook_branches *b = s->p.branches;

	if (!addr_range_holds(&s->body.range, pc)) {
		if (!branches_body(b, pc, &s->body.range))
			return true;
		s->body.is_computed = branches_is_computed(b, pc);
	}
	return s->body.is_computed;
}

/* A region from `at` that holds the instruction in, and the plan's sites in it. */
static enum hook_reason plan_from(struct pass *s, taddr at, const struct insn *in)
{
	taddr end = taddr_add(in->addr, in->len);
	enum hook_reason reason;
	struct insn first;

	if (!planning_begin(&s->p, at))
		return HOOK_REASON_NOT_CODE;
	reason = plan_first(&s->p, &first);
	if (!reason)
		reason = plan_region(&s->p, end);
	return reason ? reason : plan_finish(&s->p);
}

/* Whether the boundaries in the plan's bytes are where the sites are. */
static bool is_boundary(const struct hook_plan *plan, taddr pc, struct insn *in)
{
	size_t at = 0;

	for (uint32_t i = 0; i < plan->ninsns; i++) {
		if (decode(plan->original + at, plan->covered - at,
			   taddr_add(plan->patch, (int64_t)at), in) != 0)
			return false;
		if (in->addr.v == pc.v)
			return true;
		at += in->len;
	}
	return false;
}

static void start_plan(struct pass *s, struct hook_plan *plan, size_t want)
{
	emit(s);
	s->now = *plan;
	s->first = want;
	s->next = want + 1;
	s->floor = taddr_add(plan->patch, plan->covered);
}

/* 2: the region begins at the site, or the site is a call that is retargeted. */
static enum hook_reason plan_ahead(struct pass *s, size_t want, const struct insn *in)
{
	const struct hook_probe_point *w = &s->f->wants[want];
	struct hook_plan plan = {.site = w->pc};
	enum hook_reason reason;

	s->p.plan = &plan;
	planning_begin(&s->p, w->pc);
	if (plan_call(&s->p, in, &reason)) {
		if (!reason)
			reason = plan_finish(&s->p);
		plan.nsites = 1;
	} else {
		reason = plan_from(s, w->pc, in);
		if (!reason && !add_sites(&plan, w, in))
			reason = HOOK_REASON_TOO_SHORT;
	}
	if (!reason)
		start_plan(s, &plan, want);
	return reason;
}

/* 3: the nearest beginning before the site that does. */
static bool plan_back(struct pass *s, size_t want, const struct insn *in)
{
	const struct hook_probe_point *w = &s->f->wants[want];
	struct hook_plan plan;
	struct insn seen;
	taddr at = w->pc;

	for (size_t i = 1; step_back(s, i, &at); i++) {
		if (at.v < s->floor.v || w->pc.v + in->len - at.v > HOOK_COVERED_MAX)
			return false;
		plan = (struct hook_plan){.site = w->pc};
		s->p.plan = &plan;
		if (plan_from(s, at, in) || !is_boundary(&plan, w->pc, &seen) ||
		    !add_sites(&plan, w, &seen))
			continue;
		start_plan(s, &plan, want);
		return true;
	}
	return false;
}

/* 4: the region before, with all its sites, and this one. */
static bool extend(struct pass *s, size_t want, const struct insn *in)
{
	const struct hook_probe_point *w = &s->f->wants[want];
	struct hook_plan plan = s->now;
	struct insn seen;

	if (s->next == s->first || plan.tactic != HOOK_JMP || plan.padding ||
	    w->pc.v + in->len - plan.patch.v > HOOK_COVERED_MAX)
		return false;
	s->p.plan = &plan;
	if (plan_from(s, plan.patch, in) || !is_boundary(&plan, w->pc, &seen) ||
	    !add_sites(&plan, w, &seen))
		return false;
	s->now = plan;
	s->next = want + 1;
	s->floor = taddr_add(plan.patch, plan.covered);
	return true;
}

/* Whether only a breakpoint can see where the exit goes. */
static bool is_unfollowed(const struct hook_probe_point *w, const struct insn *in)
{
	bool is_far_operand = in->addr32 || (in->has_mem && in->mem.segment);

	return w->is_exit && (in->kind == INSN_LOOP ||
			      (in->kind == INSN_JMP_INDIRECT && is_far_operand));
}

/* 1: the site is inside bytes that a jump takes over. */
static bool join(struct pass *s, size_t want)
{
	const struct hook_probe_point *w = &s->f->wants[want];
	struct insn in;

	if (s->now.tactic == HOOK_JMP && !w->no_jump &&
	    is_boundary(&s->now, w->pc, &in) && !(w->is_exit && in.kind == INSN_LOOP) &&
	    add_sites(&s->now, w, &in)) {
		s->next = want + 1;
		return true;
	}
	refuse_all(s, HOOK_REASON_SITE_INSIDE);
	return false;
}

/* Why the site can have none of the four, if that is clear from itself. */
static enum hook_reason refuse_site(struct pass *s, const struct hook_probe_point *w,
				    struct insn *in)
{
	enum hook_reason reason;

	if (!planning_begin(&s->p, w->pc))
		return HOOK_REASON_NOT_CODE;
	reason = plan_first(&s->p, in);
	if (in->len && is_changed(s, w->pc, s->p.code, in->len))
		return HOOK_REASON_CHANGED;
	if (reason)
		return reason;
	if (is_unfollowed(w, in))
		return HOOK_REASON_EXIT_FORM;
	return w->no_jump ? HOOK_REASON_OTHER_PROBE : HOOK_REASON_NONE;
}

static void refuse_one(struct pass *s, size_t want, enum hook_reason reason, size_t len)
{
	emit(s);
	plan_refuse(&s->now, s->f->wants[want].pc, reason);
	s->first = want;
	s->next = want + 1;
	s->floor = taddr_add(s->f->wants[want].pc, len ? (int64_t)len : 1);
}

/* Whether the region lies between what was decided before and after it. */
static bool has_room(const struct pass *s, size_t number, const struct hook_plan *plan)
{
	const struct decided *d = s->decided.data + number;
	uint64_t hi = plan->patch.v + hook_plan_held(plan);

	return (!number || plan->patch.v >= d[-1].hi.v) &&
	       (number + 1 == s->decided.len || hi <= d[1].lo.v) &&
	       !held_is_taken(s->p.islands, plan->patch, hook_plan_held(plan),
			      plan->patch);
}

/* The byte after a region of one is left as it is, and must not be another's. */
static bool hold_next(struct pass *s, struct hook_plan *plan)
{
	if (plan->covered >= HOOK_SHORT)
		return true;
	if (!planning_begin(&s->p, plan->patch) || s->p.size < HOOK_SHORT ||
	    s->p.left < HOOK_SHORT)
		return false;
	plan->original[1] = s->p.code[1];
	return true;
}

/*
 * A short jump over a region from `at` on to the decided site, if that can be: of one
 * byte (jump 1), or of two, inside which nothing may arrive.
 */
static bool plan_short(struct pass *s, size_t number, taddr at, size_t jump)
{
	struct decided *d = &s->decided.data[number];
	const struct hook_probe_point *w = &s->f->wants[d->first];
	struct hook_plan plan = {.site = w->pc};
	struct insn in;

	s->p.plan = &plan;
	s->p.jump = jump;
	if (!planning_begin(&s->p, w->pc) || planning_decode(&s->p, 0, &in) != 0 ||
	    plan_from(s, at, &in) || (plan.covered > 1 && jump == 1) ||
	    !hold_next(s, &plan) || !has_room(s, number, &plan) ||
	    !is_boundary(&plan, w->pc, &in) || !add_sites(&plan, w, &in) ||
	    is_changed(s, plan.patch, plan.original, hook_plan_held(&plan)) ||
	    !islands_find(&s->p, &s->rooms) ||
	    is_changed(s, plan.island.at, plan.island.original, plan.island.covered))
		return false;
	d->plan = plan;
	d->lo = plan.patch;
	d->hi = taddr_add(plan.patch, (int64_t)hook_plan_held(&plan));
	return true;
}

static bool try_short_before(struct pass *s, size_t number, taddr pc)
{
	taddr at = pc;

	for (size_t i = 1; step_back(s, i, &at); i++) {
		if (pc.v - at.v > HOOK_COVERED_MAX - INSN_MAX)
			return false;
		if (plan_short(s, number, at, HOOK_SHORT))
			return true;
	}
	return false;
}

/* 5: at the site, or else at the nearest beginning before it that does. */
static void try_short(struct pass *s, size_t number)
{
	taddr pc = s->decided.data[number].plan.site;
	bool is_known = read_to(s, pc) && !is_computed(s, pc);

	if (!plan_short(s, number, pc, HOOK_SHORT) &&
	    !(is_known && try_short_before(s, number, pc)))
		plan_short(s, number, pc, 1);
}

/*
 * Whether an island there has no chance: in a program linked for one address, what is
 * above it may become its heap, and from LOW_END on nothing is used.
 */
static bool is_hopeless(const struct hook_module *m, taddr at)
{
	uint64_t end = 0;

	for (size_t i = 0; i < m->ncode; i++)
		end = max_u64(end, m->code[i].lo.v + m->code[i].n);
	for (size_t i = 0; i < m->ndata; i++)
		end = max_u64(end, m->data[i].lo.v + m->data[i].n);
	return m->is_fixed && at.v >= m->code[0].lo.v &&
	       (at.v < end + HEAP_ROOM || at.v >= LOW_END);
}

/*
 * 6: the four bytes after the first one are the jump's displacement as they are, so
 * they must be the function's own: what is planned for another may change them.
 */
static void try_pun(struct pass *s, size_t number)
{
	struct decided *d = &s->decided.data[number];
	const struct hook_probe_point *w = &s->f->wants[d->first];
	struct hook_plan plan = {.site = w->pc};
	struct insn in;

	s->p.plan = &plan;
	s->p.jump = 1;
	if (!planning_begin(&s->p, w->pc) || planning_decode(&s->p, 0, &in) != 0 ||
	    plan_from(s, w->pc, &in) || s->p.size < HOOK_JUMP || s->p.left < HOOK_JUMP)
		return;
	plan.tactic = HOOK_JMP_PUN;
	bytes_copy(plan.original, s->p.code, hook_plan_held(&plan));
	if (!hook_pun_is_near(&plan) ||
	    is_hopeless(s->p.module, hook_pun_target(&plan)) ||
	    !has_room(s, number, &plan) || !add_sites(&plan, w, &in) ||
	    is_changed(s, plan.patch, plan.original, hook_plan_held(&plan)) ||
	    !islands_take_pun(&s->p))
		return;
	d->plan = plan;
	d->hi = taddr_add(plan.patch, (int64_t)hook_plan_held(&plan));
}

/* Breakpoints for which no other reason than the jump's length may be left. */
static bool is_short_of_room(const struct decided *d)
{
	return d->plan.tactic == HOOK_BREAKPOINT &&
	       d->plan.reason != HOOK_REASON_OTHER_PROBE &&
	       d->plan.reason != HOOK_REASON_EXIT_FORM &&
	       d->plan.reason != HOOK_REASON_SITE_INSIDE;
}

/* Whether a chain may take over what was decided: it moves its instructions as well. */
static bool can_swallow(const struct decided *d)
{
	return d->plan.tactic == HOOK_JMP || is_short_of_room(d);
}

/* Decisions from `number` on that begin below `end`. */
static size_t count_below(const struct pass *s, size_t number, taddr end)
{
	size_t n = 0;

	while (number + n < s->decided.len && s->decided.data[number + n].lo.v < end.v)
		n++;
	return n;
}

/* The sites in the plan's bytes, from want `first` on, of which `least` must be. */
static size_t add_all_sites(const struct pass *s, struct hook_plan *plan, size_t first,
			    size_t least)
{
	size_t all = s->f->nwants + s->f->nafter, n = 0;
	struct insn in;

	for (; first + n < all; n++) {
		const struct hook_probe_point *w = &s->f->wants[first + n];

		if (w->pc.v >= plan->patch.v + plan->covered)
			break;
		if (w->no_jump || !is_boundary(plan, w->pc, &in) ||
		    is_unfollowed(w, &in) || !add_sites(plan, w, &in))
			return 0;
	}
	return n >= least ? n : 0;
}

/* Where the instructions of what was decided end: padding may follow. */
static taddr end_of(const struct decided *d)
{
	return taddr_add(d->hi, -(int64_t)d->plan.padding);
}

/*
 * Chained jumps from the decided site on, in place of the next `swallowed` decisions as
 * well. The instructions of all of them are in it.
 */
static bool chain_over(struct pass *s, size_t number, size_t swallowed)
{
	struct decided *d = &s->decided.data[number], *last = d + swallowed;
	struct hook_plan plan = {.site = s->f->wants[d->first].pc};
	size_t nwants, least = last->first + last->n - d->first;

	s->p.plan = &plan;
	s->p.jump = HOOK_JUMP;
	if (!planning_begin(&s->p, plan.site) ||
	    chain_plan(&s->p, plan.site, swallowed ? end_of(last) : plan.site) ||
	    count_below(s, number + 1, taddr_add(plan.patch, plan.covered)) !=
		    swallowed ||
	    held_is_taken(s->p.islands, plan.patch, plan.covered, plan.patch) ||
	    is_changed(s, plan.patch, plan.original, plan.covered))
		return false;
	nwants = add_all_sites(s, &plan, d->first, least);
	if (!nwants)
		return false;
	for (size_t i = 1; i <= swallowed; i++)
		d[i].n = 0;
	*d = (struct decided){plan, d->first, nwants, plan.patch,
			      taddr_add(plan.patch, plan.covered)};
	held_take(s->p.islands, plan.patch, plan.covered, plan.patch);
	return true;
}

/* 7: over as many decisions as it takes, at most those that fit. */
static void try_chain(struct pass *s, size_t number)
{
	struct decided *d = &s->decided.data[number];
	size_t room = count_below(s, number + 1, taddr_add(d->lo, HOOK_COVERED_MAX));
	bool is_done = false;

	for (size_t i = 0; i <= room && !is_done && can_swallow(&d[i]); i++) {
		if (d[i].plan.padding)
			held_give_padding(s->p.islands, &d[i].plan);
		is_done = d[i].n && chain_over(s, number, i);
	}
	for (size_t i = 0; i <= room; i++)
		if (d[i].n && d[i].plan.padding && d[i].plan.tactic == HOOK_JMP)
			held_take_padding(s->p.islands, &d[i].plan);
}

static void plan_chains(struct pass *s)
{
	for (size_t i = 0; i < s->decided.len; i++)
		if (s->decided.data[i].n && is_short_of_room(&s->decided.data[i]))
			try_chain(s, i);
}

static void read_rooms(struct pass *s)
{
	for (size_t i = 0; i < s->decided.len; i++)
		*vec_push(&s->rooms.busy) = (struct addr_range){s->decided.data[i].lo,
								s->decided.data[i].hi};
	island_rooms_read(&s->rooms, &s->p);
}

static void plan_puns(struct pass *s)
{
	for (size_t i = 0; i < s->decided.len; i++)
		if (is_short_of_room(&s->decided.data[i]))
			try_pun(s, i);
}

static void plan_short_jumps(struct pass *s)
{
	bool has_read = false;

	s->read = s->f->lo;
	s->nrecent = 0;
	for (size_t i = 0; i < s->decided.len; i++) {
		if (!is_short_of_room(&s->decided.data[i]))
			continue;
		if (!has_read)
			read_rooms(s);
		has_read = true;
		try_short(s, i);
	}
}

static bool is_in_region(const struct pass *s, taddr pc)
{
	return s->next > s->first && pc.v < s->now.patch.v + s->now.covered;
}

static void plan_want(struct pass *s, size_t want)
{
	const struct hook_probe_point *w = &s->f->wants[want];
	struct insn in = {.len = 0};
	bool is_known = read_to(s, w->pc) && !is_computed(s, w->pc);
	enum hook_reason reason;

	if (is_in_region(s, w->pc) && join(s, want))
		return;
	reason = refuse_site(s, w, &in);
	if (reason) {
		refuse_one(s, want, reason, in.len);
		return;
	}
	reason = plan_ahead(s, want, &in);
	if (!reason || (is_known && (plan_back(s, want, &in) || extend(s, want, &in))))
		return;
	refuse_one(s, want, reason, in.len);
}

void hook_plan_function(const struct hook_module *m, const struct hook_branches *b,
			const struct hook_function *f)
{
	struct pass s = {
		.p = {.module = m,
		      .branches = b,
		      .lo = f->lo,
		      .hi = f->hi,
		      .has_shadow_stack = f->has_shadow_stack,
		      .islands = f->islands,
		      .jump = HOOK_JUMP},
		.f = f,
		.floor = taddr_of(max_u64(f->lo.v, f->floor.v)),
		.read = f->lo,
		.is_read = branches_are_read(b, (struct addr_range){f->lo, f->hi}),
	};

	for (size_t i = 0; i < f->nwants; i++)
		plan_want(&s, i);
	emit(&s);
	if (f->islands) {
		plan_short_jumps(&s);
		plan_puns(&s);
		plan_chains(&s);
	}
	for (size_t i = 0; i < s.decided.len; i++) {
		const struct decided *d = &s.decided.data[i];

		if (d->n) /* else a chain has it */
			f->plan(f->ctx, &d->plan, d->first, d->n);
	}
	vec_release(&s.decided);
	island_rooms_release(&s.rooms);
}

/* Memory of an entry: what it says, and the file where it says nothing. */
struct entry_memory {
	const struct hook_entry *entry;
	struct planning p;
	struct hook_plan *out;
};

static int read_entry(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	struct entry_memory *m = ctx;
	uint64_t skip = at.v - m->entry->lo.v;

	if (!planning_begin(&m->p, at) && !m->p.code)
		return -1;
	bytes_copy(buf, m->p.code, min_u64(n, m->p.left));
	if (skip < m->entry->n)
		bytes_copy(buf, m->entry->memory + skip,
			   min_u64(n, m->entry->n - skip));
	return 0;
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct entry_memory *m = ctx;

	(void)first;
	(void)n;
	*m->out = *plan;
}

void hook_plan_entry(const struct hook_module *m, const struct hook_branches *b,
		     const struct hook_entry *entry, struct hook_plan *out)
{
	const struct hook_probe_point want = {.pc = entry->lo, .is_before = true};
	struct entry_memory memory = {
		.entry = entry, .p = {.module = m, .hi = entry->hi}, .out = out};
	const struct hook_function f = {.lo = entry->lo,
					.hi = entry->hi,
					.has_shadow_stack = entry->has_shadow_stack,
					.wants = &want,
					.nwants = 1,
					.read = read_entry,
					.plan = take_plan,
					.ctx = &memory};

	hook_plan_function(m, b, &f);
}
