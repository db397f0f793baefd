/* SPDX-License-Identifier: MIT */
/*
 * How much memory the buffers need for each nominal byte (image/nominal.c): so much that
 * the nominal sizes are the limit.
 */
#include "vm/block/layout.h"
#include "vm/isa.h"
#include "vm/record.h"
#include "vm/vm.h"

#define LENGTH_BYTES 4u /* in a tuple, before a string or a struct */

/* The most that a field takes in a tuple. */
static uint64_t most_bytes(const void *image, const struct program_field *f)
{
	uint32_t bytes = f->kind == KIND_STR ? program_header(image)->strsize : f->size;

	if (f->kind == KIND_INT)
		return 8;
	return align_up(LENGTH_BYTES + bytes, 8);
}

static uint64_t most_of_fields(const void *image, uint32_t first, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = first; i < first + n; i++)
		bytes += most_bytes(image, program_field(image, i));
	return bytes;
}

static uint64_t most_of_record(const void *image, const struct program_clause *c)
{
	const insn_t *code = program_section(image, SECTION_CODE);
	uint64_t n = sizeof(struct record);

	for (uint32_t i = c->first; i < c->first + c->count; i++) {
		const struct program_action *a;

		if (isa_op(code[i]) != OP_REC)
			continue;
		a = program_action(image, (uint32_t)isa_imm(code[i]));
		n += sizeof(struct record_item) +
		     most_of_fields(image, a->first_field, a->nfields);
	}
	return n;
}

static uint32_t ratio(uint64_t real, uint64_t nominal)
{
	return nominal ? (uint32_t)min_u64(UINT32_MAX, (real + nominal - 1) / nominal)
		       : 1;
}

uint32_t program_record_growth(const void *image)
{
	uint32_t most = ratio(sizeof(struct record) + sizeof(struct record_fault),
			      RECORD_FAULT_NOMINAL);

	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++) {
		const struct program_clause *c = program_clause(image, i);

		most = max_u32(most, ratio(most_of_record(image, c), c->nominal));
	}
	return most;
}

uint32_t program_variable_growth(const void *image)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < program_count(image, SECTION_VAR); i++) {
		const struct program_var *v = program_var(image, i);
		uint64_t n = most_bytes(image, &v->value) +
			     most_of_fields(image, v->first_key, v->nkeys);

		if (v->scope != SCOPE_GLOBAL && v->scope != SCOPE_THIS)
			most = max_u32(most, ratio((uint64_t)cells_for(n) * CELL_BYTES,
						   v->nominal));
	}
	return most;
}
