/* SPDX-License-Identifier: MIT */
#include "hook/trampoline.h"

#include "disasm/disasm.h"
#include "hook/chain.h"
#include "hook/move.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#include <assert.h>

/* Offsets of the two instructions between STUB_ON and STUB_EPILOGUE. */
enum { STUB_SITE = 15, STUB_ENTER = 20 };

static struct stub_point *add_point(struct stub *s, size_t at, taddr pc)
{
	struct stub_point *p = &s->points[s->npoints];

	assert(s->npoints < STUB_POINTS_MAX);
	s->npoints++;
	*p = (struct stub_point){.at = (uint16_t)at, .pc = pc};
	return p;
}

static void add_bytes(struct stub *s, const uint8_t *bytes, size_t n)
{
	assert(s->n + n <= STUB_MAX);
	bytes_copy(s->bytes + s->n, bytes, n);
	s->n = (uint16_t)(s->n + n);
}

static void add_field(struct stub *s, size_t at)
{
	assert(s->nfields < STUB_FIELDS_MAX);
	s->fields[s->nfields++] = (uint16_t)at;
}

/* Writes the prologue of site number i, which begins at offset `at`. */
static int write_prologue(const struct stub_request *req, uint32_t i, size_t at,
			  struct stub *s)
{
	static const uint8_t prologue[STUB_EPILOGUE] = {
		0xff, 0x25, 0,	  0,	0,    0,	  /* jmp *switch(%rip) */
		0x65, 0x48, 0x89, 0x04, 0x25, 0, 0, 0, 0, /* mov %rax, %gs:spill */
		0xb8, 0,    0,	  0,	0,		  /* mov $site, %eax */
		0x65, 0xff, 0x24, 0x25, 0,    0, 0, 0,	  /* jmp *%gs:enter */
	};
	uint64_t word = req->switch_word.v + i * 8;
	int64_t distance = (int64_t)(word - (req->stub.v + at + STUB_ON));
	uint32_t rax = req->gate.spill_at, enter = req->gate.enter_at;
	uint8_t *p = s->bytes + at;

	if (distance != (int32_t)distance || rax > INT32_MAX || enter > INT32_MAX)
		return STATUS_RANGE;
	bytes_copy(p, prologue, sizeof(prologue));
	bytes_store(p + STUB_ON - 4, (uint64_t)distance, 4);
	bytes_store(p + STUB_SITE - 4, rax, 4);
	bytes_store(p + STUB_ENTER - 4, req->site + i, 4);
	bytes_store(p + STUB_EPILOGUE - 4, enter, 4);
	return 0;
}

/* The prologue of site number i; pc is where threads in it are taken for. */
static int add_prologue(const struct stub_request *req, uint32_t i, taddr pc,
			struct stub *s)
{
	static const uint8_t points[] = {0, STUB_ON, STUB_SITE, STUB_ENTER};
	size_t at = s->n;

	assert(at + STUB_EPILOGUE <= STUB_MAX);
	s->prologues[i] = (uint16_t)at;
	s->n = (uint16_t)(at + STUB_EPILOGUE);
	for (size_t k = 0; k < sizeof(points); k++) {
		struct stub_point *p = add_point(s, at + points[k], pc);

		p->is_prologue = true;
		p->is_spilled = points[k] == STUB_ENTER;
	}
	return write_prologue(req, i, at, s);
}

static int add_jmp(const struct stub_request *req, taddr to, struct stub *s)
{
	uint8_t jmp[EMIT_JMP_REL32];
	int err = emit_jmp_rel32(taddr_add(req->stub, s->n), to, jmp);

	add_point(s, s->n, to);
	add_field(s, s->n + 1u);
	add_bytes(s, jmp, sizeof(jmp));
	return err;
}

static void add_move(struct stub *s, const struct move *m)
{
	if (m->field)
		add_field(s, (size_t)s->n + m->field);
	s->is_fixed |= m->is_cut;
	for (size_t i = 0; i < m->npoints; i++)
		add_point(s, s->n + m->points[i].at, m->points[i].pc)->sp_fix =
			m->points[i].sp_fix;
	add_bytes(s, m->bytes, m->n);
}

/* The conditional jump at site number i, which fires when it is taken. */
static int add_taken(const struct stub_request *req, uint32_t i, const struct insn *in,
		     struct stub *s)
{
	const uint8_t jcc[] = {(uint8_t)(0x70 | in->cc), 2};
	const uint8_t jmp[] = {0xeb, STUB_EPILOGUE + EMIT_JMP_REL32};
	int err;

