/* SPDX-License-Identifier: MIT */
/*
 * What the consumer and the actions that it performs need to know of the run.
 */
#ifndef TRACER_OUTPUT_CONSUME_CONFIG_H
#define TRACER_OUTPUT_CONSUME_CONFIG_H

#include "tracer/output/drops.h"
#include "tracer/output/out.h"
#include "tracer/base/options.h"
#include "tracer/base/probe.h"
#include "vm/base/host/strbuf.h"
#include "vm/state.h"

struct ustack; /* ustack.h */

struct consumer_config {
	const char *command; /* base name of argv[0], begins every message */
	const void *image;   /* verified; borrowed */
	struct state *state; /* borrowed */
	uint32_t nslots;
	const struct probes *probes; /* borrowed */
	struct options *options;     /* borrowed; read at every use, set by setopt() */
	struct out *out;	     /* borrowed */
	/*
	 * print(): replaces text by what the value that the action recorded looks
	 * like. NULL: nothing is printed.
	 */
	void (*print)(void *ctx, uint32_t action, const void *bytes, size_t n,
		      struct strbuf *text);
	/* Of struct drops. NULL: nobody. */
	void (*lost)(void *ctx, enum drop kind, uint64_t n);
	void *ctx;
	struct ustack *ustack; /* borrowed; NULL: nothing printed needs names */
};

#endif
