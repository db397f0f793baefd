/* SPDX-License-Identifier: MIT */
#include "tracer/records/costs.h"
#include "vm/base/host/claim.h"
#include "vm/base/host/vec.h"

/* Times: of what is extrapolated from the firings that were measured. */
#define ERROR_MAX 8

static struct probe_cost *row_of(struct costs *c, uint32_t probe)
{
	uint64_t i;

	if (map_get(&c->by_probe, probe, &i))
		return &c->list.data[i];
	map_set(&c->by_probe, probe, c->list.len);
	*vec_push(&c->list) = (struct probe_cost){.probe = probe};
	return &c->list.data[c->list.len - 1];
}

void costs_add(struct costs *c, const struct meter *m, unsigned kind)
{
	struct cost *to = &row_of(c, m->probe)->of[kind];

	to->fired = claim_add(to->fired, m->fired);
	to->timed = claim_add(to->timed, m->timed);
	to->ns = claim_add(to->ns, m->ns);
}

void costs_add_all(struct costs *c, const struct costs *from)
{
	for (size_t i = 0; i < from->list.len; i++)
		for (unsigned kind = 0; kind < COST_KINDS; kind++) {
			const struct probe_cost *p = &from->list.data[i];
			const struct cost *k = &p->of[kind];
			const struct meter m = {p->probe, k->fired, k->timed, k->ns};

			if (m.fired)
				costs_add(c, &m, kind);
		}
}

void costs_add_slot(struct costs *c, const struct state *s, uint32_t slot,
		    const struct costs_filter *filter, uint32_t pid)
{
	struct meter m;

	for (uint32_t i = 0; meter_read(s, slot, i, &m); i++) {
		bool is_known =
			!pid || !m.probe || filter->may_fire(filter->ctx, pid, m.probe);

		if (m.fired && is_known)
			costs_add(c, &m, pid ? COST_JUMP : COST_STOP);
	}
}

static double mean_of(const struct costs *c, unsigned kind)
{
	double ns = 0, timed = 0;

	for (size_t i = 0; i < c->list.len; i++) {
		ns += (double)c->list.data[i].of[kind].ns;
		timed += (double)c->list.data[i].of[kind].timed;
	}
	return timed > 0 ? ns / timed : 0;
}

void costs_settle(struct costs *c)
{
	for (unsigned kind = 0; kind < COST_KINDS; kind++) {
		double mean = mean_of(c, kind);

		for (size_t i = 0; i < c->list.len; i++) {
			struct cost *k = &c->list.data[i].of[kind];

			if (k->timed || !k->fired)
				continue;
			k->timed = 1;
			k->ns = mean < (double)INT64_MAX ? (uint64_t)mean : INT64_MAX;
		}
	}
}

double cost_ns(const struct cost *k, uint64_t way)
{
	double each = k->timed ? (double)k->ns / (double)k->timed : 0;

	return (double)k->fired * (each + (double)way);
}

bool costs_are_possible(const struct costs *c, uint64_t way, uint64_t ns)
{
	double sum = 0, fired = 0;

	for (size_t i = 0; i < c->list.len; i++) {
		sum += cost_ns(&c->list.data[i].of[COST_JUMP], way);
		fired += (double)c->list.data[i].of[COST_JUMP].fired;
	}
	return fired <= (double)claim_most(ns) && sum <= (double)ns * ERROR_MAX;
}

void costs_release(struct costs *c)
{
	vec_release(&c->list);
	map_release(&c->by_probe);
}
