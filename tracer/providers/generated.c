/* SPDX-License-Identifier: MIT */
#include "tracer/providers/generated.h"
#include "tracer/jit/jit.h"
#include "tracer/output/out.h"
#include "tracer/targets/keeper_death.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/site_batch.h"
#include "tracer/targets/target.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS	  (20 * UINT64_C(1000000))
#define TURN_COST 20 /* a turn may take this part of the time ... */
#define TURN_MOST_NS                                                                   \
	(500 * UINT64_C(1000000)) /* ... but this is no longer waited for */
/* Code that is compared before it is touched; fewer bytes at the end of a function. */
#define CODE_SEEN   8
#define SITES_MAX   16384 /* of one process, in its whole life */
#define NOTICES_MAX 8
#define RETRIES_MAX 1000
#define BREAKPOINT  0xcc

/* A breakpoint in generated code. */
struct generated_site {
	uint64_t addr;
	uint32_t probe;
	uint8_t nseen, seen[CODE_SEEN]; /* the program's own bytes */
};

/* One process, and one image of it. */
struct process {
	int pid;
	uint64_t image, generation;
	uint32_t serial; /* functions up to this one have been looked at */
	struct {
		struct generated_site *data;
		size_t len, cap;
	} sites;
	size_t nsites; /* so far */
	uint32_t nnotices, nretries;
};

struct generated {
	struct {
		struct process *data;
		size_t len, cap;
	} processes;
	uint64_t next_turn;
};

bool generated_is_module(const char *field)
{
	return strcmp(field, GENERATED_MODULE) == 0;
}

void generated_free(struct generated *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->processes.len; i++)
		vec_release(&g->processes.data[i].sites);
	vec_release(&g->processes);
	free(g);
}

/* What is known of the process; it begins anew with each image. */
static struct process *process_of(struct tracer *t, int pid)
{
	struct generated *g = t->generated;
	uint64_t image = jit_image(t->jit, (uint64_t)pid);
	struct process *p = NULL;

	for (size_t i = 0; i < g->processes.len && !p; i++)
		if (g->processes.data[i].pid == pid)
			p = &g->processes.data[i];
	if (!p) {
		p = vec_push(&g->processes);
		*p = (struct process){.pid = pid, .image = image};
	}
	if (p->image != image) {
		vec_release(&p->sites);
		*p = (struct process){.pid = pid, .image = image};
	}
	return p;
}

/* ---- descriptions ---- */

/*
 * A name without glob characters is meant as a whole, or without what describes the
 * parameters: "Shop.Worker:Leaf" of "Shop.Worker:Leaf (int)".
 */
static bool function_matches(const char *field, const char *name)
{
	size_t n = strlen(field);

	if (!n || glob_match(field, name))
		return true;
	return !glob_is_pattern(field) && strncmp(field, name, n) == 0 &&
	       (name[n] == ' ' || name[n] == '(');
}

static bool wants_entry(const char *field)
{
	return !*field || glob_match(field, "entry");
}

static uint32_t make_probe(struct tracer *t, const struct generated_request *r,
			   const char *function)
{
	char provider[32];
	uint32_t id;

	snprintf(provider, sizeof(provider), "%s%d", r->prov->name, r->target->family);
	id = probes_add(
		&t->probes, r->prov,
		(const char *const[4]){provider, GENERATED_MODULE, function, "entry"});
	probes_get(&t->probes, id)->is_generated = true;
	return id;
}

static struct generated_site *find_site(struct process *p, uint64_t addr,
					uint32_t probe)
{
	for (size_t i = 0; i < p->sites.len; i++)
		if (p->sites.data[i].addr == addr && p->sites.data[i].probe == probe)
			return &p->sites.data[i];
	return NULL;
}

/* Bytes of the program as they were before a breakpoint of ours was there. */
static bool see_code(struct process *p, const struct target *target,
		     const struct code_function *f, struct generated_site *s)
{
	s->nseen = (uint8_t)min_u64(CODE_SEEN, f->size);
	if (target_read(target, taddr_of(s->addr), s->seen, s->nseen))
		return false;
	for (size_t i = 0; i < p->sites.len; i++)
		if (p->sites.data[i].addr == s->addr)
			s->seen[0] = p->sites.data[i].seen[0];
	return s->seen[0] != BREAKPOINT;
}

/* The breakpoint at the function's entry. False: none can be there. */
static bool add_site(struct tracer *t, struct process *p, struct target *target,
		     const struct code_function *f, uint32_t probe)
{
	struct generated_site s = {.addr = f->start, .probe = probe};

	if (find_site(p, f->start, probe))
		return true;
	if (p->nsites == SITES_MAX) {
		if (p->nnotices++ < NOTICES_MAX)
			out_notice(t->out,
				   "pid %d: %d functions of generated code have had "
				   "probes: no more get one",
				   p->pid, SITES_MAX);
		p->nnotices = NOTICES_MAX;
		return false;
	}
	if (!see_code(p, target, f, &s))
		return false;
	p->nsites++;
	*vec_push(&p->sites) = s;
	pending_sites_add(target, &(struct pending_site){.probe = probe,
							 .kind = KEEPER_SITE_ENTRY,
							 .addr = taddr_of(f->start)});
	return true;
}

