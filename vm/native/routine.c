/* SPDX-License-Identifier: MIT */
/*
 * One routine: the code of all clauses of a probe.
 *
 *	push	the registers that it uses
 *	mov	rbx = the struct native_call
 *	...	clause after clause
 *	pop	...
 *	ret
 *
 * A routine that calls nothing saves no register: it uses those that a call may change.
 */
#include "vm/base/bytes.h"
#include "vm/block/layout.h"
#include "vm/native/translation.h"
#include "vm/operand_format.h"

#include <string.h>

#define PLACES 5

static const enum x86_reg leaf_places[PLACES] = {X86_RSI, X86_R8, X86_R9, X86_R10,
						 X86_R11};
static const enum x86_reg kept_places[PLACES] = {X86_RBP, X86_R12, X86_R13, X86_R14,
						 X86_R15};

bool routine_takes_string(const char *text)
{
	const uint32_t most = TUPLE_BYTES / 4;

	return strnlen(text, most) < most;
}

/* ---- registers ---- */

static struct x86_mem spilled(const struct translation *t, unsigned r)
{
	return call_at(t, CALL_AT(r) + (int32_t)(r * sizeof(uint64_t)));
}

static bool is_pending(const struct translation *t, unsigned r)
{
	return t->known[r].what == KNOWN_CONSTANT && t->pending >> r & 1;
}

enum x86_reg translation_read(struct translation *t, unsigned r, enum x86_reg spare)
{
	if (is_pending(t, r)) {
		x86_constant(t->code, spare, t->known[r].value);
		return spare;
	}
	if (r < t->nplaces)
		return t->place[r];
	x86_load(t->code, spare, spilled(t, r));
	return spare;
}

void translation_move(struct translation *t, enum x86_reg to, unsigned r)
{
	x86_move(t->code, to, translation_read(t, r, to));
}

void translation_write(struct translation *t, unsigned r, enum x86_reg from)
{
	t->known[r] = (struct known_value){KNOWN_NOTHING, 0};
	if (r < t->nplaces)
		x86_move(t->code, t->place[r], from);
	else
		x86_store(t->code, spilled(t, r), from);
}

void translation_set(struct translation *t, unsigned r, uint64_t value)
{
	t->known[r] = (struct known_value){KNOWN_CONSTANT, value};
	t->pending |= UINT32_C(1) << r;
}

/* Where ways part or join: all registers have their values; rax changes. */
static void settle_constants(struct translation *t)
{
	for (unsigned r = 0; t->pending && r < ISA_REGS; r++) {
		const struct known_value known = t->known[r];

		if (!is_pending(t, r))
			continue;
		x86_constant(t->code, r < t->nplaces ? t->place[r] : X86_RAX,
			     known.value);
		if (r >= t->nplaces)
			x86_store(t->code, spilled(t, r), X86_RAX);
	}
	t->pending = 0;
}

void translation_load_id(struct translation *t, enum x86_reg to)
{
	if (t->light.is_on) {
		light_load_site(t);
		x86_and32(t->code, X86_RAX, NATIVE_SITE_PROBE);
		x86_add32(t->code, X86_RAX, 1);
		x86_move(t->code, to, X86_RAX);
		return;
	}
	x86_load(t->code, to, call_at(t, CALL_AT(probe)));
	x86_load32(t->code, to, (struct x86_mem){to, offsetof(struct vm_probe, id)});
}

void translation_call(struct translation *t, int32_t function)
{
	if (t->is_leaf)
		translation_fail(t);
	x86_move(t->code, X86_RDI, t->call);
	x86_call(t->code, call_at(t, function));
}

void translation_stop(struct translation *t, uint32_t jump)
{
	if (t->nstops == JUMPS_MAX)
		translation_fail(t);
	else
		t->stops[t->nstops++] = jump;
}

/* ---- control ---- */

static uint32_t strings_now(const struct translation *t)
{
	uint32_t strings = 0;

	for (unsigned r = 0; r < ISA_REGS; r++)
		if (translation_is_string(t, r))
			strings |= UINT32_C(1) << r;
	return strings;
}

static bool is_landed_at(const struct translation *t)
{
	for (uint32_t i = 0; i < t->njumps; i++)
		if (t->jumps[i].to == t->at)
			return true;
	return false;
}

/* The way on from here, if there is one, and those of all jumps to here. */
static void join_records(struct translation *t)
{
	bool is_joined = !t->is_dead;

	if (!t->is_dead)
		record_settle(t);
	for (uint32_t i = 0; i < t->njumps; i++) {
		if (t->jumps[i].to != t->at)
			continue;
		if (is_joined)
			record_join(t, &t->jumps[i].record);
		else
			t->record = t->jumps[i].record;
		is_joined = true;
	}
}

