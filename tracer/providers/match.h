/* SPDX-License-Identifier: MIT */
/*
 * From a probe description to probes.
 */
#ifndef TRACER_PROVIDERS_MATCH_H
#define TRACER_PROVIDERS_MATCH_H

#include "tracer/base/provider.h"

/*
 * Makes the probes that the description asks for and collects all that match it.
 * Errors: D_PDESC_ZERO if there are none, unless zero_ok or m->is_awaited;
 * D_PDESC_INVAL for an unknown id; D_PROC_ tags. m->is_unsettled: they fire only in
 * traced processes, of which there is none yet. The caller releases m in any case.
 */
int match_probes(struct tracer *t, const struct dlang_probe_desc *desc, bool zero_ok,
		 struct match *m, struct err *e);

/* The error of a description that matches no probe; the hint of m is its second line. */
int match_none(const struct dlang_probe_desc *desc, const struct match *m,
	       struct err *e);

/* Whether nothing can fire the probe until a process is traced. */
bool match_needs_process(const struct tracer *t, const struct probe *p);

#endif
