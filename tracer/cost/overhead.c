/* SPDX-License-Identifier: MIT */
#include "tracer/cost/overhead.h"
#include "tracer/base/text.h"
#include "tracer/cost/entry_cost.h"
#include "tracer/output/out.h"
#include "tracer/records/sources.h"
#include "tracer/targets/target.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct overhead {
	uint64_t way_ns[COST_KINDS]; /* to the clauses and back */
};

/* One probe in the table. */
struct row {
	uint32_t probe;
	double fired, ns;
};

struct table {
	struct {
		struct row *data;
		size_t len, cap;
	} rows;
	double ns, stopped_ns; /* all costs; those of stops */
};

/* may_fire() of the sources. */
static bool may_fire(void *ctx, uint32_t pid, uint32_t probe)
{
	const struct tracer *t = ctx;
	const struct probe *p = probes_get(&t->probes, probe);

	return p && target_records(t, pid, p);
}

void overhead_begin(struct tracer *t, uint64_t stop_ns)
{
	if (!t->options.overhead)
		return;
	t->overhead = oom_calloc(1, sizeof(*t->overhead));
	t->overhead->way_ns[COST_STOP] = stop_ns;
	t->sources->filter = (struct costs_filter){may_fire, t};
	if (state_nslots(t->state) > STATE_SLOT_FIRST_THREAD)
		t->overhead->way_ns[COST_JUMP] = entry_cost_measure(t->state);
}

void overhead_turn(struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len && t->overhead; i++) {
		struct target *target = t->targets.data[i];

		if (target->alive)
			target->cpu_now =
				max_u64(target->cpu_now, clock_process_ns(target->pid));
	}
}

void overhead_start(struct tracer *t, size_t first)
{
	overhead_turn(t);
	for (size_t i = first; i < t->targets.len; i++)
		t->targets.data[i]->cpu_begin = t->targets.data[i]->cpu_now;
}

/* The mean of the clauses that were measured, for those that never were. */
static double mean_of(const struct costs *c, unsigned kind)
{
	double ns = 0, timed = 0;

	for (size_t i = 0; i < c->list.len; i++) {
		ns += (double)c->list.data[i].of[kind].ns;
		timed += (double)c->list.data[i].of[kind].timed;
	}
	return timed > 0 ? ns / timed : 0;
}

static void add_rows(const struct overhead *o, const struct costs *c, struct table *to)
{
	double mean[COST_KINDS];

	for (unsigned kind = 0; kind < COST_KINDS; kind++)
		mean[kind] = mean_of(c, kind);
	for (size_t i = 0; i < c->list.len; i++) {
		const struct probe_cost *p = &c->list.data[i];
		struct row row = {.probe = p->probe};

		for (unsigned kind = 0; kind < COST_KINDS; kind++) {
			const struct cost *k = &p->of[kind];
			double each = k->timed ? (double)k->ns / (double)k->timed
					       : mean[kind];
			double ns = (double)k->fired * (each + (double)o->way_ns[kind]);

			row.fired += (double)k->fired;
			row.ns += ns;
			to->stopped_ns += kind == COST_STOP ? ns : 0;
		}
		to->ns += row.ns;
		*vec_push(&to->rows) = row;
	}
}

static int dearest_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->probe > y->probe) - (x->probe < y->probe);
}

/* Time of processors that the targets took since their sites were installed. */
static double ran_ns(const struct tracer *t)
{
	double ns = 0;

	for (size_t i = 0; i < t->targets.len; i++) {
		const struct target *target = t->targets.data[i];

		if (target->cpu_now > target->cpu_begin)
			ns += (double)(target->cpu_now - target->cpu_begin);
	}
	return ns;
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void add_name(const struct tracer *t, uint32_t probe, struct strbuf *to)
{
	const struct probe *p = probes_get(&t->probes, probe);

	if (!p) {
		strbuf_puts(to, "other probes");
		return;
	}
	for (int f = 0; f < 4; f++) {
		const char *name = probes_name(&t->probes, p, (enum probe_field)f);

		text_add_clean(to, name, strlen(name));
		if (f < 3)
			strbuf_putc(to, ':');
	}
}

static void add_row(const struct tracer *t, const struct row *row, double whole,
		    struct strbuf *to)
{
	strbuf_printf(to, "\n%12.0f %12.0f %8.2f%%  ", row->fired, row->ns / row->fired,
		      percent(row->ns, whole));
	add_name(t, row->probe, to);
}

/* What is known of the ways to the clauses. */
static void add_ways(const struct overhead *o, struct strbuf *to)
{
	static const char *const names[COST_KINDS] = {"a jump", "a stop"};

	for (unsigned kind = 0; kind < COST_KINDS; kind++)
		if (o->way_ns[kind])
			strbuf_printf(to, "; %s %llu ns", names[kind],
				      (unsigned long long)o->way_ns[kind]);
}

void overhead_print(const struct tracer *t)
{
	struct costs costs = {0};
	struct table table = {0};
	struct strbuf text = {0};
	double whole;

	if (!t->overhead)
		return;
	sources_add_costs(t->sources, &costs);
	add_rows(t->overhead, &costs, &table);
	whole = ran_ns(t) + table.stopped_ns;
	strbuf_printf(&text, "overhead: the probes took %.3f s, %.1f%% of %.3f s",
		      table.ns / 1e9, percent(table.ns, whole), whole / 1e9);
	add_ways(t->overhead, &text);
	if (table.rows.len) {
		qsort(table.rows.data, table.rows.len, sizeof(struct row),
		      dearest_first);
		strbuf_puts(&text, "\n        HITS      NS EACH    SHARE  PROBE");
	}
	for (size_t i = 0; i < min_u64(table.rows.len, OVERHEAD_ROWS); i++)
		add_row(t, &table.rows.data[i], whole, &text);
	if (table.rows.len > OVERHEAD_ROWS)
		strbuf_printf(&text, "\n%zu more probes",
			      table.rows.len - OVERHEAD_ROWS);
	out_message(t->out, "%s", text.data);
	strbuf_release(&text);
	vec_release(&table.rows);
	costs_release(&costs);
}

void overhead_free(struct overhead *o)
{
	free(o);
}
