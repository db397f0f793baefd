/* SPDX-License-Identifier: MIT */
/*
 * Types, variables and functions of the targets, for the compiler: answers the questions
 * of dlang/typesrc.h from the debug data of the objects that are mapped.
 */
#ifndef TRACER_TARGETS_TYPING_H
#define TRACER_TARGETS_TYPING_H

#include "dlang/typesrc.h"
#include "symbols/types.h"

struct convert_object;
struct tracer;
struct typing;

/* The callback argument of struct typesrc: args[n] of the clause being compiled. */
typedef int typing_argument(const struct tracer *t, struct types *ts, uint32_t n,
			    struct typesrc_argument *out, struct err *e);
/* The callback parameter of it. */
typedef bool typing_parameter(const struct tracer *t, const char *name, uint32_t *n);

/* The callback local of it. */
typedef int typing_local(const struct tracer *t, struct types *ts, const char *name,
			 struct typesrc_local *out, struct err *e);

/*
 * Calls visit() for each function that the clause being compiled probes, until it returns
 * false: its module and its value there.
 */
typedef void
typing_functions(const struct tracer *t,
		 bool (*visit)(void *ctx, struct module *m, uint64_t value), void *ctx);

/* What is known of the clause that is being compiled. */
struct typing_clause {
	typing_argument *argument;
	typing_parameter *parameter;
	typing_local *local;
	typing_functions *functions;
};

/* Reads nothing before the compiler asks. Freed by typing_free(). */
struct typing *typing_new(struct tracer *t, const struct typing_clause *clause);
void typing_free(struct typing *y);
/* Valid as long as y. May be asked only while the targets exist. */
const struct typesrc *typing_source(const struct typing *y);

/*
 * Counts the inlined copies of a function (module_types_inlined()). False if none is
 * known or, unless in_full, if the debug data is not loaded yet and finding out would
 * be slow.
 */
bool typing_inlined(struct typing *y, const struct module *m, const char *name,
		    bool in_full, struct target_inlined *out);

/* What is known of the types of a mapped object; owned by y. */
struct convert_object *typing_object(struct typing *y, const struct module *m);

#endif
