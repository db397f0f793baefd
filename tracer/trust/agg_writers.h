/* SPDX-License-Identifier: MIT */
/*
 * Which clauses update an aggregation, by their code.
 */
#ifndef TRACER_TRUST_AGG_WRITERS_H
#define TRACER_TRUST_AGG_WRITERS_H

#include "vm/program.h"

struct agg_writers {
	struct agg_writer {
		uint32_t agg, clause;
	} * data; /* vec, ascending by agg, then by clause */
	size_t len, cap;
};

/* image: verified. The caller releases *w with vec_release(). */
void agg_writers_find(struct agg_writers *w, const void *image);

/* Whether the clause updates the aggregation. */
bool agg_writers_have(const struct agg_writers *w, uint32_t agg, uint32_t clause);

#endif
