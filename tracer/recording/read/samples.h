/* SPDX-License-Identifier: MIT */
/* Which recorded events are samples of what the processors do: profile-N. */
#ifndef TRACER_RECORDING_READ_SAMPLES_H
#define TRACER_RECORDING_READ_SAMPLES_H

#include "tracer/recording/read/attrs.h"
#include "vm/base/host/strbuf.h"

struct samples_wanted {
	void (*found)(void *ctx, size_t attr);
	void *ctx;
	struct strbuf text; /* a notice, if their rate is another than the wanted one */
};

/*
 * Calls found() for each such event, and returns how many there are; interval: ns, for
 * the notice. w may be NULL.
 */
size_t samples_find(const struct attrs *a, uint64_t interval, struct samples_wanted *w);

#endif
