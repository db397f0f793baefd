/* SPDX-License-Identifier: MIT */
#include "vm/image/clause_effects.h"
#include "vm/isa.h"
#include "vm/vm.h"

enum effect {
	EFFECT_CONSTANT,  /* the same result at every firing */
	EFFECT_BUILTIN,	  /* that of the built-in it names */
	EFFECT_AGGREGATE, /* updates the aggregation it names */
	EFFECT_READS,	  /* loads memory of the target */
	EFFECT_SHARED,	  /* uses a variable that all processes of the run share */
	EFFECT_CALL,	  /* that of the subroutine it names */
	EFFECT_OTHER,
};

static const uint8_t effects[] = {
#define OP(name, format, effect, text) EFFECT_##effect,
#include "vm/ops.def"
#undef OP
};

static const uint8_t subr_flags[] = {
#define SUBR(name, result, proto, least, most, contexts, flags) SUBR_##flags,
#include "vm/subr.def"
#undef SUBR
};

static enum effect effect_of(insn_t in)
{
	return (enum effect)effects[isa_op(in)];
}

static bool reads_target(insn_t in)
{
	if (effect_of(in) == EFFECT_CALL)
		return subr_flags[isa_imm(in)] & SUBR_READS;
	return effect_of(in) == EFFECT_READS;
}

bool program_reads_target(const void *image, const struct program_clause *clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	for (uint32_t i = 0; i < clause->count; i++)
		if (reads_target(code[clause->first + i]))
			return true;
	return false;
}

static bool is_speculation(int32_t subr)
{
	return subr == SUBR_speculation || subr == SUBR_speculate ||
	       subr == SUBR_commit || subr == SUBR_discard;
}

bool vm_shares_variables(const void *image)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	for (uint32_t i = 0; i < program_count(image, SECTION_CODE); i++) {
		enum effect effect = effect_of(code[i]);

		if (effect == EFFECT_SHARED ||
		    (effect == EFFECT_CALL && is_speculation(isa_imm(code[i]))))
			return true;
	}
	return false;
}

bool program_stops(const void *image, const struct program_clause *clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	for (uint32_t i = 0; i < clause->count; i++)
		if (isa_op(code[clause->first + i]) == OP_STOP)
			return true;
	return false;
}

uint32_t program_arguments(const void *image, const struct program_clause *clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	uint32_t used = 0;

	for (uint32_t i = 0; i < clause->count; i++) {
		insn_t in = code[clause->first + i];
		uint32_t id = (uint32_t)isa_imm(in) - BUILTIN_arg0;

		if (isa_op(in) == OP_BI && id <= BUILTIN_arg9 - BUILTIN_arg0)
			used |= UINT32_C(1) << id;
	}
	return used;
}

/* What is the same at every firing of one clause for one probe. */
static bool is_constant_builtin(uint32_t id)
{
	switch (id) {
	case BUILTIN_probeprov:
	case BUILTIN_probemod:
	case BUILTIN_probefunc:
	case BUILTIN_probename:
	case BUILTIN_id:
	case BUILTIN_epid:
		return true;
	default:
		return false;
	}
}

static bool is_count(const void *image, int32_t agg)
{
	return program_agg(image, (uint32_t)agg)->func == AGG_count;
}

bool program_is_constant(const void *image, const struct program_clause *clause)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	uint32_t counts = 0;

	for (uint32_t i = 0; i < clause->count; i++) {
		insn_t in = code[clause->first + i];

		switch (effect_of(in)) {
		case EFFECT_CONSTANT:
			break;
		case EFFECT_BUILTIN:
			if (!is_constant_builtin((uint32_t)isa_imm(in)))
				return false;
			break;
		case EFFECT_AGGREGATE:
			if (!is_count(image, isa_imm(in)))
				return false;
			counts++;
			break;
		default:
			return false;
		}
	}
	return counts == 1;
}

void program_mark_constant(void *image)
{
	const struct program_header *h = program_header(image);
	struct program_clause *clauses =
		(void *)((char *)image + h->section[SECTION_CLAUSE].offset);

	for (uint32_t i = 0; i < h->section[SECTION_CLAUSE].count; i++)
		if (program_is_constant(image, &clauses[i]))
			clauses[i].flags |= CLAUSE_CONSTANT;
}

bool vm_may_count(const void *image)
{
	bool may = false;

	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++)
		may |= (program_clause(image, i)->flags & CLAUSE_CONSTANT) != 0;
	return may;
}
