/* SPDX-License-Identifier: MIT */
/*
 * Histograms: the block of quantize() and lquantize(), and what sorting by
 * them needs.
 */
#ifndef TRACER_HIST_H
#define TRACER_HIST_H

#include "tracer/options.h"
#include "tracer/out.h"
#include "vm/program.h"

bool hist_is(const struct program_agg *a);
/* Newline, header and rows; value is agg->words counts. Styles: encoding, aggzoom. */
void hist_print(struct out *o, const struct program_agg *a, const uint64_t *value,
		const struct options *opt);
/*
 * Order of two histograms of one kind: by the sum of label times count, then
 * by the count of the bucket that holds 0. <0, 0, >0.
 */
int hist_compare(const struct program_agg *a, const uint64_t *left,
		 const uint64_t *right);

#endif
