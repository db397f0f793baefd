/* SPDX-License-Identifier: MIT */
#include "disasm/flow.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

/* So many instructions are code: the rest is not looked at again from each address. */
#define LOOK_MAX 64

static bool has(const uint8_t *bits, uint32_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

static void set(uint8_t *bits, uint32_t at)
{
	bits[at / 8] |= (uint8_t)(1 << at % 8);
}

/* The offset of an address; UINT32_MAX: it is elsewhere. */
static uint32_t offset_of(const struct scan_request *req, taddr addr)
{
	uint64_t offset = addr.v - req->ranges[0].lo.v;

	return offset < req->n ? (uint32_t)offset : UINT32_MAX;
}

static uint32_t named_offset(const struct scan_request *req,
			     const struct insn_brief *in, uint32_t at)
{
	taddr named;

	return insn_names(in, taddr_add(req->ranges[0].lo, at), req->bytes + at, &named)
		       ? offset_of(req, named)
		       : UINT32_MAX;
}

bool flow_names_itself(const struct scan_request *req, const struct insn_brief *in,
		       uint32_t at)
{
	uint32_t named = named_offset(req, in, at);

	return named && named != UINT32_MAX;
}

int flow_read(const struct scan_request *req, uint32_t at, struct insn_brief *out)
{
	return decode_brief(req->bytes + at, req->n - at,
			    taddr_add(req->ranges[0].lo, at), out);
}

static bool read_at(const struct flow *f, uint32_t at, struct insn_brief *in)
{
	return flow_read(f->req, at, in) == 0;
}

static void note(struct flow *f, const struct insn_brief *in, uint32_t at)
{
	const uint32_t branches = 1u << INSN_JMP | 1u << INSN_JCC | 1u << INSN_LOOP |
				  1u << INSN_TRANSACTION;
	uint32_t named = named_offset(f->req, in, at), target = UINT32_MAX;

	set(f->starts, at);
	if (named != UINT32_MAX)
		set(in->is_lea ? f->taken : f->named, named);
	f->has_indirect_jump |= in->kind == INSN_JMP_INDIRECT;
	if (branches >> in->kind & 1)
		target = offset_of(f->req, in->target);
	if (target != UINT32_MAX && !has(f->starts, target))
		*vec_push(&f->work) = target;
}

static bool is_named(const struct flow *f, uint32_t at)
{
	return has(f->named, at) || has(f->taken, at);
}

/* Notes instructions from there on, and from where their branches lead. */
static void reach(struct flow *f, uint32_t from, bool is_guess)
{
	*vec_push(&f->work) = from;
	while (f->work.len) {
		uint32_t at = f->work.data[--f->work.len];
		bool goes_on = true;
		struct insn_brief in;

		while (goes_on && at < f->req->n && !has(f->starts, at) &&
		       !(is_guess && at != from && is_named(f, at)) &&
		       read_at(f, at, &in)) {
			note(f, &in, at);
			goes_on = insn_brief_falls_through(&in);
			at += in.len;
		}
	}
}

/* Instructions up to one that is reached, or that leaves; zeros are none. */
static bool looks_like_code(const struct flow *f, uint32_t at)
{
	const uint8_t *bytes = f->req->bytes;
	struct insn_brief in = {.len = 0};
	unsigned left = LOOK_MAX;

	do {
		at += in.len;
		if (at < f->req->n && has(f->starts, at))
			return true;
		if (at >= f->req->n || !read_at(f, at, &in) ||
		    (in.len > 1 && !bytes[at] && !bytes[at + 1]))
			return false;
	} while (--left && insn_brief_falls_through(&in));
	return true;
}

/* Of bytes that are not reached. */
static bool is_data(const struct flow *f, uint32_t at)
{
	return has(f->named, at) ||
	       (has(f->taken, at) && !(f->has_indirect_jump && looks_like_code(f, at)));
}

/* Where the instruction ends, or where another one begins in it. */
static uint32_t behind(const struct flow *f, uint32_t at)
{
	struct insn_brief in = {.len = 1};
	uint32_t end;

	read_at(f, at, &in);
	end = at + in.len;
	while (++at < end && !has(f->starts, at))
		;
	return at;
}

uint32_t flow_find(struct flow *f, const struct scan_request *req)
{
	const uint32_t n = (uint32_t)req->n;
	uint32_t at = 0;

	*f = (struct flow){.req = req};
	f->starts = oom_calloc(n / 8 + 1, 1);
	f->named = oom_calloc(n / 8 + 1, 1);
	f->taken = oom_calloc(n / 8 + 1, 1);
	reach(f, 0, false);
	while (at < n) {
		if (!has(f->starts, at) && is_data(f, at)) {
			while (++at < n && !has(f->starts, at))
				;
			continue;
		}
		if (!has(f->starts, at))
			reach(f, at, true);
		if (!has(f->starts, at)) /* nothing can be decoded */
			break;
		at = behind(f, at);
	}
	return at;
}

void flow_release(struct flow *f)
{
	free(f->starts);
	free(f->named);
	free(f->taken);
	vec_release(&f->work);
}

uint32_t flow_next(const struct flow *f, uint32_t at, uint32_t n, uint32_t *end)
{
	for (; at < n && (at < *end || !has(f->starts, at)); at++) {
		struct insn_brief in = {.len = 0};

		if (has(f->starts, at) && read_at(f, at, &in))
			*end = (uint32_t)max_u64(*end, at + in.len);
	}
	return at;
}
