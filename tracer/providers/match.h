/* SPDX-License-Identifier: MIT */
/*
 * From a probe description to probes.
 */
#ifndef TRACER_PROVIDERS_MATCH_H
#define TRACER_PROVIDERS_MATCH_H

#include "tracer/base/provider.h"

/*
 * All probes the description matches. D_PDESC_ZERO when there are none,
 * unless zero_ok; D_PDESC_INVAL for an unknown id.
 */
int match_probes(struct tracer *t, const struct dlang_probe_desc *desc, bool zero_ok,
		 struct match *m, struct err *e);

#endif
