/* SPDX-License-Identifier: MIT */
/*
 * locals.NAME: where local variables are at the sites of probes.
 */
#ifndef TRACER_PROVIDERS_LOCALS_H
#define TRACER_PROVIDERS_LOCALS_H

#include "dlang/typesrc.h"
#include "vm/base/host/strbuf.h"

struct probe;
struct target;
struct tracer;

/*
 * The local variable of that name at the sites of the clause being compiled, as struct
 * typesrc promises.
 */
int locals_get(const struct tracer *t, struct types *ts, const char *name,
	       struct typesrc_local *out, struct err *e);

/* A site, and the probe that it is of. */
struct local_site {
	uint64_t addr;
	const struct target *target;
	const struct probe *probe;
};

/* Appends the names of the variables that have a value at the site, or only parts of it;
 * then of those that have none: "a, b; without a value: c". */
void locals_list(const struct tracer *t, const struct local_site *site,
		 struct strbuf *out);

#endif
