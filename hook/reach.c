/* SPDX-License-Identifier: MIT */
/*
 * What leads to a few functions, without reading all code of the module. The same as
 * sweep.c finds there, or more:
 *
 *	- the functions, those beside them, and the gaps between are read as a whole:
 *	  their own branches, tables and computed jumps are in them;
 *	- short branches come from nearby: the code around is read;
 *	- all others have four bytes that say where they lead to, as a distance from
 *	  after them or, in code linked for one address, as an address. All fours of
 *	  bytes of the code are looked at. Where some may lead there the code is read.
 *
 * Code is read from where a reader of all code begins again: a function, or the end
 * of one. Where that is far, it is read from each of 15 addresses one after the other:
 * such a reader meets one of them. So no instruction is missed, and what is read too
 * much costs a jump at most.
 *
 * Gaps of more than GAP_MAX bytes, the code of programs without symbols, stay unknown.
 */
#include "hook/sweep.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

/* Bytes beside a function that its plans may use: islands, and the next function. */
#define BESIDE	256
#define GAP_MAX (64u << 10)
/* Bytes from which a short branch reaches, with its own. */
#define SHORT_REACH 160
/* A distance may be followed by an immediate, and lead to an operand of so many bytes. */
#define IMM_MAX	    4
#define OPERAND_MAX 64
#define BEFORE	    (IMM_MAX + OPERAND_MAX)
#define DISTANCE    4
#define WORD	    8

#define PAGE	  4096
#define PAGES_MAX (UINT64_C(1) << 24)
#define CHUNK	  (1u << 20)
/* Bytes around an instruction. A jump by the address that it loads is near. */
#define BACK	 4096
#define NEAR	 240
#define AHEAD	 512
#define FRAGMENT (BACK + AHEAD)
/* Places where code is read, at most: what seems to lead from others counts as it is. */
#define PLACES_MAX (64u << 10)

#define SPANS_MAX   8
#define SPANS_APART (64u << 10)
#define BLOCK	    16 /* bytes that are looked at together */

typedef uint32_t fours __attribute__((vector_size(BLOCK)));

/* What four bytes may be, by the byte before them. */
enum { NOTHING, BRANCH, BRANCH_0F, BRANCH_C7, OPERAND };

/* Code around the place that is looked at. */
struct view {
	const uint8_t *bytes;
	uint64_t lo, hi;
};

struct reach {
	struct sweep s;
	struct ranges {
		struct addr_range *data; /* vec; ascending, apart */
		size_t len, cap;
	} ranges; /* that are to be known */
	struct span {
		uint32_t lo, size; /* the low half of an address */
	} spans[SPANS_MAX + 1];
	size_t nspans;
	uint8_t *pages; /* a bit each: what leads there is looked at */
	uint64_t first_page, npages;
	uint8_t kinds[256];
	uint8_t insns[FRAGMENT / 8 + INSN_MAX]; /* of the code that is read again */
	size_t places;
};

/* ---- what is to be known ---- */

static void add_range(struct reach *r, uint64_t lo, uint64_t hi)
{
	*vec_push(&r->ranges) = (struct addr_range){taddr_of(lo), taddr_of(hi)};
}

/* Whether it is in one area; the others are cut and are read as a whole only. */
static bool is_in_area(const struct hook_branches *b, const struct body *body)
{
	const struct area *a = sweep_area_of(b, body->lo);

	return a && body->hi <= a->hi;
}

/* The gap before body number i, or behind the last one of its area. */
static void read_gap(struct reach *r, size_t i, const struct area *a)
{
	const struct hook_branches *b = r->s.branches;
	uint64_t lo = a->lo, hi = a->hi;

	if (i)
		lo = max_u64(lo, b->bodies.data[i - 1].hi);
	if (i < b->bodies.len)
		hi = min_u64(hi, b->bodies.data[i].lo);
	if (lo >= hi || hi - lo > GAP_MAX ||
	    (r->ranges.len && r->ranges.data[r->ranges.len - 1].hi.v > lo))
		return;
	sweep_gap(&r->s, lo, hi);
	add_range(r, lo, hi);
}

