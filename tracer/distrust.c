/* SPDX-License-Identifier: MIT */
#include "tracer/distrust.h"
#include "tracer/output/out.h"
#include "tracer/records/sources.h"
#include "tracer/targets/target.h"

/* fires_inside() of the requests. */
static bool fires_inside(void *ctx, uint32_t pid, const struct probe *p)
{
	return target_records(ctx, pid, p);
}

/* impossible() of the sources. */
static void report_impossible(void *ctx, int pid, const char *what)
{
	const struct tracer *t = ctx;

	out_message(t->out,
		    "process %d claims an impossible number of %ss: none of its "
		    "counters is believed",
		    pid, what);
}

void distrust_begin(struct tracer *t)
{
	const struct requests_config config = {
		.image = t->image,
		.probes = &t->probes,
		.full_stops = t->options.bufpolicy == BUFPOLICY_FILL,
		.fires_inside = fires_inside,
		.ctx = t,
	};

	sources_set_requests(t->sources, &config);
	t->sources->impossible = report_impossible;
	t->sources->ctx = t;
}

void distrust_report(const struct tracer *t, const struct keeper_liars *l)
{
	for (uint32_t i = 0; i < l->n && i < KEEPER_LIARS_MAX; i++)
		out_message(
			t->out,
			"process %d claims an impossible number of firings: they are "
			"not part of the sums",
			l->pid[i]);
	if (l->n >= KEEPER_LIARS_MAX)
		out_message(t->out, "more processes may claim such numbers");
}
