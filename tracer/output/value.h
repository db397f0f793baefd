/* SPDX-License-Identifier: MIT */
/*
 * Prints values in their default layouts: data of trace(), keys of aggregations.
 */
#ifndef TRACER_OUTPUT_VALUE_H
#define TRACER_OUTPUT_VALUE_H

#include "tracer/base/options.h"
#include "tracer/output/out.h"
#include "vm/tuple.h"

/* Data of trace(): padded columns, or bare when quiet. */
void value_print(struct out *o, const struct tuple_value *v, const struct options *opt);
/* A key of an aggregation in a default row. */
void value_print_key(struct out *o, const struct tuple_value *v,
		     const struct options *opt);
/*
 * Prints bytes in hexadecimal, with offsets and characters. Prints nothing for n = 0.
 */
void value_dump(struct out *o, const char *bytes, size_t n);

/* The same in the narrow columns of agghist and aggpack, and how wide they are. */
void value_print_narrow_key(struct out *o, const struct tuple_value *v,
			    const struct options *opt);
unsigned value_narrow_width(const struct program_field *f);

#endif
