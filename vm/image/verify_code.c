/* SPDX-License-Identifier: MIT */
/*
 * Proves the code of one clause in one pass from top to bottom: jumps only go
 * forward, so when an instruction is reached everything that can lead to it
 * has been seen. A flow is what holds on every path so far; the flow of a jump
 * waits in a small table until its target is reached.
 */
#include "vm/image/verify.h"
#include "vm/base/hash.h"
#include "vm/builtin.h"
#include "vm/operand_format.h"

#define PENDING_MAX 256u

/* What is known before an instruction. */
struct flow {
	bool is_reached;
	uint32_t defined;	    /* bit N: register N was written on every path */
	uint32_t depth;		    /* tuples under construction */
	uint64_t shape[ISA_TUPLES]; /* of each: a digest of its elements */
};

struct pending {
	uint32_t target;
	struct flow flow;
};

struct checker {
	struct verifier *v;
	uint32_t at, end; /* absolute instructions */
	struct flow now;
	uint32_t npending;
	struct pending pending[PENDING_MAX];
};

static const struct {
	uint8_t least, most;
} subr_args[] = {
#define SUBR(name, result, proto, least, most, contexts, flags) {least, most},
#include "vm/subr.def"
#undef SUBR
};

static int fail(struct checker *k, const char *text)
{
	return verify_fail(k->v, k->at, text);
}

static uint64_t shape_add(uint64_t shape, uint32_t kind, uint32_t size)
{
	if (kind == KIND_STR)
		size = 0;
	return hash_u64(shape ^ ((uint64_t)kind + 1) << 32 ^ size);
}

static uint64_t shape_of(const struct checker *k, uint32_t first, uint32_t n)
{
	uint64_t shape = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct program_field *f = program_field(k->v->image, first + i);

		shape = shape_add(shape, f->kind, f->size);
	}
	return shape;
}

/* Makes into hold what holds on both ways; false when tuples differ. */
static bool join(struct flow *into, const struct flow *from)
{
	if (!from->is_reached)
		return true;
	if (!into->is_reached) {
		*into = *from;
		return true;
	}
	into->defined &= from->defined;
	if (into->depth != from->depth)
		return false;
	for (uint32_t i = 0; i < into->depth; i++)
		if (into->shape[i] != from->shape[i])
			return false;
	return true;
}

/* The flow of a jump waits for its target. */
static int add_pending(struct checker *k, uint32_t target)
{
	struct pending *p = k->pending;

	for (; p < k->pending + k->npending; p++)
		if (p->target == target)
			return join(&p->flow, &k->now)
				       ? 0
				       : fail(k, "paths meet with different tuples");
	if (k->npending == PENDING_MAX)
		return fail(k, "too many branches open at once");
	*p = (struct pending){target, k->now};
	k->npending++;
	return 0;
}

/* The flows that waited for this instruction arrive. */
static int arrive(struct checker *k)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < k->npending; i++) {
		const struct pending *p = &k->pending[i];

		if (p->target != k->at)
			k->pending[kept++] = *p;
		else if (!join(&k->now, &p->flow))
			return fail(k, "paths meet with different tuples");
	}
	k->npending = kept;
	return 0;
}

static bool is_defined(const struct checker *k, uint32_t reg)
{
	return !k->now.is_reached || k->now.defined >> reg & 1;
}

/* One of the three small fields of an instruction. */
static int check_small(struct checker *k, enum operand_use use, uint32_t value)
{
	switch (use) {
	case OPERAND_DEF:
	case OPERAND_USE:
	case OPERAND_FIRST:
		if (value >= ISA_REGS)
			return fail(k, "no such register");
		if (use == OPERAND_USE && !is_defined(k, value))
			return fail(k, "register used before it is set");
		return 0;
	case OPERAND_SIZE:
		return is_size(value) ? 0 : fail(k, "bad size");
	case OPERAND_ACCESS:
		return is_size(value & ~(uint32_t)ISA_SIGNED) ? 0 : fail(k, "bad size");
	case OPERAND_KEEP:
		return value <= 1 ? 0 : fail(k, "bad keep field");
	case OPERAND_ARGC:
		return 0;
	default:
		return value == 0 ? 0 : fail(k, "unused field is not zero");
	}
}

static int check_index(struct checker *k, uint32_t index, enum program_section_id s)
{
	return index < program_count(k->v->image, s) ? 0 : fail(k, "no such entry");
}

