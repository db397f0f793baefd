/* SPDX-License-Identifier: MIT */
#include "tracer/files/file_limits.h"
#include "symbols/limits.h"
#include "tracer/base/patience.h"
#include "tracer/output/out.h"
#include "tracer/files/symbols_ahead.h"

/* The largest program known, a browser, needs half of it. */
#define ROWS_LEAST (UINT64_C(160) << 20)

/* Names of what was collected are printed; what no probe will need is not read. */
static bool is_over(void *ctx)
{
	const struct tracer *t = ctx;

	return patience_awaits(AWAITED_SYMBOLS) ? patience_is_over()
						: tracer_is_interrupted(t);
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
					      .is_over = is_over,
					      .make_room = make_room,
					      .report = report,
					      .ctx = t};

	symbols_set_limits(&limits);
}

uint64_t file_limits_rows(const struct tracer *t)
{
	return max_u64(t->options.symlimit / 4, ROWS_LEAST);
}