/* Reads a body, with the gaps around it. */
static void read_body(struct reach *r, size_t i)
{
	struct hook_branches *b = r->s.branches;
	struct body *body = &b->bodies.data[i];
	const struct area *a = sweep_area_of(b, body->lo);

	if (!is_in_area(b, body))
		return;
	if (r->s.insns != a->insns)
		sweep_area_begin(&r->s, (size_t)(a - b->areas));
	read_gap(r, i, a);
	sweep_listed(&r->s, body);
	add_range(r, body->lo, body->hi);
	read_gap(r, i + 1, a);
}

/* The bodies that hold the parts, or are beside them: each once. */
static void read_parts(struct reach *r, const struct addr_range *parts, size_t n)
{
	const struct hook_branches *b = r->s.branches;
	size_t i = 0;

	for (size_t k = 0; k < n; k++) {
		uint64_t lo = max_u64(parts[k].lo.v, BESIDE) - BESIDE;

		i = max_u64(i, sweep_first_behind(b, lo));
		for (; i < b->bodies.len && !sweep_is_stopped(&r->s) &&
		       b->bodies.data[i].lo < parts[k].hi.v + BESIDE;
		     i++)
			read_body(r, i);
	}
}

/* Joins the span of this number with the next one. */
static void join_spans(struct reach *r, size_t i)
{
	struct span *span = &r->spans[i];

	span->size = span[1].lo + span[1].size - span->lo;
	r->nspans--;
	memmove(span + 1, span + 2, (r->nspans - i - 1) * sizeof(*span));
}

/* The bytes between a span and the next one; they may overlap by BEFORE. */
static uint32_t between(const struct span *span)
{
	return span[1].lo - span->lo - span->size + BEFORE;
}

/* The number of the span that is nearest to the next one. */
static size_t nearest_span(const struct reach *r)
{
	size_t best = 0;

	for (size_t i = 1; i + 1 < r->nspans; i++)
		if (between(&r->spans[i]) < between(&r->spans[best]))
			best = i;
	return best;
}

/* A few spans have all of the ranges, and operands that begin before. */
static void set_spans(struct reach *r)
{
	for (size_t i = 0; i < r->ranges.len; i++) {
		const struct addr_range *range = &r->ranges.data[i];
		const uint64_t lo = range->lo.v - min_u64(range->lo.v, BEFORE);

		r->spans[r->nspans++] =
			(struct span){(uint32_t)lo, (uint32_t)(range->hi.v - lo)};
		if (r->nspans > 1 && between(&r->spans[r->nspans - 2]) < SPANS_APART)
			join_spans(r, r->nspans - 2);
		else if (r->nspans > SPANS_MAX)
			join_spans(r, nearest_span(r));
	}
}

/* Whether an address that is to be known is in [lo, hi). */
static bool is_wanted(const struct reach *r, uint64_t lo, uint64_t hi)
{
	size_t at = 0, end = r->ranges.len;

	while (at < end) {
		size_t mid = at + (end - at) / 2;

		if (r->ranges.data[mid].hi.v <= lo)
			at = mid + 1;
		else
			end = mid;
	}
	return at < r->ranges.len && r->ranges.data[at].lo.v < hi;
}

/* ---- code around an address ---- */

/* Where a reader that has come to `at` begins again. */
static uint64_t restart_behind(const struct hook_branches *b, uint64_t at,
			       size_t *start)
{
	const struct addresses *starts = &b->starts;
	const size_t i = sweep_first_behind(b, at);
	uint64_t next = UINT64_MAX;

	while (*start < starts->len && starts->data[*start] <= at)
		(*start)++;
	if (*start < starts->len)
		next = starts->data[*start];
	if (i < b->bodies.len && b->bodies.data[i].lo <= at)
		next = min_u64(next, b->bodies.data[i].hi);
	return next;
}