/* Jumps lead here: nothing is known but that some registers may have no code. */
static void land(struct translation *t)
{
	uint32_t strings = t->is_dead ? 0 : strings_now(t), kept = 0, n = t->njumps;
	bool has_effect = !t->is_dead && t->light.has_effect;

	if (!is_landed_at(t))
		return;
	if (!t->is_dead)
		settle_constants(t);
	t->pending = 0;
	join_records(t);
	for (uint32_t i = 0; i < n; i++) {
		if (t->jumps[i].to != t->at) {
			t->jumps[kept++] = t->jumps[i];
			continue;
		}
		strings |= t->jumps[i].strings;
		has_effect |= t->jumps[i].has_effect;
		x86_land(t->code, t->jumps[i].jump);
	}
	t->njumps = kept;
	t->is_dead = false;
	t->light.has_effect = has_effect;
	bytes_zero(t->light.owned, sizeof(t->light.owned));
	if (t->tuple.is_open)
		translation_fail(t);
	for (unsigned r = 0; r < ISA_REGS; r++)
		t->known[r].what = strings >> r & 1 ? KNOWN_MIXED : KNOWN_NOTHING;
}

/* The condition by which the instruction jumps; moves leave the flags as they are. */
static enum x86_condition condition_of(struct translation *t, insn_t i)
{
	const unsigned is_zero = isa_op(i) == OP_JZ;
	enum x86_reg r;

	if (t->is_decided) /* the lowest bit of a condition negates it */
		return (enum x86_condition)(t->decision ^ is_zero);
	r = translation_read(t, isa_a(i), X86_RAX);
	x86_alu(t->code, X86_TEST, r, r);
	return is_zero ? X86_EQUAL : X86_NOT_EQUAL;
}

static void jump(struct translation *t, insn_t i)
{
	struct waiting_jump *j = &t->jumps[t->njumps];

	if (t->njumps == JUMPS_MAX || t->tuple.is_open) {
		translation_fail(t);
		return;
	}
	settle_constants(t);
	record_settle(t);
	t->njumps++;
	j->record = t->record;
	j->to = t->at + 1 + (uint32_t)isa_imm(i);
	j->strings = strings_now(t);
	j->has_effect = t->light.has_effect;
	if (isa_op(i) == OP_JMP) {
		j->jump = x86_jump(t->code);
		t->is_dead = t->light.is_on;
		return;
	}
	j->jump = x86_jump_if(t->code, condition_of(t, i));
}

/* ---- instructions ---- */

/* A string that only has an address is for tuples. */
static bool uses_string(const struct translation *t, insn_t i)
{
	const struct operand_format *f = operand_format_of((enum isa_op)isa_op(i));

	if (isa_op(i) == OP_MOV || isa_op(i) == OP_TPS)
		return false;
	return (f->a == OPERAND_USE && translation_is_string(t, isa_a(i))) ||
	       (f->b == OPERAND_USE && translation_is_string(t, isa_b(i))) ||
	       (f->c == OPERAND_USE && translation_is_string(t, isa_c(i)));
}

static void instruction(struct translation *t, insn_t i)
{
	if (record_takes(t, i)) {
		translate_record(t, i);
		return;
	}
	switch ((int)isa_op(i)) {
	case OP_JMP:
	case OP_JZ:
	case OP_JNZ:
		jump(t, i);
		t->is_decided = false;
		break;
	case OP_TUP:
	case OP_TPI:
	case OP_TPS:
	case OP_AGGR:
	case OP_LDD:
	case OP_STD:
		translate_tuple(t, i);
		break;
	case OP_BI:
	case OP_LS:
	case OP_LDG:
	case OP_STG:
	case OP_LDT:
	case OP_STT:
		translate_variable(t, i);
		break;
	case OP_BIX:
	case OP_ULD:
	case OP_CALL:
		translate_target(t, i);
		break;
	default:
		translate_integer(t, i);
	}
}

/* What has no code in a light routine is an exit. */
static void instruction_or_exit(struct translation *t, insn_t i)
{
	const uint32_t n = t->code->n, written = t->code->written, njumps = t->njumps;
	const struct light_translation before = t->light;

	instruction(t, i);
	if (!t->failed)
		return;
	t->failed = false;
	t->code->n = n;
	t->code->written = written;
	t->njumps = njumps;
	t->light = before;
	light_exit(t);
}

static void next_instruction(struct translation *t, insn_t i)
{
	land(t);
	if (t->is_dead)
		return;
	if (uses_string(t, i))
		translation_fail(t);
	if (t->light.is_on)
		instruction_or_exit(t, i);
	else if (!t->failed)
		instruction(t, i);
}

static void translate_clause(struct translation *t, uint32_t number)
{
	const struct program_clause *clause = program_clause(t->image, number);
	const insn_t *code = program_section(t->image, SECTION_CODE);

	t->njumps = 0;
	t->tuple.is_open = false;
	t->clause = number;
	record_begin_clause(t, number);
	t->pending = 0;
	for (unsigned r = 0; r < ISA_REGS; r++)
		t->known[r].what = KNOWN_NOTHING;
	t->end = clause->first + clause->count - 1;
	for (t->at = clause->first; t->at < t->end && !t->failed; t->at++)
		next_instruction(t, code[t->at]);
	land(t);
	record_end_clause(t);
}

