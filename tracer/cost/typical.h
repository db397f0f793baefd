/* SPDX-License-Identifier: MIT */
/*
 * What a firing of a probe costs as a rule. A few of many firings are measured, and each
 * stands for up to 64: one during which its thread had to wait for a processor would look
 * like a probe that is far too expensive. So the cost is the median of what the last
 * windows have measured, the lower one of two, and none is known from a single window.
 */
#ifndef TRACER_COST_TYPICAL_H
#define TRACER_COST_TYPICAL_H

#include "tracer/cost/measured.h"

#define TYPICAL_WINDOWS 7u

/* One kind of firings of a probe; zeroed at first. */
struct typical {
	struct cost before; /* when the window began */
	double each[TYPICAL_WINDOWS];
	uint32_t n; /* windows in which something was measured */
};

/*
 * A window is over, and until now the firings came to that much. What those of the
 * window have cost, in ns, with the way of each.
 */
double typical_window(struct typical *t, const struct cost *now, uint64_t way);

#endif