/* ---- when compiling ---- */

/* A description, and the functions of a process. */
struct search {
	struct tracer *t;
	const struct generated_request *request;
	struct process *process;
	struct match *match;
};

static bool found_function(void *ctx, const struct code_function *f, bool is_replaced)
{
	struct search *s = ctx;
	uint32_t id;

	if (is_replaced || !function_matches(s->request->function, f->name))
		return true;
	id = make_probe(s->t, s->request, f->name);
	if (add_site(s->t, s->process, s->request->target, f, id))
		match_add(s->match, id);
	return true;
}

int generated_provide(struct tracer *t, const struct generated_request *r,
		      struct match *m, struct err *e)
{
	struct search s = {t, r, NULL, m};

	if (!wants_entry(r->name))
		return err_tag(e, "D_PROC_NAME",
			       "'%s' is an invalid probe name: generated code has "
			       "only entry probes",
			       r->name);
	if (!t->generated)
		t->generated = oom_calloc(1, sizeof(*t->generated));
	jit_follow(t->jit, r->target->pid);
	jit_look(t->jit, (uint64_t)r->target->pid);
	s.process = process_of(t, r->target->pid);
	jit_each(t->jit, (uint64_t)r->target->pid, 0, found_function, &s);
	m->is_awaited = !m->ids.len && !t->is_listing;
	return 0;
}

static bool is_named(const struct tracer *t, const struct target *target,
		     const char *field)
{
	for (size_t k = 0; k < t->nproviders; k++) {
		const struct provider *prov = t->providers[k];

		if (prov->names_family &&
		    prov->names_family(prov, field, target->family))
			return true;
	}
	return false;
}

void generated_explain_none(const struct tracer *t, const char *const field[4],
			    struct match *m)
{
	int pid = 0;

	if (!generated_is_module(field[1]) || *m->hint)
		return;
	for (size_t i = 0; i < t->targets.len; i++) {
		const struct target *target = t->targets.data[i];

		if (!is_named(t, target, field[0]))
			continue;
		jit_look(t->jit, (uint64_t)target->pid);
		if (jit_generation(t->jit, (uint64_t)target->pid))
			return;
		pid = pid ? pid : target->pid;
	}
	if (pid)
		snprintf(m->hint, sizeof(m->hint),
			 "process %d lists no generated code, in a perf map "
			 "(/tmp/perf-PID.map) or in a jitdump file: see GENERATED CODE "
			 "in dtrace-d(7)",
			 pid);
}

/* ---- while tracing ---- */

static void report_changed(const struct tracer *t, struct process *p,
			   const struct generated_site *s)
{
	const struct probe *probe = probes_get(&t->probes, s->probe);

	if (p->nnotices >= NOTICES_MAX)
		return;
	p->nnotices++;
	out_notice(t->out, "pid %d: the code of '%s' has changed: its probe is gone%s",
		   p->pid, probes_name(&t->probes, probe, PROBE_FUNCTION),
		   p->nnotices == NOTICES_MAX ? "; others are not reported" : "");
}

/* Takes the site away, in the process and here. */
static void drop_site(struct tracer *t, struct process *p, struct target *target,
		      size_t i)
{
	const struct generated_site s = p->sites.data[i];
	const struct addr_range r = {taddr_of(s.addr), taddr_of(s.addr + 1)};
	struct link_request req = {.msg = {.type = KEEPER_REQ_DROP,
					   .pid = target->pid,
					   .forget = {r.lo, r.hi}}};
	struct err ignored; /* the exit of a dead target is an event */

	link_call(&t->link, &req, NULL, NULL, &ignored);
	pending_sites_forget(target, r);
	keeper_death_forget(target, r);
	p->sites.data[i] = p->sites.data[--p->sites.len];
}

/* At all functions. */
static void look_again(struct process *p)
{
	p->serial = 0;
	p->generation = 0;
}

enum code_state {
	INTACT,
	LIFTED, /* the program has written the same code once more */
	CHANGED,
};

/* What is at the site now. */
static enum code_state state_of(const struct target *target,
				const struct generated_site *s)
{
	uint8_t now[CODE_SEEN];

	if (target_read(target, taddr_of(s->addr), now, s->nseen) ||
	    memcmp(now + 1, s->seen + 1, s->nseen - 1u) != 0)
		return CHANGED;
	if (now[0] == BREAKPOINT)
		return INTACT;
	return now[0] == s->seen[0] ? LIFTED : CHANGED;
}

