/* SPDX-License-Identifier: MIT */
#include "tracer/files/file_limits.h"
#include "symbols/limits.h"
#include "tracer/output/out.h"
#include "tracer/files/symbols_ahead.h"

/* The largest program known, a browser, needs half of it. */
#define ROWS_LEAST (UINT64_C(160) << 20)

static enum symbols_urgency urgency(void *ctx)
{
	const struct tracer *t = ctx;

	if (!tracer_is_interrupted(t))
		return SYMBOLS_NO_HURRY;
	return *t->interrupts > 1 ? SYMBOLS_END_NOW : SYMBOLS_END_SOON;
}

static void make_room(void *ctx)
{
	const struct tracer *t = ctx;

	symbols_ahead_stop(t->symbols_ahead);
}

static void report(void *ctx, const char *text)
{
	const struct tracer *t = ctx;

	out_message(t->out, "%s", text);
}

void file_limits_set(struct tracer *t)
{
	const struct symbols_limits limits = {.bytes = t->options.symlimit,
					      .urgency = urgency,
					      .make_room = make_room,
					      .report = report,
					      .ctx = t};

	symbols_set_limits(&limits);
}

uint64_t file_limits_rows(const struct tracer *t)
{
	return max_u64(t->options.symlimit / 4, ROWS_LEAST);
}
