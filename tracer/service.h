/* SPDX-License-Identifier: MIT */
/*
 * How a site is served, and why not by a jump: what -l -v and diag:::site show.
 */
#ifndef TRACER_SERVICE_H
#define TRACER_SERVICE_H

#include "tracer/target.h"

struct service {
	const char *tactic; /* "jump", "short jump", "retargeted call", "breakpoint" or
			     * "refused" */
	const char *reason; /* empty: none; static */
};

/*
 * Of a site that is planned (plan.h). sent: the same site as the keeper answered;
 * NULL: it was not asked.
 */
struct service service_of(const struct tracer *t, const struct target *target,
			  const struct target_pending *site,
			  const struct keeper_site *sent);

#endif
