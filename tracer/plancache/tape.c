/* SPDX-License-Identifier: MIT */
/*
 * A plan:
 *
 *	byte	tactic, and the bits below
 *	number	patch, from that of the plan before
 *	bytes	covered, ninsns, reason
 *	unless IS_PLAIN: byte padding; number site, from patch; number wants; bytes
 *		nsites, and two for each; nheads, and one for each
 *	the original bytes: as many as the plan holds; none if it covers nothing
 *	HOOK_JMP_SHORT, HOOK_JMP_PUN: the island: number, from patch; bytes covered,
 *		entry, ninsns; the original ones
 *
 * A number has seven bits a byte, the lowest first, its sign in bit 0.
 */
#include "tracer/plancache/tape.h"

#include <string.h>
#include <unistd.h>

#define TACTIC	     0x07u
#define BEGINS_PART  0x08u
#define IS_PLAIN     0x10u /* one site, at the patch, for one want, no padding */
#define NUMBER_BYTES 10
#define PLAN_BYTES   256 /* more than any plan takes */
#define WINDOW_BYTES 16384

void plan_tape_release(struct plan_tape *t)
{
	strbuf_release(&t->bytes);
	if (t->file)
		close(t->file - 1);
	*t = (struct plan_tape){0};
}

void plan_tape_open(struct plan_tape *t, int fd, uint64_t begin, uint64_t end)
{
	*t = (struct plan_tape){
		.file = fd + 1, .begin = begin, .next = begin, .end = end};
}

void plan_tape_rewind(struct plan_tape *t)
{
	t->at = 0;
	t->patch = 0;
	t->next = t->begin;
	if (t->file)
		strbuf_cut(&t->bytes, 0);
}

/* The next plan is in the window afterwards. A file that is cut short ends there. */
static void move_window(struct plan_tape *t)
{
	const size_t rest = t->bytes.len - t->at;
	char piece[WINDOW_BYTES];
	ssize_t n;

	if (rest >= PLAN_BYTES || t->next == t->end)
		return;
	n = pread(t->file - 1, piece, min_u64(sizeof(piece), t->end - t->next),
		  (off_t)t->next);
	if (n <= 0) {
		t->end = t->next;
		return;
	}
	if (rest)
		memmove(t->bytes.data, t->bytes.data + t->at, rest);
	strbuf_cut(&t->bytes, rest);
	strbuf_add(&t->bytes, piece, (size_t)n);
	t->at = 0;
	t->next += (uint64_t)n;
}

static void put_byte(struct plan_tape *t, unsigned byte)
{
	strbuf_putc(&t->bytes, (char)byte);
}

static void put_number(struct plan_tape *t, uint64_t v)
{
	uint64_t rest = v << 1 ^ (uint64_t) - (v >> 63);

	for (; rest > 0x7f; rest >>= 7)
		put_byte(t, (unsigned)(rest & 0x7f) | 0x80);
	put_byte(t, (unsigned)rest);
}

static bool is_plain(const struct plan_tape_entry *e)
{
	const struct hook_plan *p = &e->plan;

	return e->n == 1 && p->nsites == 1 && !p->sites[0].at &&
	       !p->sites[0].on_taken && !p->padding && !p->nheads &&
	       p->site.v == p->patch.v;
}

static bool has_island(const struct hook_plan *p)
{
	return p->tactic == HOOK_JMP_SHORT || p->tactic == HOOK_JMP_PUN;
}

static size_t held(const struct hook_plan *p)
{
	return p->covered ? hook_plan_held(p) : 0;
}

static void put_sites(struct plan_tape *t, const struct plan_tape_entry *e)
{
	const struct hook_plan *p = &e->plan;

	put_byte(t, p->padding);
	put_number(t, p->site.v - p->patch.v);
	put_number(t, e->n);
	put_byte(t, p->nsites);
	for (unsigned i = 0; i < p->nsites; i++) {
		put_byte(t, p->sites[i].at);
		put_byte(t, p->sites[i].on_taken);
	}
	put_byte(t, p->nheads);
	strbuf_add(&t->bytes, p->heads, p->nheads);
}

static void put_island(struct plan_tape *t, const struct hook_plan *p)
{
	const struct hook_island *island = &p->island;

	put_number(t, island->at.v - p->patch.v);
	put_byte(t, island->covered);
	put_byte(t, island->entry);
	put_byte(t, island->ninsns);
	strbuf_add(&t->bytes, island->original, island->covered);
}

