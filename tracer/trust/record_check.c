/* SPDX-License-Identifier: MIT */
#include "tracer/trust/record_check.h"
#include "tracer/trust/agg_writers.h"
#include "tracer/trust/clause_items.h"
#include "tracer/trust/inside.h"
#include "tracer/trust/plain_records.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/tuple.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define CPUS_MAX     8192 /* of a kernel for x86-64: of this machine, or a recorded one */
/* Probe and process of firings that were allowed, by a hash of them. A power of two. */
#define ALLOWED 1024u

struct allowed {
	uint32_t probe, pid; /* probe 0: empty */
};

/* The same for what records of the process, in this context, said of the clause. */
struct known_origin {
	uint32_t probe, pid; /* probe 0: empty; pid 0: not of a target */
	uint32_t clause, epid;
	enum exec_context context;
};

/* In record_check.updates: the process does update the aggregation. */
#define UPDATES UINT64_MAX

struct record_check {
	struct record_check_config config;
	struct clause_items items;
	struct plain_records plain;
	bool *has_place; /* by action: it records a stack or an address */
	struct agg_writers writers;
	/* Process and aggregation -> UPDATES, or the number of probes looked at. */
	struct map updates;
	uint64_t clock; /* what it said last */
	uint32_t ncpus; /* that records of targets may name */
	struct allowed allowed[ALLOWED];
	struct known_origin known[ALLOWED];
};

static bool has_place(const void *image, const struct program_action *a)
{
	for (uint32_t i = 0; i < a->nfields; i++)
		if (program_is_location(program_field(image, a->first_field + i)))
			return true;
	return false;
}

struct record_check *record_check_new(const struct record_check_config *config)
{
	struct record_check *c = oom_calloc(1, sizeof(*c));
	uint32_t n = program_count(config->image, SECTION_ACTION);