/* Whether the function that was at the site is what its process lists there. */
static bool is_listed(const struct tracer *t, const struct process *p,
		      const struct generated_site *s)
{
	const struct code_function *f = jit_at(t->jit, (uint64_t)p->pid, s->addr);
	const struct probe *probe = probes_get(&t->probes, s->probe);

	return f && f->start == s->addr &&
	       strcmp(f->name, probes_name(&t->probes, probe, PROBE_FUNCTION)) == 0;
}

/* Takes away probes of code that is no more what it was. */
static void drop_changed(struct tracer *t, struct process *p, struct target *target)
{
	for (size_t i = 0; i < p->sites.len;) {
		const struct generated_site s = p->sites.data[i];
		enum code_state state =
			is_listed(t, p, &s) ? state_of(target, &s) : CHANGED;

		if (state == INTACT) {
			i++;
			continue;
		}
		if (state == CHANGED)
			report_changed(t, p, &s);
		else
			look_again(p); /* it is set again */
		drop_site(t, p, target, i);
	}
}

/* A target, and the new functions in it. */
struct growth {
	struct tracer *t;
	struct target *target;
	struct process *process;
	uint32_t last;
};

static void apply_spec(struct growth *g, struct trace_spec *spec,
		       const struct code_function *f)
{
	struct tracer *t = g->t;

	for (size_t k = 0; k < t->nproviders; k++) {
		const struct provider *prov = t->providers[k];
		const struct generated_request r = {prov, g->target, spec->field[2],
						    spec->field[3]};
		uint32_t id;

		if (!prov->names_family ||
		    !prov->names_family(prov, spec->field[0], g->target->family) ||
		    !function_matches(r.function, f->name))
			continue;
		id = make_probe(t, &r, f->name);
		if (!add_site(t, g->process, g->target, f, id) ||
		    !id_set_add(&spec->seen, id))
			continue;
		probes_enable(&t->probes, id, spec->clause);
		probes_record(&t->probes, id);
	}
}

static bool grown(void *ctx, const struct code_function *f, bool is_replaced)
{
	struct growth *g = ctx;

	if (f->serial > g->last)
		g->last = f->serial;
	for (size_t i = 0; i < g->t->specs.len && !is_replaced; i++) {
		struct trace_spec *spec = &g->t->specs.data[i];

		if (!spec->id && generated_is_module(spec->field[1]))
			apply_spec(g, spec, f);
	}
	return !tracer_is_interrupted(g->t);
}

static void turn_target(struct tracer *t, struct target *target)
{
	struct process *p;
	struct growth g = {t, target, NULL, 0};
	uint64_t generation;

	jit_follow(t->jit, target->pid);
	jit_look(t->jit, (uint64_t)target->pid);
	p = g.process = process_of(t, target->pid);
	generation = jit_generation(t->jit, (uint64_t)target->pid);
	drop_changed(t, p, target);
	if (generation == p->generation)
		return;
	p->generation = generation;
	g.last = p->serial;
	jit_each(t->jit, (uint64_t)target->pid, p->serial, grown, &g);
	p->serial = g.last;
	if (target->sites.len)
		site_batch_send_or_report(t, target);
}

void generated_turn(struct tracer *t, uint64_t now_ns)
{
	struct generated *g = t->generated;

	if (!g || now_ns < g->next_turn)
		return;
	for (size_t i = 0; i < t->targets.len; i++) {
		struct target *target = t->targets.data[i];

		if (target->alive && target->active && target->ready && !target->held &&
		    !target->is_siteless)
			turn_target(t, target);
	}
	g->next_turn = clock_now_ns();
	g->next_turn +=
		TURN_NS + min_u64(TURN_MOST_NS, (g->next_turn - now_ns) * TURN_COST);
}

uint64_t generated_wakeup(const struct tracer *t)
{
	return t->generated ? t->generated->next_turn : UINT64_MAX;
}

/* Its page was not executable: it is being written to, or never will be. */
static void try_again(struct process *p, struct target *target, taddr at)
{
	if (p->nretries == RETRIES_MAX || !target)
		return;
	p->nretries++;
	look_again(p);
	pending_sites_forget(target, (struct addr_range){at, taddr_add(at, 1)});
}

void generated_answered(struct tracer *t, const struct target *target,
			const struct keeper_sites *sites)
{
	const struct keeper_site *sent = (const void *)(sites + 1);

	for (uint32_t i = 0; t->generated && i < sites->nsites; i++) {
		const struct probe *probe = probes_get(&t->probes, sent[i].probe + 1);
		struct process *p;
		struct generated_site *s;

		if (sent[i].result != KEEPER_SITE_REFUSED || !probe ||
		    !probe->is_generated)
			continue;
		p = process_of(t, target->pid);
		s = find_site(p, sent[i].addr.v, probe->id);
		if (s)
			*s = p->sites.data[--p->sites.len];
		if (sent[i].reason == KEEPER_REASON_NOT_CODE)
			try_again(p, target_find(t, target->pid), sent[i].addr);
	}
}
