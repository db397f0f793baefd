/* SPDX-License-Identifier: MIT */
#include "tracer/cost/measured.h"
#include "tracer/records/sources.h"
#include "tracer/targets/target.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"
#include "vm/base/text/shown.h"

#include <stdlib.h>
#include <string.h>

void measured_turn(struct tracer *t)
{
	for (size_t i = 0; i < t->targets.len; i++) {
		struct target *target = t->targets.data[i];
		uint64_t ns = target->alive ? clock_process_ns(target->pid) : 0;

		target->cpu_now = max_u64(target->cpu_now, ns);
	}
}

void measured_start(struct tracer *t, size_t first)
{
	measured_turn(t);
	for (size_t i = first; i < t->targets.len; i++)
		t->targets.data[i]->cpu_begin = t->targets.data[i]->cpu_now;
}

/* whole gets the time of stops. */
static void add_rows(const struct costs *c, const struct cost_ways *ways,
		     struct measured *to)
{
	for (size_t i = 0; i < c->list.len; i++) {
		const struct probe_cost *p = &c->list.data[i];
		const struct cost *jump = &p->of[COST_JUMP], *stop = &p->of[COST_STOP];
		double stopped = cost_ns(stop, ways->ns[COST_STOP]);
		struct measured_row row = {
			.probe = p->probe,
			.fired = (double)jump->fired + (double)stop->fired,
			.ns = cost_ns(jump, ways->ns[COST_JUMP]) + stopped,
			.of = {[COST_JUMP] = *jump, [COST_STOP] = *stop}};

		to->ns += row.ns;
		to->whole += stopped;
		*vec_push(&to->rows) = row;
	}
}

static int dearest_first(const void *a, const void *b)
{
	const struct measured_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->probe > y->probe) - (x->probe < y->probe);
}

void measured_now(const struct tracer *t, const struct cost_ways *ways,
		  struct measured *out)
{
	struct costs costs = {0};

	sources_add_costs(t->sources, &costs);
	add_rows(&costs, ways, out);
	for (size_t i = 0; i < t->targets.len; i++) {
		const struct target *target = t->targets.data[i];

		if (target->cpu_now > target->cpu_begin)
			out->whole += (double)(target->cpu_now - target->cpu_begin);
	}
	if (out->rows.len)
		qsort(out->rows.data, out->rows.len, sizeof(out->rows.data[0]),
		      dearest_first);
	costs_release(&costs);
}

void measured_release(struct measured *m)
{
	vec_release(&m->rows);
}

double measured_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

void measured_add_name(const struct tracer *t, uint32_t probe, struct strbuf *to)
{
	const struct probe *p = probes_get(&t->probes, probe);

	if (!p) {
		strbuf_puts(to, "other probes");
		return;
	}
	for (int f = 0; f < 4; f++) {
		const char *name = probes_name(&t->probes, p, (enum probe_field)f);

		shown_add(to, name, strlen(name), SHOWN_NAME);
		if (f < 3)
			strbuf_putc(to, ':');
	}
}