	c->config = *config;
	c->ncpus = (uint32_t)max_u64(1, (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
	clause_items_init(&c->items, config->image);
	plain_records_init(&c->plain, &c->items);
	agg_writers_find(&c->writers, config->image);
	c->has_place = oom_calloc((size_t)n + 1, sizeof(*c->has_place));
	for (uint32_t i = 0; i < n; i++)
		c->has_place[i] =
			has_place(config->image, program_action(config->image, i));
	return c;
}

void record_check_free(struct record_check *c)
{
	if (!c)
		return;
	clause_items_release(&c->items);
	plain_records_release(&c->plain);
	vec_release(&c->writers);
	map_release(&c->updates);
	free(c->has_place);
	free(c);
}

/* ---- where it comes from ---- */

static bool is_enabled(const struct probe *p, const struct record *r)
{
	for (size_t i = 0; i < p->nenablings; i++)
		if (probe_enablings(p)[i].epid == r->epid)
			return probe_enablings(p)[i].clause == r->clause;
	return false;
}

static bool fires_inside(struct record_check *c, const struct probe *p, uint32_t pid)
{
	struct allowed *known = &c->allowed[(p->id ^ pid * 31) % ALLOWED];

	if (!c->config.fires_inside || (known->probe == p->id && known->pid == pid))
		return true;
	if (!c->config.fires_inside(c->config.ctx, pid, p))
		return false;
	*known = (struct allowed){p->id, pid};
	return true;
}

/* Whether the record may be of this thread, whatever it says. */
static bool is_of_thread(const struct record_check *c, const struct record_origin *from,
			 const struct record *r)
{
	if (from->context != CONTEXT_RESIDENT)
		return r->cpu < CPUS_MAX;
	return r->cpu < c->ncpus && (!from->pid || r->pid == from->pid) &&
	       (!from->tid || r->tid == from->tid);
}

/*
 * The front and the keeper run what check_contexts() of run.c let pass: a clause that one
 * context of the provider can run. Only resident code is never given another one.
 */
static bool is_clause_there(struct record_check *c, const struct record_origin *from,
			    const struct record *r)
{
	const struct probe *p = probes_get(c->config.probes, r->probe);

	if (!p || !is_enabled(p, r) || !probe_fires_in(p, from->context))
		return false;
	if (from->context != CONTEXT_RESIDENT)
		return true;
	return program_clause(c->config.image, r->clause)->contexts &
		       CONTEXT_RESIDENT &&
	       fires_inside(c, p, r->pid);
}

static bool is_from(struct record_check *c, const struct record_origin *from,
		    const struct record *r)
{
	const struct known_origin now = {
		.probe = r->probe,
		.pid = from->context == CONTEXT_RESIDENT ? r->pid : 0,
		.clause = r->clause,
		.epid = r->epid,
		.context = from->context,
	};
	struct known_origin *known = &c->known[(r->epid ^ now.pid * 31) % ALLOWED];

	if (!is_of_thread(c, from, r))
		return false;
	if (known->probe && known->probe == now.probe && known->pid == now.pid &&
	    known->clause == now.clause && known->epid == now.epid &&
	    known->context == now.context)
		return true;
	if (!is_clause_there(c, from, r))
		return false;
	*known = now;
	return true;
}

/* ---- what it says ---- */

/* The first word of a stack or address is the process, or 0 for the kernel's side. */
static bool is_own_place(const struct tuple_value *v, uint32_t process)
{
	uint64_t pid;

	if (v->len < sizeof(pid))
		return false;
	memcpy(&pid, v->bytes, sizeof(pid));
	return pid == 0 || pid == process;
}

static bool are_own_places(const struct record_check *c, const struct record *r,
			   const struct record_item *item, const void *payload)
{
	const void *image = c->config.image;
	const struct program_action *a = program_action(image, item->action);
	struct tuple_value v;
	size_t pos = 0;

	for (uint32_t i = 0; i < a->nfields; i++) {
		const struct program_field *f =
			program_field(image, a->first_field + i);

		if (tuple_next(payload, item->size, &pos, f, &v) ||
		    (program_is_location(f) && !is_own_place(&v, r->pid)))
			return false;
	}
	return true;
}

/* Whether all stacks and addresses of the record are of its own process. */
static bool has_own_places(const struct record_check *c, const struct record *r)
{
	const char *p = (const char *)(r + 1), *end = (const char *)r + r->size;
	struct record_item item;

	for (; p < end; p += item.size) {
		memcpy(&item, p, sizeof(item));
		p += sizeof(item);
		if (c->has_place[item.action] && !are_own_places(c, r, &item, p))
			return false;
	}
	return true;
}

static bool is_data(struct record_check *c, const struct record *r)
{
	return clause_items_are_possible(&c->items, r->clause, r + 1,
					 r->size - sizeof(*r)) &&
	       (!r->spec || clause_items_speculates(&c->items, r->clause)) &&
	       has_own_places(c, r);
}

static bool is_fault_number(int32_t fault)
{
	switch (fault) {
#define FAULT(name, value, text, has_address) case value:
#include "vm/fault.def"
#undef FAULT
		return true;
	}
	return false;
}

/* The statement is the one that the instruction belongs to. */
static bool is_fault(const struct record_check *c, const struct record *r)
{
	const void *image = c->config.image;
	const struct program_clause *clause = program_clause(image, r->clause);
	const struct program_stmt *stmt = program_section(image, SECTION_STMT);
	const struct record_fault *f = (const void *)(r + 1);
	uint32_t action = 0;

	if (f->insn >= clause->count || !is_fault_number(f->fault))
		return false;
	for (uint32_t i = 0; i < clause->nstmts; i++)
		if (stmt[clause->stmt + i].first <= clause->first + f->insn)
			action = stmt[clause->stmt + i].action;
	return f->action == action;
}

/* ---- when ---- */

static uint64_t read_clock(const struct record_check *c)
{
	struct timespec ts;

	if (c->config.now)
		return c->config.now(c->config.ctx);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static void set_time(struct record_check *c, struct record *r, uint64_t *last)
{
	if (r->time > c->clock)
		c->clock = max_u64(c->clock, read_clock(c));
	r->time = max_u64(min_u64(r->time, c->clock), *last);
	*last = r->time;
}

bool record_check_accepts_plain(struct record_check *c,
				const struct record_origin *from, struct record *r,
				uint64_t *last)
{
	if (!plain_records_have(&c->plain, r) || !is_from(c, from, r))
		return false;
	set_time(c, r, last);
	return true;
}

bool record_check_accepts(struct record_check *c, const struct record_origin *from,
			  struct record *r, uint64_t *last)
{
	bool is_good;

	if (!is_from(c, from, r))
		return false;
	if (r->kind == RECORD_DATA)
		is_good = is_data(c, r);
	else if (r->kind == RECORD_FAULT)
		is_good = is_fault(c, r);
	else
		is_good = clause_items_ends_speculation(&c->items, r->clause,
							(enum record_kind)r->kind);
	if (is_good)
		set_time(c, r, last);
	return is_good;
}

/* ---- aggregations ---- */

/* Whether the probe has a clause that updates the aggregation inside the process. */
static bool updates_inside(struct record_check *c, const struct probe *p, uint32_t pid,
			   uint32_t agg)
{
	for (size_t i = 0; i < p->nenablings; i++) {
		uint32_t clause = probe_enablings(p)[i].clause;

		if (agg_writers_have(&c->writers, agg, clause) &&
		    clause_runs_inside(c->config.image, p, clause))
			return fires_inside(c, p, pid);
	}
	return false;
}

static bool is_updated_inside(struct record_check *c, uint32_t pid, uint32_t agg)
{
	const struct probes *ps = c->config.probes;

	for (size_t i = 0; i < ps->table.len; i++)
		if (updates_inside(c, &ps->table.data[i], pid, agg))
			return true;
	return false;
}

/* An answer of false lasts until there are more probes. */
static bool may_update(struct record_check *c, uint32_t pid, uint32_t agg)
{
	uint64_t key = (uint64_t)pid << 32 | agg, refused_at;
	uint64_t now = c->config.probes->table.len;
	bool is_known = map_get(&c->updates, key, &refused_at);

	if (!is_known || (refused_at != UPDATES && refused_at != now)) {
		refused_at = is_updated_inside(c, pid, agg) ? UPDATES : now;
		map_set(&c->updates, key, refused_at);
	}
	return refused_at == UPDATES;
}

bool record_check_accepts_element(struct record_check *c, uint32_t pid,
				  const struct agg_entry_view *e)
{
	const void *image = c->config.image;
	const struct program_agg *a = program_agg(image, e->agg);
	struct tuple_value v;
	size_t pos = 0;

	if (!may_update(c, pid, e->agg))
		return false;
	for (uint32_t i = 0; i < a->nkeys; i++) {
		const struct program_field *f = program_field(image, a->first_key + i);

		if (tuple_next(e->key, e->key_size, &pos, f, &v) ||
		    (program_is_location(f) && !is_own_place(&v, pid)))
			return false;
	}
	return true;
}
