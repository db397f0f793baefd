/* SPDX-License-Identifier: MIT */
/*
 * What the firings of each probe cost, summed up over slots (vm/meter.h).
 */
#ifndef TRACER_RECORDS_COSTS_H
#define TRACER_RECORDS_COSTS_H

#include "vm/base/host/map.h"
#include "vm/meter.h"

/* Numbers may be a target's lies: sums that do not fit stay at the largest. */
struct cost {
	uint64_t fired, timed, ns; /* as in struct meter */
};

/* By what ran the clauses: resident code, by a jump, or the keeper, by a stop. */
enum { COST_JUMP, COST_STOP, COST_KINDS };

struct probe_cost {
	uint32_t probe; /* id; 0: all that found no meter free */
	struct cost of[COST_KINDS];
};

struct costs {
	struct {
		struct probe_cost *data;
		size_t len, cap;
	} list;
	struct map by_probe; /* id -> index */
};

/* Which probes may fire in a process: what its memory says of others is not counted. */
struct costs_filter {
	bool (*may_fire)(void *ctx, uint32_t pid, uint32_t probe);
	void *ctx;
	uint64_t way; /* to the clauses by a jump and back, ns; 0: not known */
};

void costs_add(struct costs *c, const struct meter *m, unsigned kind);
void costs_add_all(struct costs *c, const struct costs *from);
/* All meters of a slot. pid: of the process that can write to it; 0: none can. */
void costs_add_slot(struct costs *c, const struct state *s, uint32_t slot,
		    const struct costs_filter *filter, uint32_t pid);
/* Of one process: firings that were never measured take the mean of those that were. */
void costs_settle(struct costs *c);
/* What one kind of firings took, in ns, each with its way. */
double cost_ns(const struct cost *k, uint64_t way);
/*
 * Whether jumps can have cost that in so many ns of all processors together. They are
 * extrapolated: so several times as much is taken for possible.
 */
bool costs_are_possible(const struct costs *c, uint64_t way, uint64_t ns);
void costs_release(struct costs *c);

#endif
