/* SPDX-License-Identifier: MIT */
/*
 * Probes of pid and fpid in code that a program makes at run time:
 *
 *	pid123 : jit : JS:*handle* : entry
 *
 * Which functions there are, the program lists itself (tracer/jit/jit.h). They come while
 * it runs, so a description may match nothing at first. Their code may be moved, freed
 * and written again at any time: breakpoints serve all of them, and each is compared with
 * what it was before it is touched.
 */
#ifndef TRACER_PROVIDERS_GENERATED_H
#define TRACER_PROVIDERS_GENERATED_H

#include "tracer/base/core.h"
#include "tracer/jit/jit.h"

#define GENERATED_MODULE JIT_MODULE

struct generated;
struct target;

/* Whether the module field of a description means generated code. */
bool generated_is_module(const char *field);

/*
 * Makes the probes that the description asks for in the functions that the target lists
 * now. That there are none is no error: m->is_awaited.
 */
struct generated_request {
	const struct provider *prov;
	struct target *target;
	const char *function, *name; /* fields of the description */
};
int generated_provide(struct tracer *t, const struct generated_request *r,
		      struct match *m, struct err *e);

/*
 * Gives probes to functions that were listed since the last call, and takes them away
 * where code has changed. Costs nothing if no description asks for them.
 */
void generated_turn(struct tracer *t, uint64_t now_ns);
/* When to call it again; UINT64_MAX: never. */
uint64_t generated_wakeup(const struct tracer *t);
/* sites_answered() of the providers: what could not be set is tried again. */
void generated_answered(struct tracer *t, const struct target *target,
			const struct keeper_sites *sites);
/*
 * Sets the hint of m for a description without probes, unless m has one: its process
 * lists no code.
 */
void generated_explain_none(const struct tracer *t, const char *const field[4],
			    struct match *m);
void generated_free(struct generated *g);

#endif
