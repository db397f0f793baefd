/* SPDX-License-Identifier: MIT */
/*
 * How a site is served, and why not by a jump, in words: for -l -v and diag:::site. Sites
 * that a program has written over.
 */
#ifndef TRACER_TARGETS_SITE_REPORT_H
#define TRACER_TARGETS_SITE_REPORT_H

#include "tracer/targets/target.h"

struct site_report {
	const char *tactic; /* "jump", "short jump", "punned jump", "retargeted call",
			     * "breakpoint" or "refused" */
	const char *reason; /* empty: none */
};

/*
 * Describes a site that is planned (plan.h). sent: the same site with the keeper's
 * answer; NULL: it was not sent. The texts are static.
 */
struct site_report site_report_of(const struct tracer *t, const struct target *target,
				  const struct target_pending *site,
				  const struct keeper_site *sent);

/* A KEEPER_EV_CHANGED: a notice for each function, up to a limit. */
void site_report_changed(const struct tracer *t, const struct target *target,
			 const struct keeper_ev_changed *changed);

/* Text of enum keeper_reason; empty for an unknown number. */
const char *site_report_reason(unsigned reason);

#endif
