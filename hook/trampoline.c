/* SPDX-License-Identifier: MIT */
#include "hook/trampoline.h"

#include "disasm/disasm.h"
#include "hook/move.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#include <assert.h>

/* Offsets of the two instructions between STUB_ON and STUB_TAIL. */
enum { STUB_SITE = 15, STUB_ENTER = 20 };

static void add_point(struct stub *s, size_t at, taddr pc)
{
	assert(s->npoints < STUB_POINTS_MAX);
	s->points[s->npoints++] = (struct stub_point){.at = (uint8_t)at, .pc = pc};
}

static void add_bytes(struct stub *s, const uint8_t *bytes, size_t n)
{
	assert(s->n + n <= STUB_MAX);
	bytes_copy(s->bytes + s->n, bytes, n);
	s->n = (uint8_t)(s->n + n);
}

/* opcode bytes and a 32-bit field behind them */
static void add_with_field(struct stub *s, const uint8_t *opcode, size_t n,
			   uint64_t field)
{
	uint8_t bytes[4];

	bytes_store(bytes, field, sizeof(bytes));
	add_bytes(s, opcode, n);
	add_bytes(s, bytes, sizeof(bytes));
}

/* The part that all stubs have; pc is where threads in it are taken for. */
static int add_head(const struct stub_request *req, taddr pc, struct stub *s)
{
	static const uint8_t jmp_rip[] = {0xff, 0x25};
	static const uint8_t mov_rax_gs[] = {0x65, 0x48, 0x89, 0x04, 0x25};
	static const uint8_t mov_eax[] = {0xb8};
	static const uint8_t jmp_gs[] = {0x65, 0xff, 0x24, 0x25};
	int64_t distance = (int64_t)(req->switch_word.v - (req->stub.v + STUB_ON));
	uint64_t rax = req->gate.gate + req->gate.rax_at;
	uint64_t enter = req->gate.gate + req->gate.enter_at;

	if (distance != (int32_t)distance || rax > INT32_MAX || enter > INT32_MAX)
		return STATUS_RANGE;
	add_point(s, 0, pc);
	add_with_field(s, jmp_rip, sizeof(jmp_rip), (uint64_t)distance);
	add_point(s, STUB_ON, pc);
	add_with_field(s, mov_rax_gs, sizeof(mov_rax_gs), rax);
	add_point(s, STUB_SITE, pc);
	add_with_field(s, mov_eax, sizeof(mov_eax), req->site);
	add_point(s, STUB_ENTER, pc);
	s->points[s->npoints - 1].is_rax_away = true;
	add_with_field(s, jmp_gs, sizeof(jmp_gs), enter);
	assert(s->n == STUB_TAIL);
	return 0;
}

static int add_jmp(const struct stub_request *req, taddr to, struct stub *s)
{
	uint8_t jmp[EMIT_JMP_REL32];
	int err = emit_jmp_rel32(taddr_add(req->stub, s->n), to, jmp);

	add_point(s, s->n, to);
	add_bytes(s, jmp, sizeof(jmp));
	return err;
}

static void add_move(struct stub *s, const struct move *m)
{
	for (size_t i = 0; i < m->npoints; i++) {
		add_point(s, s->n + m->points[i].at, m->points[i].pc);
		s->points[s->npoints - 1].sp_fix = m->points[i].sp_fix;
	}
	add_bytes(s, m->bytes, m->n);
}

static int build_jmp(const struct stub_request *req, struct stub *s)
{
	const struct hook_plan *plan = req->plan;
	struct move m = {0};
	struct insn in;
	size_t at = 0;
	int err = add_head(req, plan->site, s);

	for (size_t i = 0; !err && i < plan->ninsns; i++) {
		if (m.is_end || decode(plan->original + at, plan->covered - at,
				       taddr_add(plan->patch, (int64_t)at), &in) != 0)
			return STATUS_INVAL;
		err = move_insn(&in, taddr_add(req->stub, s->n), &m);
		if (err)
			return err == STATUS_UNSUP ? STATUS_INVAL : err;
		add_move(s, &m);
		at += in.len;
	}
	if (!err && !m.is_end)
		err = add_jmp(req, taddr_add(plan->patch, plan->covered), s);
	return err ? err : emit_jmp_rel32(plan->patch, req->stub, s->patch);
}

/* A thread in the stub has made the call, so it belongs to the callee. */
static int build_call(const struct stub_request *req, struct stub *s)
{
	const struct hook_plan *plan = req->plan;
	struct insn in;
	int err;

	if (decode(plan->original, plan->covered, plan->patch, &in) != 0 ||
	    in.kind != INSN_CALL || in.len != HOOK_JUMP)
		return STATUS_INVAL;
	s->sp_fix = 8;
	err = add_head(req, in.target, s);
	if (!err)
		err = add_jmp(req, in.target, s);
	if (!err)
		err = emit_jmp_rel32(plan->patch, req->stub, s->patch);
	s->patch[0] = in.opcode;
	return err;
}

int stub_build(const struct stub_request *req, struct stub *out)
{
	*out = (struct stub){.n = 0};
	switch (req->plan->tactic) {
	case HOOK_JMP:
		return build_jmp(req, out);
	case HOOK_CALL:
		return build_call(req, out);
	default:
		return STATUS_INVAL;
	}
}

const struct stub_point *stub_point_at(const struct stub *s, size_t at)
{
	for (size_t i = 0; i < s->npoints; i++) {
		if (s->points[i].at == at)
			return &s->points[i];
	}
	return NULL;
}

int stub_offset_of(const struct stub *s, const struct hook_plan *plan, taddr pc)
{
	if (pc.v <= plan->patch.v || pc.v >= plan->patch.v + plan->covered)
		return -1;
	for (size_t i = 0; i < s->npoints; i++) {
		const struct stub_point *p = &s->points[i];

		if (p->at >= STUB_TAIL && p->pc.v == pc.v && !p->sp_fix)
			return p->at;
	}
	return -1;
}
