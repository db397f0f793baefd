/* SPDX-License-Identifier: MIT */
#include "tracer/records/costs.h"
#include "vm/base/host/vec.h"

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

	to->fired += m->fired;
	to->timed += m->timed;
	to->ns += m->ns;
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

void costs_release(struct costs *c)
{
	vec_release(&c->list);
	map_release(&c->by_probe);
}
