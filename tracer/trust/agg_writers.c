/* SPDX-License-Identifier: MIT */
#include "tracer/trust/agg_writers.h"
#include "vm/base/host/vec.h"
#include "vm/isa.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const struct agg_writer *x = a, *y = b;

	if (x->agg != y->agg)
		return x->agg < y->agg ? -1 : 1;
	return (x->clause > y->clause) - (x->clause < y->clause);
}

void agg_writers_find(struct agg_writers *w, const void *image)
{
	const insn_t *code = program_section(image, SECTION_CODE);

	*w = (struct agg_writers){0};
	for (uint32_t i = 0; i < program_count(image, SECTION_CLAUSE); i++) {
		const struct program_clause *clause = program_clause(image, i);

		for (uint32_t k = 0; k < clause->count; k++) {
			insn_t in = code[clause->first + k];

			if (isa_op(in) == OP_AGGR)
				*vec_push(w) =
					(struct agg_writer){(uint32_t)isa_imm(in), i};
		}
	}
	if (w->len)
		qsort(w->data, w->len, sizeof(*w->data), compare);
}

bool agg_writers_have(const struct agg_writers *w, uint32_t agg, uint32_t clause)
{
	const struct agg_writer key = {agg, clause};

	return w->len && bsearch(&key, w->data, w->len, sizeof(key), compare);
}
