/* SPDX-License-Identifier: MIT */
/* -l -v: how each site of a probe that may take a jump will be served, and why. */
#ifndef TRACER_LIST_SITES_H
#define TRACER_LIST_SITES_H

#include "tracer/base/core.h"

/* Where the sites of all targets are, by the number of their probe. Zero-initialize. */
struct listed_sites {
	struct listed_site {
		uint32_t probe;
		uint32_t target; /* in tracer.targets */
		size_t site;	 /* in target.sites */
	} * data;
	size_t len, cap;
};

/* The sites are planned, and stay as they are. */
void listed_sites_find(const struct tracer *t, struct listed_sites *sites);
/* Those of the probe, in the order of targets and of their sites. */
void listed_sites_print(struct tracer *t, const struct listed_sites *sites,
			uint32_t id);
void listed_sites_release(struct listed_sites *sites);

#endif
