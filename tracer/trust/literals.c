/* SPDX-License-Identifier: MIT */
/*
 * A literal is pushed by "LS r, text; TPS r" in one piece: no path leads to TPS alone.
 * Whatever looks different is not taken for one.
 */
#include "tracer/trust/literals.h"
#include "vm/base/host/oom.h"
#include "vm/isa.h"
#include "vm/program.h"

#include <stdlib.h>

/* A tuple whose elements are being pushed. */
struct tuple {
	uint32_t n;
	uint64_t literals;
};

struct scan {
	const insn_t *code; /* of the clause */
	bool *is_target;    /* by instruction: a jump leads to it */
	uint64_t *literals; /* by action */
	uint32_t depth;
	struct tuple tuples[ISA_TUPLES];
};

static bool is_literal(const struct scan *s, uint32_t i)
{
	return isa_op(s->code[i]) == OP_TPS && i > 0 && !s->is_target[i] &&
	       isa_op(s->code[i - 1]) == OP_LS &&
	       isa_a(s->code[i - 1]) == isa_a(s->code[i]);
}

static void push(struct scan *s, uint32_t i)
{
	struct tuple *t;

	if (s->depth == 0)
		return;
	t = &s->tuples[s->depth - 1];
	if (t->n < 64 && is_literal(s, i))
		t->literals |= UINT64_C(1) << t->n;
	t->n++;
}

/* The innermost tuple ends; what it was when it is recorded. */
static void pop(struct scan *s)
{
	if (s->depth > 0)
		s->depth--;
}

static void record(struct scan *s, uint32_t action)
{
	if (s->depth > 0)
		s->literals[action] &= s->tuples[s->depth - 1].literals;
	pop(s);
}

static void step(struct scan *s, uint32_t i)
{
	insn_t in = s->code[i];

	switch (isa_op(in)) {
	case OP_TUP:
		if (s->depth < ISA_TUPLES)
			s->tuples[s->depth++] = (struct tuple){0};
		break;
	case OP_TPI:
	case OP_TPS:
	case OP_TPB:
		push(s, i);
		break;
	case OP_LDD:
	case OP_STD:
		if (!isa_c(in))
			pop(s);
		break;
	case OP_LDDP:
	case OP_STDP:
	case OP_AGGR:
		pop(s);
		break;
	case OP_REC:
		record(s, (uint32_t)isa_imm(in));
		break;
	default:
		break;
	}
}

static void mark_targets(struct scan *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned op = isa_op(s->code[i]);

		if (op == OP_JMP || op == OP_JZ || op == OP_JNZ)
			s->is_target[i + 1 + (uint32_t)isa_imm(s->code[i])] = true;
	}
}

static void scan_clause(const void *image, const struct program_clause *c,
			uint64_t *literals)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	struct scan s = {.code = code + c->first, .literals = literals};

	s.is_target = oom_calloc(c->count, sizeof(*s.is_target));
	mark_targets(&s, c->count);
	for (uint32_t i = 0; i < c->count; i++)
		step(&s, i);
	free(s.is_target);
}

uint64_t *literals_new(const void *image)
{
	uint32_t n = program_count(image, SECTION_ACTION);
	uint64_t *literals = oom_calloc((size_t)n + 1, sizeof(*literals));

	for (uint32_t i = 0; i < n; i++)
		literals[i] = UINT64_MAX;
	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++)
		scan_clause(image, program_clause(image, i), literals);
	return literals;
}
