/* SPDX-License-Identifier: MIT */
/* Which recorded events are samples of what the processors do: profile-N. */
#ifndef TRACER_RECORDING_READ_SAMPLES_H
#define TRACER_RECORDING_READ_SAMPLES_H

#include "tracer/events/origin.h"
#include "tracer/recording/read/attrs.h"
#include "vm/base/host/strbuf.h"

struct samples_wanted {
	void (*found)(void *ctx, size_t attr);
	void *ctx;
	struct strbuf text; /* a notice, if their rate is another than the wanted one */
};

/*
 * Calls found() for each event that gives the wanted samples, and returns how many there
 * are: those of the same counter and interval; if there are none and a clock is wanted,
 * those of all clocks. wanted NULL: of all clocks. w may be NULL.
 */
size_t samples_find(const struct attrs *a, const struct origin_event *wanted,
		    struct samples_wanted *w);

#endif