static int check_imm(struct checker *k, enum operand_use use, int32_t imm)
{
	uint32_t index = (uint32_t)imm;

	switch (use) {
	case OPERAND_NUMBER:
		return 0;
	case OPERAND_CONST:
		return check_index(k, index, SECTION_CONST);
	case OPERAND_STR:
		return check_index(k, index, SECTION_STR);
	case OPERAND_VAR:
		return check_index(k, index, SECTION_VAR);
	case OPERAND_AGG:
		return check_index(k, index, SECTION_AGG);
	case OPERAND_ACTION:
		return check_index(k, index, SECTION_ACTION);
	case OPERAND_BUILTIN:
		return index < BUILTIN_COUNT ? 0 : fail(k, "no such built-in");
	case OPERAND_SUBR:
		return index < SUBR_COUNT ? 0 : fail(k, "no such subroutine");
	case OPERAND_JUMP:
		return index < k->end - k->at - 1 ? 0 : fail(k, "bad jump");
	default:
		return imm == 0 ? 0 : fail(k, "unused field is not zero");
	}
}

static int check_call(struct checker *k, insn_t i)
{
	uint32_t first = isa_b(i), n = isa_c(i), subr = (uint32_t)isa_imm(i);

	if (n < subr_args[subr].least || n > subr_args[subr].most)
		return fail(k, "wrong number of arguments");
	if (first + n > ISA_REGS)
		return fail(k, "no such register");
	for (uint32_t r = first; r < first + n; r++)
		if (!is_defined(k, r))
			return fail(k, "register used before it is set");
	return 0;
}

static int check_builtin(struct checker *k, insn_t i)
{
	bool is_indexed = builtin_source((enum builtin)isa_imm(i)) == SOURCE_INDEXED;

	return is_indexed == (isa_op(i) == OP_BIX) ? 0
						   : fail(k, "wrong kind of built-in");
}

static int check_scope(struct checker *k, insn_t i)
{
	const struct program_var *v = program_var(k->v->image, (uint32_t)isa_imm(i));
	bool is_right;

	switch (isa_op(i)) {
	case OP_LDG:
	case OP_STG:
		is_right = v->scope == SCOPE_GLOBAL && isa_c(i) == 0;
		break;
	case OP_LDGP:
	case OP_STGP:
		is_right = v->scope == SCOPE_GLOBAL && v->value.kind == KIND_BYTES;
		break;
	case OP_LDGA:
		is_right = v->scope == SCOPE_GLOBAL && v->value.kind == KIND_BYTES &&
			   (uint32_t)isa_imm(i) < VM_ADDR_GLOBALS_MAX && isa_c(i) == 0;
		break;
	case OP_LDDA:
		is_right = v->scope == SCOPE_SELF && v->value.kind == KIND_BYTES &&
			   isa_c(i) == 0;
		break;
	case OP_LDDP:
	case OP_STDP:
		is_right = v->scope != SCOPE_GLOBAL && v->scope != SCOPE_THIS &&
			   v->value.kind == KIND_BYTES;
		break;
	case OP_LDT:
	case OP_STT:
		is_right = v->scope == SCOPE_THIS && isa_c(i) == 0;
		break;
	default:
		is_right = v->scope != SCOPE_GLOBAL && v->scope != SCOPE_THIS;
	}
	return is_right ? 0 : fail(k, "wrong kind of variable");
}

static int begin_tuple(struct checker *k)
{
	if (k->now.depth == ISA_TUPLES)
		return fail(k, "tuples nested too deep");
	k->now.shape[k->now.depth++] = 0;
	return 0;
}

static int push(struct checker *k, uint32_t kind, uint32_t size)
{
	uint64_t *top;

	if (k->now.depth == 0)
		return fail(k, "no tuple");
	top = &k->now.shape[k->now.depth - 1];
	*top = shape_add(*top, kind, size);
	return 0;
}

/* The innermost tuple is used for these fields, and ends unless kept. */
static int use_tuple(struct checker *k, uint32_t first, uint32_t n, bool keep)
{
	if (k->now.depth == 0)
		return fail(k, "no tuple");
	if (k->now.shape[k->now.depth - 1] != shape_of(k, first, n))
		return fail(k, "tuple does not match its fields");
	k->now.depth -= !keep;
	return 0;
}

