/* SPDX-License-Identifier: MIT */
/*
 * Nominal sizes: what bufsize, aggsize, dynvarsize and specsize count. They are those of
 * DTrace's layout, not of ours, so that a size holds as many records as users expect:
 *
 *	record		12 bytes of header | data of each action; rounded up to 4
 *	element		12 bytes of header | keys | value, a multiple of 8
 *	variable	self->: value; array element: 8 bytes | keys | value
 *
 * In records and elements each datum lies at a multiple of its size, at most 8. A string
 * takes strsize.
 */
#include "vm/isa.h"
#include "vm/vm.h"

#define HEADER 12u

static uint64_t datum_bytes(const void *image, const struct program_field *f)
{
	if (f->kind == KIND_STR)
		return program_header(image)->strsize;
	switch (f->show) {
	case SHOW_STACK: /* DTrace has no process in it, nor in a symbol's address */
	case SHOW_SYM:
	case SHOW_MOD:
		return f->size > 8 ? f->size - 8 : f->size;
	default:
		return f->size;
	}
}

static uint64_t alignment(const struct program_field *f)
{
	if (f->kind == KIND_STR)
		return 1;
	return f->size % 8 == 0 ? 8 : f->size & -f->size;
}

/* Where the data ends that begins at a multiple of the fields' sizes after at. */
static uint64_t after_fields(const void *image, uint64_t at, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++) {
		const struct program_field *f = program_field(image, i);

		at = align_up(at, alignment(f)) + datum_bytes(image, f);
	}
	return at;
}

/* An aggregation that an action names is a number of 4 bytes. */
static uint64_t after_action(const void *image, uint64_t at,
			     const struct program_action *a)
{
	if (a->noperands)
		at = align_up(at, 4) + a->noperands * UINT64_C(4);
	return after_fields(image, at, a->first_field, a->nfields);
}

static uint32_t saturated(uint64_t n)
{
	return (uint32_t)min_u64(n, UINT32_MAX);
}

static bool begins_record(insn_t i)
{
	enum isa_op op = (enum isa_op)isa_op(i);

	return op == OP_REC || op == OP_RECE ||
	       (op == OP_CALL && isa_imm(i) == SUBR_speculate);
}

static uint32_t record_bytes(const void *image, const struct program_clause *c)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	bool records = false;
	uint64_t at = HEADER;

	for (uint32_t i = c->first; i < c->first + c->count; i++) {
		records |= begins_record(code[i]);
		if (isa_op(code[i]) == OP_REC)
			at = after_action(
				image, at,
				program_action(image, (uint32_t)isa_imm(code[i])));
	}
	return records ? saturated(align_up(at, 4)) : 0;
}

static uint32_t element_bytes(const void *image, const struct program_agg *a)
{
	uint64_t at = after_fields(image, HEADER, a->first_key, a->nkeys);

	return saturated(align_up(at, 8) + a->words * UINT64_C(8));
}

static uint32_t variable_bytes(const void *image, const struct program_var *v)
{
	uint64_t n = datum_bytes(image, &v->value);

	for (uint32_t i = 0; i < v->nkeys; i++)
		n += datum_bytes(image, program_field(image, v->first_key + i));
	return saturated(v->nkeys ? n + 8 : n);
}

static void *table(void *image, enum program_section_id s)
{
	return (char *)image + program_header(image)->section[s].offset;
}

void program_set_nominal(void *image)
{
	struct program_clause *clauses = table(image, SECTION_CLAUSE);
	struct program_agg *aggs = table(image, SECTION_AGG);
	struct program_var *vars = table(image, SECTION_VAR);

	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++)
		clauses[i].nominal = record_bytes(image, &clauses[i]);
	for (uint32_t i = 0; i < program_count(image, SECTION_AGG); i++)
		aggs[i].nominal = element_bytes(image, &aggs[i]);
	for (uint32_t i = 0; i < program_count(image, SECTION_VAR); i++)
		vars[i].nominal = variable_bytes(image, &vars[i]);
}
