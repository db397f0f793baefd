/* SPDX-License-Identifier: MIT */
#include "tracer/cost/overhead.h"
#include "tracer/cost/budget.h"
#include "tracer/cost/entry_cost.h"
#include "tracer/output/out.h"
#include "tracer/records/sources.h"
#include "tracer/targets/target.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/own_time.h"

#include <stdlib.h>

#define READINGS 64

struct overhead {
	struct cost_ways ways;
	struct budget *budget; /* NULL: there is none */
};

/* may_fire() of the sources. */
static bool may_fire(void *ctx, uint32_t pid, uint32_t probe)
{
	const struct tracer *t = ctx;
	const struct probe *p = probes_get(&t->probes, probe);

	return p && target_records(t, pid, p);
}

/* Two readings of the clock, of which one is between the times of a firing. */
static uint64_t reading_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t begin = clock_now_ns();

		least = min_u64(least, clock_now_ns() - begin);
	}
	return least;
}

int overhead_begin(struct tracer *t, struct keeper_stop_cost stop, struct err *e)
{
	struct budget *budget;
	int rc = budget_new(t, &budget, e);

	if (rc || (!budget && !t->options.overhead))
		return rc;
	t->overhead = oom_calloc(1, sizeof(*t->overhead));
	t->overhead->budget = budget;
	t->overhead->ways.ns[COST_STOP] = stop.median;
	if (state_nslots(t->state) > STATE_SLOT_FIRST_THREAD)
		t->overhead->ways.ns[COST_JUMP] = entry_cost_measure(t->state);
	t->sources->filter =
		(struct costs_filter){may_fire, t, t->overhead->ways.ns[COST_JUMP]};
	if (t->options.overhead == OVERHEAD_SUBTRACT)
		own_time_begin(t->state,
			       (struct own_time_ways){t->overhead->ways.ns[COST_JUMP] +
							      reading_ns(),
						      stop.way});
	return 0;
}

void overhead_start(struct tracer *t, size_t first)
{
	if (t->overhead)
		measured_start(t, first);
}

void overhead_turn(struct tracer *t, uint64_t now)
{
	if (!t->overhead)
		return;
	measured_turn(t);
	budget_turn(t->overhead->budget, t, &t->overhead->ways, now);
}

void overhead_stop(struct tracer *t)
{
	if (t->overhead)
		measured_turn(t);
}

static void add_row(const struct tracer *t, const struct measured_row *row,
		    double whole, struct strbuf *to)
{
	strbuf_printf(to, "\n%12.0f %12.0f %8.2f%%  ", row->fired, row->ns / row->fired,
		      measured_percent(row->ns, whole));
	measured_add_name(t, row->probe, to);
}

/* What is known of the ways to the clauses. */
static void add_ways(const struct cost_ways *ways, struct strbuf *to)
{
	static const char *const names[COST_KINDS] = {"a jump", "a stop"};

	for (unsigned kind = 0; kind < COST_KINDS; kind++)
		if (ways->ns[kind])
			strbuf_printf(to, "; %s %llu ns", names[kind],
				      (unsigned long long)ways->ns[kind]);
}

static void print_table(const struct tracer *t)
{
	struct measured m = {0};
	struct strbuf text = {0};

	measured_now(t, &t->overhead->ways, &m);
	strbuf_printf(&text, "overhead: the probes took %.3f s, %.1f%% of %.3f s",
		      m.ns / 1e9, measured_percent(m.ns, m.whole), m.whole / 1e9);
	add_ways(&t->overhead->ways, &text);
	if (m.rows.len)
		strbuf_puts(&text, "\n        HITS      NS EACH    SHARE  PROBE");
	for (size_t i = 0; i < min_u64(m.rows.len, OVERHEAD_ROWS); i++)
		add_row(t, &m.rows.data[i], m.whole, &text);
	if (m.rows.len > OVERHEAD_ROWS)
		strbuf_printf(&text, "\n%zu more probes", m.rows.len - OVERHEAD_ROWS);
	out_message(t->out, "%s", text.data);
	strbuf_release(&text);
	measured_release(&m);
}

void overhead_print(const struct tracer *t)
{
	if (!t->overhead)
		return;
	if (t->options.overhead)
		print_table(t);
	budget_report(t->overhead->budget, t);
}

void overhead_free(struct overhead *o)
{
	if (o)
		budget_free(o->budget);
	free(o);
}
