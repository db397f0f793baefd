/* SPDX-License-Identifier: MIT */
/*
 * args[]: the types of a probe's arguments, and where the values are.
 */
#ifndef TRACER_PROVIDERS_ARGUMENTS_H
#define TRACER_PROVIDERS_ARGUMENTS_H

#include "dlang/typesrc.h"

struct tracer;
struct probe;
struct module;

/*
 * args[n] of the clause being compiled, as struct typesrc promises. An error if the
 * probes of the clause differ in it, if they have no such argument, or if its type is
 * unknown.
 */
int arguments_get(const struct tracer *t, struct types *ts, uint32_t n,
		  struct typesrc_argument *out, struct err *e);

/*
 * Whether a parameter of a function whose entry the clause being compiled probes has the
 * name; *n: its number in args[].
 */
bool arguments_parameter(const struct tracer *t, const char *name, uint32_t *n);

/* The functions of the clause being compiled, as typing_functions promises. */
void arguments_functions(const struct tracer *t,
			 bool (*visit)(void *ctx, struct module *m, uint64_t value),
			 void *ctx);

struct trace_spec;

/* The next specifier of the clause being compiled, from *at = 0 on; NULL: no more. */
const struct trace_spec *arguments_next_spec(const struct tracer *t, size_t *at);

/*
 * The type of args[n] of a probe as -v lists it, NULL when there is no such
 * argument or nothing is known of it.
 */
const char *arguments_type_name(const struct tracer *t, struct types *ts,
				const struct probe *p, uint32_t n);
/* Appends a line "name: type" for each member of what an event of the kernel carries. */
void arguments_members(const struct tracer *t, struct types *ts, const struct probe *p,
		       uint32_t n, struct strbuf *text);

#endif
