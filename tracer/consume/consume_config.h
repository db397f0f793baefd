/* SPDX-License-Identifier: MIT */
/*
 * The part of a run that the consumer and its actions need.
 */
#ifndef TRACER_CONSUME_CONSUME_CONFIG_H
#define TRACER_CONSUME_CONSUME_CONFIG_H

#include "tracer/output/drops.h"
#include "tracer/output/out.h"
#include "tracer/base/options.h"
#include "tracer/base/probe.h"
#include "vm/base/host/strbuf.h"
#include "vm/record.h"

struct agg_value; /* agg_view.h */
struct sources;	  /* sources.h */
struct ustack;	  /* ustack.h */
struct form;	  /* form.h */
struct dumps;	  /* dump/dump.h */
struct emitter;	  /* emit/emit.h */

/* The value that print() recorded, and what it read with it (NULL: nothing). */
struct printed {
	const void *bytes, *pieces;
	size_t n;
	bool is_json; /* wanted is a JSON object */
};

struct consumer_config {
	const char *command;	     /* base name of argv[0], begins every message */
	const void *image;	     /* verified; borrowed */
	struct sources *sources;     /* borrowed */
	const struct probes *probes; /* borrowed */
	struct options *options;     /* borrowed; read at every use, set by setopt() */
	struct out *out;	     /* borrowed */
	/*
	 * print(): sets text to the printed form of the recorded value. NULL: print()
	 * prints nothing.
	 */
	void (*print)(void *ctx, uint32_t action, const struct printed *v,
		      struct strbuf *text);
	bool is_past; /* the clauses run on a recording */
	/* Called for drops: see struct drops. NULL: not called. */
	void (*lost)(void *ctx, enum drop kind, uint64_t n);
	/* Whether clauses of the probe may have run inside the process: see
	 * record_check.h. NULL: any. */
	bool (*fires_inside)(void *ctx, uint32_t pid, const struct probe *p);
	/* Called for every record before it is printed: true, and it is not. NULL: not
	 * called. */
	bool (*recorded)(void *ctx, const struct record *r);
	/* Called for every record when it is printed. NULL: not called. */
	void (*printed)(void *ctx, const struct record *r, const struct probe *p);
	/* Called when clear() or trunc() has removed the value of a row, if values of the
	 * aggregation add up: what its snapshots show from then on is less by it. NULL:
	 * not called. */
	void (*removed)(void *ctx, const struct agg_value *x);
	void *ctx;
	struct ustack *ustack;	 /* borrowed; NULL: nothing printed needs names */
	struct form *form;	 /* borrowed; NULL: text_form.h */
	struct dumps *dumps;	 /* borrowed; NULL: dump() writes nothing */
	struct emitter *emitter; /* borrowed; NULL: emit() writes nothing */
};

#endif
