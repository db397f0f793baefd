/* SPDX-License-Identifier: MIT */
/*
 * The part of a run that the forms need.
 */
#ifndef TRACER_EXPORT_EXPORT_CONFIG_H
#define TRACER_EXPORT_EXPORT_CONFIG_H

#include "tracer/base/options.h"
#include "tracer/base/probe.h"
#include "tracer/output/out.h"
#include "tracer/output/ustack.h"

/* All pointers are borrowed and outlive the form. */
struct export_config {
	const void *image; /* verified */
	const struct probes *probes;
	const struct options *options;
	struct ustack *ustack; /* NULL: addresses have no names */
	struct out *out;
};

#endif