	if (in->kind != INSN_JCC)
		return STATUS_INVAL;
	add_point(s, s->n, in->addr);
	add_bytes(s, jcc, sizeof(jcc));
	add_point(s, s->n, taddr_add(in->addr, in->len));
	add_bytes(s, jmp, sizeof(jmp));
	err = add_prologue(req, i, in->addr, s);
	return err ? err : add_jmp(req, in->target, s);
}

static int add_moved(const struct stub_request *req, const struct insn *in,
		     struct stub *s, bool *is_end)
{
	struct move m;
	int err = move_insn(in, taddr_add(req->stub, s->n), &m);

	if (err)
		return err == STATUS_UNSUP ? STATUS_INVAL : err;
	add_move(s, &m);
	*is_end = m.is_end;
	return 0;
}

/* One moved instruction with the prologues of its sites, from *site on. */
static int add_insn(const struct stub_request *req, const struct insn *in,
		    uint32_t *site, struct stub *s, bool *is_end)
{
	const struct hook_plan *plan = req->plan;
	uint64_t at = in->addr.v - plan->patch.v;

	for (; *site < plan->nsites && plan->sites[*site].at == at; (*site)++) {
		int err;

		if (plan->sites[*site].on_taken)
			return add_taken(req, (*site)++, in, s);
		err = add_prologue(req, *site, in->addr, s);
		if (err)
			return err;
	}
	return add_moved(req, in, s, is_end);
}

/* The bytes have been chosen: each head has a jump where it leads to. */
static int emit_chain(const struct stub_request *req, struct stub *s)
{
	const struct hook_plan *plan = req->plan;

	static_assert(HOOK_HEADS_MAX * HOOK_JUMP <= HOOK_COVERED_MAX, "all landings");
	if (!req->chain || !chain_is_written(plan, req->chain))
		return STATUS_INVAL;
	bytes_copy(s->patch, req->chain, hook_plan_patched(plan));
	for (uint32_t i = 0; i < plan->nheads; i++) {
		taddr landing = hook_chain_landing(plan, s->patch, i);
		int err = emit_jmp_rel32(landing, taddr_add(req->stub, s->heads[i]),
					 s->island + (size_t)i * HOOK_JUMP);

		if (err)
			return err;
	}
	return 0;
}

/* One byte is ours: the displacement is what follows it. */
static int emit_pun(const struct stub_request *req, struct stub *s)
{
	const struct hook_plan *plan = req->plan;

	if (plan->island.at.v != hook_pun_target(plan).v || plan->island.entry ||
	    plan->island.ninsns)
		return STATUS_INVAL;
	bytes_copy(s->patch, plan->original, HOOK_JUMP);
	s->patch[0] = 0xe9;
	return emit_jmp_rel32(plan->island.at, req->stub, s->island);
}

/* The way into the stub: by an island if the plan has one. */
static int emit_patch(const struct stub_request *req, struct stub *s)
{
	const struct hook_plan *plan = req->plan;
	taddr island = hook_island_entry(&plan->island);
	int64_t distance = (int64_t)(island.v - plan->patch.v - HOOK_SHORT);

	if (plan->tactic == HOOK_JMP_PUN)
		return emit_pun(req, s);
	if (plan->tactic == HOOK_JMP_CHAIN)
		return emit_chain(req, s);
	if (plan->tactic != HOOK_JMP_SHORT)
		return emit_jmp_rel32(plan->patch, req->stub, s->patch);
	s->patch[0] = 0xeb;
	s->patch[1] = (uint8_t)distance;
	if (distance != (int8_t)distance ||
	    hook_island_written(&plan->island) > plan->island.covered ||
	    (plan->covered == 1 && s->patch[1] != plan->original[1]))
		return STATUS_INVAL;
	return emit_jmp_rel32(island, req->stub, s->island + plan->island.entry);
}

/* The instructions that made room for the island, after everything else. */
static int build_host(const struct stub_request *req, struct stub *s)
{
	const struct hook_island *island = &req->plan->island;
	taddr host = taddr_add(req->stub, s->n);
	bool is_end = false;
	struct insn in;
	size_t at = 0;
	int err = emit_jmp_rel32(island->at, host, s->island);

	if (island->entry < HOOK_JUMP || island->covered > HOOK_COVERED_MAX)
		return STATUS_INVAL;
	for (size_t i = HOOK_JUMP; i < island->covered; i++)
		s->island[i] = island->original[i];
	for (size_t i = 0; !err && i < island->ninsns; i++) {
		if (is_end || decode(island->original + at, island->covered - at,
				     taddr_add(island->at, (int64_t)at), &in) != 0)
			return STATUS_INVAL;
		err = add_moved(req, &in, s, &is_end);
		at += in.len;
	}
	return err || is_end ? err
			     : add_jmp(req, taddr_add(island->at, island->covered), s);
}

