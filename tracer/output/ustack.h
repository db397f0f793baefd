/* SPDX-License-Identifier: MIT */
/*
 * Names of the targets' addresses: stacks, usym() and its kin, %a, %A, %k.
 *
 * A record may be printed long after it was made. So what was mapped is remembered
 * when it goes: a module that was unmapped, or the whole image that an exec replaced,
 * keeps its symbols, or the open file they are in, to the end of the run. Which
 * of several modules that were at an address in turn is meant, the record's time
 * says; an aggregation's key has none and means the present one, or the last.
 */
#ifndef TRACER_OUTPUT_USTACK_H
#define TRACER_OUTPUT_USTACK_H

#include "symbols/symbols.h"
#include "tracer/output/format_item.h"
#include "tracer/base/options.h"
#include "tracer/output/out.h"
#include "vm/tuple.h"

struct ustack;

/* How names are shown is among the options, which are read here only. */
struct ustack *ustack_new(const struct options *opt);
void ustack_free(struct ustack *u);

/*
 * The process has these modules (borrowed; NULL: none) until the next call for it. A
 * process that has ended keeps its last ones.
 */
void ustack_set(struct ustack *u, int pid, const struct modules *ms);
/* The names of a module of a living process will be there when it has gone. */
void ustack_keep(struct ustack *u, struct module *m);
/* The module has just gone from the process: takes it over. */
void ustack_retire(struct ustack *u, int pid, struct module *m);

/* What an address means depends on whose it is and when it was taken. */
struct ustack_place {
	uint64_t pid;  /* 0: the only process there is, if there is only one */
	uint64_t time; /* CLOCK_MONOTONIC ns; 0: not known */
};

/* A value of a field whose show is not SHOW_PLAIN, as data of trace() or a key. */
void ustack_print(struct ustack *u, struct out *o, const struct tuple_value *v,
		  uint64_t time, const struct options *opt);
/* The same by %k, %a or %A; an integer by the latter two is an address. */
void ustack_format(struct ustack *u, struct out *o, const struct format_item *item,
		   const struct tuple_value *v, const struct ustack_place *place);
#endif
