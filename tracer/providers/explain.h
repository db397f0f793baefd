/* SPDX-License-Identifier: MIT */
/*
 * Why a description of the pid providers matches nothing, or less than one may think.
 */
#ifndef TRACER_PROVIDERS_EXPLAIN_H
#define TRACER_PROVIDERS_EXPLAIN_H

#include "symbols/symbols.h"
#include "tracer/base/provider.h"

struct target;

/* A function, or those of a glob, that were looked for in a target. */
struct explain {
	struct tracer *t;
	const struct target *target;
	const char *function;
};

/*
 * Sets the hint of m: where the function is inlined, which other object has it, or
 * which names are near. Looks in the object it was to be in; NULL: in all of them.
 */
void explain_missing(const struct explain *x, const struct module *object,
		     struct match *m);
/* Sets the hint: which object's name is near. */
void explain_no_object(const struct target *target, const char *field, struct match *m);
/*
 * Tells, once and unless quiet, of copies of the function in others, which are not
 * traced. Of a glob for all functions ("*") nothing is told.
 */
void explain_copies(const struct explain *x, const struct module *object);

#endif
