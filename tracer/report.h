/* SPDX-License-Identifier: MIT */
/*
 * Listings (-l) and stability reports (-v), on the output of the run.
 */
#ifndef TRACER_REPORT_H
#define TRACER_REPORT_H

#include "dlang/dlang.h"
#include "tracer/output/out.h"
#include "tracer/base/probe.h"

/* Once, before the first row of a listing. */
void report_header(struct out *o);
/* The row of a probe that exists; is_verbose adds stability and arguments. */
void report_probe(struct out *o, const struct probes *ps, uint32_t id, bool is_verbose);

/* What -v says of a program; kind is "script" or "description". */
void report_stability(struct out *o, const char *kind, const char *name,
		      const struct dlang_stability *s);
/*
 * The same for -e: no newline at the end, because report_specifier() follows
 * for each distinct specifier, with one of the probes it matches; NULL if it
 * matches none, or probes of several providers.
 */
void report_minimum(struct out *o, const char *kind, const char *name,
		    const struct dlang_stability *s);
void report_specifier(struct out *o, const struct probes *ps,
		      const char *const field[4], const struct probe *p);

/*
 * The triplet of a probe description: the least, part by part, of those of
 * the fields that are not empty. attributes: of provider, module, function,
 * name, as "Stable/Stable/Common". buf holds the result.
 */
#define REPORT_TRIPLET_MAX 64
const char *report_least(const char *const attributes[4], const char *const name[4],
			 char buf[REPORT_TRIPLET_MAX]);

#endif