void plan_tape_add(struct plan_tape *t, const struct plan_tape_entry *e)
{
	const struct hook_plan *p = &e->plan;
	bool plain = is_plain(e);

	put_byte(t, p->tactic | (e->begins_part ? BEGINS_PART : 0) |
			    (plain ? IS_PLAIN : 0));
	put_number(t, p->patch.v - t->patch);
	put_byte(t, p->covered);
	put_byte(t, p->ninsns);
	put_byte(t, p->reason);
	if (!plain)
		put_sites(t, e);
	strbuf_add(&t->bytes, p->original, held(p));
	if (has_island(p))
		put_island(t, p);
	t->patch = p->patch.v;
}

/* 0 at the end: what a plan says is checked when it is complete. */
static uint8_t get_byte(struct plan_tape *t)
{
	return t->at < t->bytes.len ? (uint8_t)t->bytes.data[t->at++] : 0;
}

static uint64_t get_number(struct plan_tape *t)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < NUMBER_BYTES; i++) {
		uint8_t byte = get_byte(t);

		v |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (!(byte & 0x80))
			break;
	}
	return v >> 1 ^ (uint64_t) - (v & 1);
}

static bool get_bytes(struct plan_tape *t, uint8_t *out, size_t n, size_t max)
{
	if (n > max || n > t->bytes.len - t->at)
		return false;
	memcpy(out, t->bytes.data + t->at, n);
	t->at += n;
	return true;
}

static bool get_sites(struct plan_tape *t, struct plan_tape_entry *e)
{
	struct hook_plan *p = &e->plan;
	uint64_t n;

	p->padding = get_byte(t);
	p->site = taddr_of(p->patch.v + get_number(t));
	n = get_number(t);
	p->nsites = get_byte(t);
	if (!n || n > HOOK_SITES_MAX || p->nsites > HOOK_SITES_MAX)
		return false;
	e->n = (uint32_t)n;
	for (unsigned i = 0; i < p->nsites; i++) {
		p->sites[i].at = get_byte(t);
		p->sites[i].on_taken = get_byte(t);
		if (p->sites[i].on_taken > 1)
			return false;
	}
	p->nheads = get_byte(t);
	return get_bytes(t, p->heads, p->nheads, HOOK_HEADS_MAX);
}

static bool get_island(struct plan_tape *t, struct hook_plan *p)
{
	struct hook_island *island = &p->island;

	island->at = taddr_of(p->patch.v + get_number(t));
	island->covered = get_byte(t);
	island->entry = get_byte(t);
	island->ninsns = get_byte(t);
	return get_bytes(t, island->original, island->covered, HOOK_COVERED_MAX);
}

/* A plan that no jump is made of says why. */
static bool is_refusal(const struct hook_plan *p)
{
	enum hook_tactic tactic;

	if (p->reason == HOOK_REASON_NONE || p->reason >= HOOK_REASON_COUNT)
		return false;
	tactic = hook_reason_can_break(p->reason) ? HOOK_BREAKPOINT : HOOK_REFUSED;
	return p->tactic == tactic && !p->covered && p->site.v == p->patch.v;
}

bool plan_tape_next(struct plan_tape *t, struct plan_tape_entry *e)
{
	struct hook_plan *p = &e->plan;
	unsigned first;

	*e = (struct plan_tape_entry){.n = 1};
	move_window(t);
	if (t->at >= t->bytes.len)
		return false;
	first = get_byte(t);
	e->begins_part = first & BEGINS_PART;
	p->tactic = (enum hook_tactic)(first & TACTIC);
	p->patch = taddr_of(t->patch + get_number(t));
	p->covered = get_byte(t);
	p->ninsns = get_byte(t);
	p->reason = (enum hook_reason)get_byte(t);
	p->site = p->patch;
	p->nsites = 1;
	if ((!(first & IS_PLAIN) && !get_sites(t, e)) || p->tactic > HOOK_REFUSED ||
	    !get_bytes(t, p->original, held(p), HOOK_COVERED_MAX) ||
	    (has_island(p) && !get_island(t, p)))
		return false;
	t->patch = p->patch.v;
	if (!hook_plan_is_jump(p))
		return is_refusal(p);
	return p->reason == HOOK_REASON_NONE && hook_plan_is_sound(p) &&
	       hook_plan_is_read(p);
}

bool plan_tape_goes_on(struct plan_tape *t)
{
	move_window(t);
	return t->at < t->bytes.len && !((uint8_t)t->bytes.data[t->at] & BEGINS_PART);
}
