/* SPDX-License-Identifier: MIT */
#include "tracer/cost/typical.h"

#include <string.h>

/* The lower median of up to TYPICAL_WINDOWS values. */
static double median_of(const double *values, uint32_t n)
{
	double sorted[TYPICAL_WINDOWS];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;

		for (; at > 0 && sorted[at - 1] > values[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = values[i];
	}
	return sorted[(n - 1) / 2];
}

/* The sums are of memory that targets write to: they may be anything. */
static double since(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

double typical_window(struct typical *t, const struct cost *now, uint64_t way)
{
	double fired = since(now->fired, t->before.fired);
	double timed = since(now->timed, t->before.timed);
	double each = 0;
	uint32_t n;

	if (timed > 0)
		t->each[t->n++ % TYPICAL_WINDOWS] =
			since(now->ns, t->before.ns) / timed;
	n = t->n < TYPICAL_WINDOWS ? t->n : TYPICAL_WINDOWS;
	if (n > 1)
		each = median_of(t->each, n);
	t->before = *now;
	return fired * (each + (double)way);
}