/* The number of the first start behind the address. */
static size_t first_start(const struct addresses *starts, uint64_t address)
{
	size_t lo = 0, hi = starts->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (starts->data[mid] <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Reads the instructions of the body from `at` on. */
static void read_from(struct reach *r, uint64_t at, struct body body)
{
	struct sweep *s = &r->s;
	size_t start = first_start(&s->branches->starts, at);
	struct insn_brief in;
	size_t left = 0;

	memset(r->insns, 0, sizeof(r->insns));
	while (at < body.hi) {
		const uint8_t *bytes = hook_bytes_at(s->code, taddr_of(at), &left);

		if (decode_brief(bytes, left, taddr_of(at), &in) != 0) {
			at++;
			continue;
		}
		r->insns[(at - body.lo) / 8] |= (uint8_t)(1u << (at - body.lo) % 8);
		sweep_note(s, &in, at, bytes, body);
		at = min_u64(at + in.len, restart_behind(s->branches, at, &start));
	}
	s->loaded.len = s->labels.len = 0;
}

/* Reads the body in a view of the code, from each of its first `n` addresses on. */
static void read_view(struct reach *r, const struct view *v, struct body body,
		      uint64_t n)
{
	struct sweep *s = &r->s;
	const struct hook_bytes *code = s->code;
	uint8_t *insns = s->insns;
	const uint64_t insns_lo = s->insns_lo;
	const struct hook_bytes bytes = {
		.lo = taddr_of(v->lo), .data = v->bytes, .n = (size_t)(v->hi - v->lo)};

	s->code = &bytes;
	s->insns = r->insns;
	s->insns_lo = body.lo;
	for (uint64_t i = 0; i < n; i++)
		read_from(r, body.lo + i, body);
	s->code = code;
	s->insns = insns;
	s->insns_lo = insns_lo;
}

/* Where a reader has begun again last when it comes to the address. */
static uint64_t restart_before(const struct hook_branches *b, uint64_t address)
{
	const size_t start = first_start(&b->starts, address);
	const size_t body = sweep_first_behind(b, address);
	uint64_t last = sweep_area_of(b, address)->lo;

	if (start)
		last = max_u64(last, b->starts.data[start - 1]);
	if (body)
		last = max_u64(last, b->bodies.data[body - 1].hi);
	return last;
}

/* Notes all instructions that begin in [lo, hi), and some before. */
static void read_around(struct reach *r, const struct view *v, uint64_t lo, uint64_t hi)
{
	const uint64_t begin = max_u64(lo, v->lo);
	struct body body = {.lo = restart_before(r->s.branches, begin),
			    .hi = min_u64(hi, v->hi)};
	uint64_t n = 1;

	if (body.lo < v->lo || begin - body.lo > BACK - NEAR) {
		body.lo = max_u64(lo, v->lo + INSN_MAX) - INSN_MAX;
		n = INSN_MAX;
	}
	read_view(r, v, body, n);
}

/* ---- fours of bytes ---- */

static void set_kinds(uint8_t kinds[256])
{
	for (unsigned i = 0; i < 256; i++) {
		kinds[i] = NOTHING;
		if ((i & 0xc7) == 0x05)
			kinds[i] = OPERAND;
		else if ((i & 0xf0) == 0x80)
			kinds[i] = BRANCH_0F;
	}
	kinds[0xe8] = kinds[0xe9] = BRANCH;
	kinds[0xf8] = BRANCH_C7;
}

/* A page for each address that is to be known, and for operands that begin before. */
static bool set_pages(struct reach *r)
{
	const struct ranges *ranges = &r->ranges;
	const uint64_t lo = ranges->data[0].lo.v,
		       end = ranges->data[ranges->len - 1].hi.v;

	r->first_page = (lo - min_u64(lo, BEFORE)) / PAGE;
	r->npages = end / PAGE - r->first_page + 1;
	if (r->npages > PAGES_MAX)
		return false;
	r->pages = oom_calloc((size_t)r->npages / 8 + 1, 1);
	for (size_t i = 0; i < ranges->len; i++) {
		uint64_t from = ranges->data[i].lo.v, to = ranges->data[i].hi.v;

		for (uint64_t page = (from - min_u64(from, BEFORE)) / PAGE;
		     page <= to / PAGE; page++)
			r->pages[(page - r->first_page) / 8] |=
				(uint8_t)(1u << (page - r->first_page) % 8);
	}
	return true;
}

static bool has_page(const struct reach *r, uint64_t address)
{
	const uint64_t page = address / PAGE - r->first_page;

	return page < r->npages && r->pages[page / 8] >> page % 8 & 1;
}

/* True: the place may be read. Else what leads from it counts as it seems. */
static bool take_place(struct reach *r, uint64_t target)
{
	if (++r->places <= PLACES_MAX)
		return true;
	sweep_mark_all(r->s.branches, target, target + BEFORE);
	*vec_push(&r->s.bases) = target;
	return false;
}

/* The four bytes at an address may be a branch's distance to the target. */
static void look_at_branch(struct reach *r, const struct view *v, uint64_t at,
			   uint64_t target)
{
	if (is_wanted(r, target, target + 1) && !is_wanted(r, at, at + 1) &&
	    !sweep_is_marked(r->s.branches, target) && take_place(r, target))
		read_around(r, v, at - min_u64(at, INSN_MAX), at);
}

/* The same of an operand: if it is loaded, a jump may follow. */
static void look_at_operand(struct reach *r, const struct view *v, uint64_t at,
			    uint64_t target)
{
	if (is_wanted(r, target, target + BEFORE) && !is_wanted(r, at, at + 1) &&
	    take_place(r, target))
		read_around(r, v, at - min_u64(at, NEAR), at + AHEAD);
}

static uint32_t load_four(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void look_at(struct reach *r, const struct view *v, uint64_t at, unsigned kind)
{
	const uint8_t *p = v->bytes + (at - v->lo);
	const uint64_t target =
		at + DISTANCE + (uint64_t)(int64_t)(int32_t)load_four(p);

	if (!has_page(r, target))
		return;
	if (kind == OPERAND)
		look_at_operand(r, v, at, target);
	else if (kind == BRANCH ||
		 (at - v->lo >= 2 && p[-2] == (kind == BRANCH_0F ? 0x0f : 0xc7)))
		look_at_branch(r, v, at, target);
}

/* The four bytes at an address may be an address. */
static void look_at_word(struct reach *r, const struct view *v, uint64_t at)
{
	const uint64_t target = load_four(v->bytes + (at - v->lo));

	if (has_page(r, target) && is_wanted(r, target, target + 1) &&
	    !is_wanted(r, at, at + 1) && take_place(r, target))
		read_around(r, v, at - min_u64(at, NEAR), at + AHEAD);
}

/* Whether one of the fours that begin at 16 bytes may lead to a span. */
static bool may_lead(const struct reach *r, const uint8_t *p, uint64_t at)
{
	const bool is_fixed = r->s.module->is_fixed;
	fours hits = {0};

	for (uint32_t k = 0; k < DISTANCE; k++) {
		const uint32_t from = (uint32_t)at + k + DISTANCE;
		fours distance, target;

		memcpy(&distance, p + k, sizeof(distance));
		target = distance + (fours){from, from + 4, from + 8, from + 12};
		for (size_t i = 0; i < r->nspans; i++) {
			const struct span *span = &r->spans[i];

			hits |= (fours)(target - span->lo < span->size);
			if (is_fixed)
				hits |= (fours)(distance - span->lo < span->size);
		}
	}
	return hits[0] | hits[1] | hits[2] | hits[3];
}

/* Looks at the fours of bytes that begin in [lo, hi). */
static void look_through(struct reach *r, const struct view *v, uint64_t lo,
			 uint64_t hi)
{
	const bool is_fixed = r->s.module->is_fixed;
	const uint64_t end = min_u64(hi, v->hi - min_u64(v->hi, DISTANCE - 1));

	for (uint64_t at = lo; at < end; at++) {
		const uint8_t *p = v->bytes + (at - v->lo);

		while (at % BLOCK == 0 && at + BLOCK + DISTANCE <= v->hi && at < end &&
		       !may_lead(r, p, at)) {
			at += BLOCK;
			p += BLOCK;
		}
		if (at >= end)
			break;
		if (is_fixed) /* else it is no address */
			look_at_word(r, v, at);
		if (at > v->lo && r->kinds[p[-1]])
			look_at(r, v, at, r->kinds[p[-1]]);
	}
}

/* The code of [lo, hi) and what is around it. */
static bool view_code(const struct hook_module *m, size_t area, uint8_t *buf,
		      struct view *v)
{
	const struct hook_bytes *code = &m->code[area];
	const uint64_t end = code->lo.v + code->n;

	v->lo = max_u64(v->lo, code->lo.v + BACK) - BACK;
	v->hi = min_u64(v->hi + AHEAD + INSN_ROOM, end);
	v->bytes = buf;
	if (m->read_code)
		return m->read_code(m->hold_ctx, taddr_of(v->lo), buf,
				    (size_t)(v->hi - v->lo)) == v->hi - v->lo;
	v->bytes = code->data + (v->lo - code->lo.v);
	return true;
}

/* False: it cannot be read. */
static bool look_through_area(struct reach *r, size_t area, uint8_t *buf)
{
	const struct hook_module *m = r->s.module;
	const struct hook_bytes *code = &m->code[area];
	const uint64_t end = code->lo.v + code->n;

	for (uint64_t at = code->lo.v; at < end; at += CHUNK) {
		const uint64_t to = min_u64(at + CHUNK, end);
		struct view v = {.lo = at, .hi = to};

		if (sweep_is_stopped(&r->s) || !view_code(m, area, buf, &v))
			return false;
		if (m->is_fixed)
			sweep_words_in(r->s.branches, at, v.bytes + (at - v.lo),
				       (size_t)(min_u64(to + WORD - 1, v.hi) - at));
		look_through(r, &v, at, to);
	}
	return true;
}

/* What is near enough for short branches, and calls that return to the beginning. */
static bool read_beside(struct reach *r, uint8_t *buf)
{
	for (size_t i = 0; i < r->ranges.len; i++) {
		const uint64_t lo = r->ranges.data[i].lo.v, hi = r->ranges.data[i].hi.v;
		const struct area *a = sweep_area_of(r->s.branches, lo);
		const size_t area = (size_t)(a - r->s.branches->areas);
		struct view v = {.lo = lo, .hi = lo}, w = {.lo = hi, .hi = hi};

		if (!view_code(r->s.module, area, buf, &v))
			return false;
		read_around(r, &v, lo - min_u64(lo, SHORT_REACH), lo);
		if (!view_code(r->s.module, area, buf, &w))
			return false;
		read_view(
			r, &w, /* every reader begins again there */
			(struct body){.lo = hi, .hi = min_u64(hi + SHORT_REACH, w.hi)},
			1);
	}
	return true;
}

static bool look_for_all(struct reach *r)
{
	const struct hook_module *m = r->s.module;
	uint8_t *buf =
		m->read_code ? oom_realloc(NULL, CHUNK + FRAGMENT + INSN_ROOM) : NULL;
	bool is_read = read_beside(r, buf);

	for (size_t i = 0; is_read && i < m->ncode; i++)
		is_read = look_through_area(r, i, buf);
	if (m->is_fixed)
		sweep_data_words(&r->s);
	free(buf);
	return is_read && !sweep_is_stopped(&r->s);
}

/* What has been read is known. */
static void note_known(struct reach *r)
{
	struct hook_branches *b = r->s.branches;

	sweep_computed(&r->s);
	for (size_t i = 0; i < r->ranges.len; i++) {
		const struct addr_range *range = &r->ranges.data[i];
		size_t k = sweep_first_behind(b, range->lo.v);

		*vec_push(&b->known) = *range;
		if (k < b->bodies.len && b->bodies.data[k].lo == range->lo.v)
			b->bodies.data[k].is_read = true;
	}
}

/*
 * Whether four bytes tell addresses of the code apart. Code linked for one address above
 * 4 GB has addresses of eight.
 */
static bool can_look(const struct reach *r)
{
	const struct hook_branches *b = r->s.branches;
	uint64_t end = b->nareas ? b->areas[b->nareas - 1].hi : 0;

	if (b->nareas && !r->s.module->is_fixed)
		end -= b->areas[0].lo;
	return end <= UINT32_MAX;
}

void hook_branches_read_for(struct hook_branches *b, const struct hook_module *m,
			    const struct addr_range *parts, size_t n)
{
	struct reach *r = oom_calloc(1, sizeof(*r));
	bool is_possible;

	sweep_begin(&r->s, b, m);
	set_kinds(r->kinds);
	is_possible = can_look(r);
	if (is_possible)
		read_parts(r, parts, n);
	set_spans(r);
	is_possible &= !r->ranges.len || set_pages(r);
	if (is_possible && r->ranges.len && look_for_all(r))
		note_known(r);
	sweep_release(&r->s);
	vec_release(&r->ranges);
	free(r->pages);
	free(r);
	if (!is_possible)
		hook_branches_read(b, m);
}
