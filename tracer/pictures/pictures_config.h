/* SPDX-License-Identifier: MIT */
/*
 * The part of a run that pictures need.
 */
#ifndef TRACER_PICTURES_PICTURES_CONFIG_H
#define TRACER_PICTURES_PICTURES_CONFIG_H

#include "tracer/base/options.h"
#include "tracer/base/probe.h"

/* What pictures are made of; all is borrowed. */
struct pictures_config {
	const struct options *options;
	const void *image; /* verified */
	const struct probes *probes;
	/* The name of a process that may have ended, or NULL: it is not known. */
	const char *(*process_name)(void *ctx, uint32_t pid);
	/* Whether the clock of dtrace itself fires the probe: tick. */
	bool (*is_clock)(void *ctx, const struct probe *p);
	void *ctx;
};

#endif