/* ---- the whole ---- */

/* What the code of all clauses uses. */
struct needs {
	uint32_t registers; /* of the machine: 0 to this */
	bool calls;	    /* maybe */
	bool asks;	    /* for a built-in variable once a firing */
};

static bool may_call(insn_t i)
{
	switch ((int)isa_op(i)) {
	case OP_AGGR:
	case OP_LDD:
	case OP_STD:
	case OP_ULD:
	case OP_CALL:
		return true;
	default:
		return false;
	}
}

/* Clauses of ERROR ask as well. */
static bool asks(insn_t i)
{
	const unsigned op = isa_op(i);

	return op == OP_ULD || op == OP_CALL ||
	       (op == OP_BI && native_once((uint32_t)isa_imm(i)) < NATIVE_ONCE);
}

static struct needs needs_of(const void *image, struct clause_list list)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	const bool records = record_is_made(image, list);
	struct needs n = {0, records, records};

	for (uint32_t k = 0; k < list.n; k++) {
		const struct program_clause *clause =
			program_clause(image, list.clause[k]);

		for (uint32_t i = 0; i < clause->count; i++) {
			insn_t insn = code[clause->first + i];

			n.registers = max_u32(n.registers, isa_a(insn) + 1);
			n.calls |= may_call(insn) || asks(insn);
			n.asks |= asks(insn);
		}
	}
	return n;
}

/* Clause-locals that the clauses use are 0 at the beginning of a firing. */
static void zero_locals(struct translation *t, struct clause_list list)
{
	const insn_t *code = program_section(t->image, SECTION_CODE);

	for (uint32_t k = 0; k < list.n; k++) {
		const struct program_clause *clause =
			program_clause(t->image, list.clause[k]);

		for (uint32_t i = 0; i < clause->count; i++) {
			insn_t insn = code[clause->first + i];
			uint32_t var = (uint32_t)isa_imm(insn);
			int32_t at;

			if (isa_op(insn) != OP_LDT && isa_op(insn) != OP_STT)
				continue;
			at = (int32_t)program_var(t->image, var)->storage * 8;
			x86_load(t->code, X86_RCX, call_at(t, CALL_AT(locals)));
			x86_store_constant(t->code, (struct x86_mem){X86_RCX, at}, 0);
		}
	}
}

static uint32_t first_update(const void *image, struct clause_list list)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	for (uint32_t k = 0; k < list.n; k++) {
		const struct program_clause *p = program_clause(image, list.clause[k]);

		for (uint32_t i = p->first; i < p->first + p->count; i++)
			if (isa_op(code[i]) == OP_AGGR)
				return i;
	}
	return UINT32_MAX;
}

void translate_clauses(struct translation *t, struct clause_list list)
{
	t->update = first_update(t->image, list);
	zero_locals(t, list);
	target_find_spot(t, list);
	for (uint32_t i = 0; i < list.n && !t->failed; i++) {
		t->enabling = i;
		translate_clause(t, list.clause[i]);
	}
}

/* Registers saved, and the stack a multiple of 16 at calls. */
static void enter(struct translation *t)
{
	if (t->is_leaf)
		return;
	x86_push(t->code, X86_RBX);
	for (uint32_t i = 0; i < t->nplaces; i++)
		x86_push(t->code, t->place[i]);
	if (t->nplaces % 2)
		x86_add_rsp(t->code, -8);
	x86_move(t->code, X86_RBX, X86_RDI);
}

static void leave(struct translation *t)
{
	for (uint32_t i = 0; i < t->nstops; i++)
		x86_land(t->code, t->stops[i]);
	if (!t->is_leaf) {
		if (t->nplaces % 2)
			x86_add_rsp(t->code, 8);
		for (uint32_t i = t->nplaces; i-- > 0;)
			x86_pop(t->code, t->place[i]);
		x86_pop(t->code, X86_RBX);
	}
	x86_ret(t->code);
}

bool routine_translate(const struct routine_request *r, struct x86_code *out)
{
	struct needs needs = needs_of(r->image, r->clauses);
	struct translation t = {
		.image = r->image,
		.name_most = r->name_most,
		.code = out,
		.site = r->site,
		.is_leaf = !needs.calls,
		.nplaces = min_u32(needs.registers, PLACES),
		.call = needs.calls ? X86_RBX : X86_RDI,
		.records = record_is_made(r->image, r->clauses),
	};

	out->n = out->written = 0;
	out->full = false;
	for (uint32_t i = 0; i < t.nplaces; i++)
		t.place[i] = needs.calls ? kept_places[i] : leaf_places[i];
	enter(&t);
	if (needs.asks)
		x86_store32_constant(out, call_at(&t, CALL_AT(asked)), 0);
	if (t.records)
		record_reserve_all(&t, r->clauses);
	translate_clauses(&t, r->clauses);
	leave(&t);
	return !t.failed && !out->full;
}
