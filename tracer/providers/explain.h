/* SPDX-License-Identifier: MIT */
/*
 * Explains why a description of the pid providers matches nothing, or misses inlined
 * copies.
 */
#ifndef TRACER_PROVIDERS_EXPLAIN_H
#define TRACER_PROVIDERS_EXPLAIN_H

#include "symbols/symbols.h"
#include "tracer/base/provider.h"

struct target;

/* The function, or glob, that a description looks for in a target. */
struct explain {
	struct tracer *t;
	const struct target *target;
	const char *function;
};

/*
 * Sets the hint of m: where the function is inlined, which other object has it, or which
 * names are similar. object: the one that the description names; NULL: any.
 */
void explain_missing(const struct explain *x, const struct module *object,
		     struct match *m);
/*
 * Whether the target, which has no such object, is a program of -c that only executes
 * another one, whose object that may be. Then a notice says so.
 */
bool explain_awaited(const struct tracer *t, const struct target *target,
		     const char *field);
/* Sets the hint of m: which object has a similar name. */
void explain_no_object(const struct target *target, const char *field, struct match *m);
/*
 * Whether globs of objects leave this one out, because its program reads its code: images
 * that mono has compiled ahead of time. A notice says so, once for each object, and the
 * hint of m.
 */
bool explain_left_out(struct tracer *t, const struct module *object, struct match *m);
/* The same without a notice. */
bool explain_is_left_out(const struct module *object);
/*
 * If the debug data shows inlined copies of the function, prints a notice: they are not
 * traced. Once for each function; never for a glob of all functions ("*").
 */
void explain_copies(const struct explain *x, const struct module *object);
/* How many copies of the function those notices told of. */
uint64_t explain_known_copies(const struct explain *x);

#endif