/* Whether a head begins `at` bytes from the patch on: notes where it comes to. */
static bool add_head(const struct hook_plan *plan, size_t at, uint32_t *head,
		     struct stub *s)
{
	if (*head >= plan->nheads || plan->heads[*head] != at)
		return false;
	s->heads[(*head)++] = s->n;
	return true;
}

static int build_jmp(const struct stub_request *req, struct stub *s)
{
	const struct hook_plan *plan = req->plan;
	uint32_t site = 0, head = 0;
	bool is_end = false;
	struct insn in;
	size_t at = 0;
	int err = 0;

	for (size_t i = 0; !err && i < plan->ninsns; i++) {
		if (add_head(plan, at, &head, s))
			is_end = false;
		/* what follows the end of a head is padding, up to the next one */
		if ((is_end && head == plan->nheads) ||
		    decode(plan->original + at, plan->covered - at,
			   taddr_add(plan->patch, (int64_t)at), &in) != 0)
			return STATUS_INVAL;
		err = add_insn(req, &in, &site, s, &is_end);
		at += in.len;
	}
	if (!err && (site < plan->nsites || head < plan->nheads))
		return STATUS_INVAL;
	if (!err && !is_end)
		err = add_jmp(req, taddr_add(plan->patch, plan->covered), s);
	if (!err && plan->island.ninsns)
		err = build_host(req, s);
	return err ? err : emit_patch(req, s);
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
	err = add_prologue(req, 0, in.target, s);
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
	if (!req->plan->nsites || req->plan->nsites > HOOK_SITES_MAX)
		return STATUS_INVAL;
	switch (req->plan->tactic) {
	case HOOK_JMP:
	case HOOK_JMP_SHORT:
	case HOOK_JMP_PUN:
	case HOOK_JMP_CHAIN:
		return build_jmp(req, out);
	case HOOK_CALL:
		return build_call(req, out);
	default:
		return STATUS_INVAL;
	}
}

/* The field at an offset, when the stub is so far from where it was built. */
static int shift_field(struct stub *s, size_t at, int64_t by)
{
	int64_t v = (int32_t)bytes_load(s->bytes + at, 4) + by;

	if (v != (int32_t)v)
		return STATUS_RANGE;
	bytes_store(s->bytes + at, (uint64_t)v, 4);
	return 0;
}

/* Whether all that depends on the place is in prologues, fields and the patch. */
static bool can_place(const struct hook_plan *plan, const struct stub *s)
{
	return !s->is_fixed && !plan->island.ninsns &&
	       (plan->tactic == HOOK_JMP || plan->tactic == HOOK_JMP_SHORT ||
		plan->tactic == HOOK_CALL);
}

int stub_place(const struct stub_request *req, taddr from, struct stub *s)
{
	const struct hook_plan *plan = req->plan;
	int err = can_place(plan, s) ? 0 : STATUS_UNSUP;

	for (size_t i = 0; !err && i < s->nfields; i++)
		err = shift_field(s, s->fields[i], (int64_t)(from.v - req->stub.v));
	for (uint32_t i = 0; !err && i < plan->nsites; i++)
		err = write_prologue(req, i, s->prologues[i], s);
	if (err)
		return err;
	if (plan->tactic != HOOK_CALL)
		return emit_patch(req, s);
	err = emit_jmp_rel32(plan->patch, req->stub, s->patch);
	s->patch[0] = plan->original[0];
	return err;
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
	const struct hook_island *island = &plan->island;
	bool is_in_host = island->ninsns && pc.v > island->at.v &&
			  pc.v < island->at.v + island->covered;

	if (!is_in_host &&
	    (pc.v <= plan->patch.v || pc.v >= plan->patch.v + plan->covered))
		return -1;
	for (size_t i = 0; i < s->npoints; i++) {
		const struct stub_point *p = &s->points[i];

		if (p->pc.v == pc.v && !p->sp_fix && !p->is_spilled)
			return p->at;
	}
	return -1;
}
