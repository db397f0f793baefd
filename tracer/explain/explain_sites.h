/* SPDX-License-Identifier: MIT */
/*
 * --explain: for each site of the programs' probes where it is, how it is served and
 * why, its code with and without what dtrace writes, and the code of the clauses.
 */
#ifndef TRACER_EXPLAIN_EXPLAIN_SITES_H
#define TRACER_EXPLAIN_EXPLAIN_SITES_H

#include "tracer/explain/site_code.h"
#include "vm/base/host/map.h"
#include "vm/native.h"

#define EXPLAIN_SITES 16 /* at most, in all; the others are counted */

/* A site that was planned, with the bytes that were there. */
struct explained_site {
	size_t index; /* in target->sites */
	struct site_bytes before, island;
};

struct explained {
	struct tracer *t;
	struct site_observer observer;
	struct explained_site sites[EXPLAIN_SITES]; /* nsites: of the present batch */
	size_t nsites;
	size_t nshown, nmore; /* in all */
	bool *has_clause;     /* by number: it is a clause of a probe with a site */
	struct native_code native;   /* the routines that the keeper makes as well */
	uint32_t nprobes, noperands; /* that native has something of */
	struct map routines;	     /* offset of each that is shown -> 1 */
	struct strbuf text;
};

/* From now on the sites that are sent are explained: until explain_end(). */
void explain_begin(struct tracer *t, struct explained *x);
/* Prints what remains: probes without a site, and the clauses. */
void explain_end(struct explained *x);

#endif