static int check_dynamic(struct checker *k, insn_t i, bool keep)
{
	const struct program_var *v = program_var(k->v->image, (uint32_t)isa_imm(i));
	int rc = check_scope(k, i);

	return rc ? rc : use_tuple(k, v->first_key, v->nkeys, keep);
}

static int check_aggr(struct checker *k, insn_t i)
{
	const struct program_agg *a = program_agg(k->v->image, (uint32_t)isa_imm(i));

	return use_tuple(k, a->first_key, a->nkeys, false);
}

static int check_record(struct checker *k, insn_t i)
{
	const struct program_action *a =
		program_action(k->v->image, (uint32_t)isa_imm(i));

	return use_tuple(k, a->first_field, a->nfields, false);
}

static int check_bytes(struct checker *k, insn_t i)
{
	if (isa_imm(i) <= 0)
		return fail(k, "bad size");
	return push(k, KIND_BYTES, (uint32_t)isa_imm(i));
}

/* What an instruction needs beyond its form; its effect on tuples. */
static int check_meaning(struct checker *k, insn_t i)
{
	switch (isa_op(i)) {
	case OP_BI:
	case OP_BIX:
		return check_builtin(k, i);
	case OP_LDG:
	case OP_STG:
	case OP_LDT:
	case OP_STT:
	case OP_LDGP:
	case OP_STGP:
	case OP_LDGA:
		return check_scope(k, i);
	case OP_TUP:
		return begin_tuple(k);
	case OP_TPI:
		return push(k, KIND_INT, isa_c(i));
	case OP_TPS:
		return push(k, KIND_STR, 0);
	case OP_TPB:
		return check_bytes(k, i);
	case OP_LDD:
	case OP_STD:
		return check_dynamic(k, i, isa_c(i));
	case OP_LDDA:
	case OP_LDDP:
	case OP_STDP:
		return check_dynamic(k, i, false);
	case OP_AGGR:
		return check_aggr(k, i);
	case OP_REC:
		return check_record(k, i);
	case OP_CALL:
		return check_call(k, i);
	default:
		return 0;
	}
}

static int check_form(struct checker *k, insn_t i)
{
	const struct operand_format *form = operand_format_of((enum isa_op)isa_op(i));
	int rc = check_small(k, form->a, isa_a(i));

	if (rc == 0)
		rc = check_small(k, form->b, isa_b(i));
	if (rc == 0)
		rc = check_small(k, form->c, isa_c(i));
	return rc ? rc : check_imm(k, form->imm, isa_imm(i));
}

/* Where control goes from here. */
static int leave(struct checker *k, insn_t i)
{
	const struct operand_format *form = operand_format_of((enum isa_op)isa_op(i));
	int rc = 0;

	if (form->a == OPERAND_DEF)
		k->now.defined |= UINT32_C(1) << isa_a(i);
	if (isa_op(i) == OP_END && k->now.is_reached && k->now.depth)
		return fail(k, "tuple not used at the end");
	if (form->imm == OPERAND_JUMP && k->now.is_reached)
		rc = add_pending(k, k->at + 1 + (uint32_t)isa_imm(i));
	if (isa_op(i) == OP_END || isa_op(i) == OP_JMP)
		k->now = (struct flow){.is_reached = false};
	return rc;
}

/* Code that no path reaches is only checked for its form: it never runs. */
static int check_insn(struct checker *k, insn_t i)
{
	int rc;

	if (isa_op(i) >= OP_COUNT)
		return fail(k, "no such instruction");
	rc = arrive(k);
	if (rc == 0)
		rc = check_form(k, i);
	if (rc == 0 && k->now.is_reached)
		rc = check_meaning(k, i);
	return rc ? rc : leave(k, i);
}

int verify_clause(struct verifier *v, const struct program_clause *clause)
{
	const insn_t *code = program_section(v->image, SECTION_CODE);
	struct checker k;

	k.v = v;
	k.at = clause->first;
	k.end = clause->first + clause->count;
	k.now = (struct flow){.is_reached = true};
	k.npending = 0;
	if (isa_op(code[k.end - 1]) != OP_END) {
		k.at = k.end - 1;
		return fail(&k, "clause does not end");
	}
	for (; k.at < k.end; k.at++) {
		int rc = check_insn(&k, code[k.at]);

		if (rc)
			return rc;
	}
	return 0;
}
