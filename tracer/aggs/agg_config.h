/* SPDX-License-Identifier: MIT */
/*
 * The part of a run that printing aggregations needs.
 */
#ifndef TRACER_AGGS_AGG_CONFIG_H
#define TRACER_AGGS_AGG_CONFIG_H

#include "tracer/base/options.h"
#include "tracer/output/out.h"

struct agg_value;
struct sources;
struct ustack;
struct record_check;
struct form;

struct agg_config {
	const void *image; /* verified; all pointers are borrowed */
	struct sources *sources;
	const struct options *options; /* read at every use */
	struct record_check *check;    /* of elements of processes; NULL: none */
	struct ustack *ustack;	       /* names of addresses (ustack.h); NULL: none */
	struct out *out;
	struct form *form; /* of the rows */
	/* See struct consumer_config. */
	void (*removed)(void *ctx, const struct agg_value *x);
	void *ctx;
};

#endif
