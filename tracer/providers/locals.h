/* SPDX-License-Identifier: MIT */
/*
 * locals.NAME: where local variables are at the sites of probes.
 */
#ifndef TRACER_PROVIDERS_LOCALS_H
#define TRACER_PROVIDERS_LOCALS_H

#include "dlang/typesrc.h"

struct tracer;

/*
 * The local variable of that name at the sites of the clause being compiled, as struct
 * typesrc promises.
 */
int locals_get(const struct tracer *t, struct types *ts, const char *name,
	       struct typesrc_local *out, struct err *e);

#endif
