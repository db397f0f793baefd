/* SPDX-License-Identifier: MIT */
#include "tracer/plan.h"
#include "hook/target.h"
#include "tracer/prov_diag.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A module as hook/ wants it, and the memory behind. */
struct planner {
	struct planner *next;
	const struct module *module;
	struct module_code *file; /* NULL: it cannot be read */
	struct hook_module view;
	struct hook_branches *branches;
	struct hook_boards *boards;
	bool has_shadow_stack; /* the processor keeps return addresses twice */
	bool is_confined;      /* by a seccomp filter */
	struct {
		struct hook_bytes *data;
		size_t len, cap;
	} code, data;
	struct {
		struct hook_range *data;
		size_t len, cap;
	} functions, unwound;
	struct {
		struct hook_zone *data;
		size_t len, cap;
	} zones;
	struct {
		taddr *data;
		size_t len, cap;
	} pointers;
};

static struct hook_range range_of(const struct module *m, uint64_t value, uint64_t size)
{
	return (struct hook_range){module_address(m, value),
				   module_address(m, value + size)};
}

static void view_code(struct planner *p)
{
	static const enum hook_reason reasons[] = {
		[CODE_ZONE_RSEQ] = HOOK_REASON_RSEQ,
		[CODE_ZONE_SIGNAL] = HOOK_REASON_SIGNAL_FRAME,
		[CODE_ZONE_CANCEL] = HOOK_REASON_CANCELLATION,
	};
	const struct module *m = p->module;
	const struct module_code *c = p->file;

	for (size_t i = 0; i < c->nareas; i++) {
		struct hook_bytes part = {module_address(m, c->areas[i].value),
					  c->areas[i].data, c->areas[i].size};

		if (c->areas[i].is_code)
			*vec_push(&p->code) = part;
		else
			*vec_push(&p->data) = part;
	}
	for (size_t i = 0; i < c->nframes; i++)
		*vec_push(&p->unwound) =
			range_of(m, c->frames[i].value, c->frames[i].size);
	for (size_t i = 0; i < c->npointers; i++)
		*vec_push(&p->pointers) = module_address(m, c->pointers[i]);
	for (size_t i = 0; i < c->nzones; i++)
		*vec_push(&p->zones) = (struct hook_zone){
			range_of(m, c->zones[i].value, c->zones[i].size),
			reasons[c->zones[i].kind]};
}

static int compare_ranges(const void *a, const void *b)
{
	const struct hook_range *x = a, *y = b;

	return (x->lo.v > y->lo.v) - (x->lo.v < y->lo.v);
}

static void view_functions(struct planner *p)
{
	const struct module *m = p->module;

	for (size_t i = 0; i < m->nsymbols; i++)
		*vec_push(&p->functions) =
			range_of(m, m->symbols[i].value, m->symbols[i].size);
	for (size_t i = 0; i < m->nparts; i++)
		*vec_push(&p->functions) =
			range_of(m, m->parts[i].value, m->parts[i].size);
	if (p->functions.len > 0)
		qsort(p->functions.data, p->functions.len, sizeof(*p->functions.data),
		      compare_ranges);
}

static void view_module(struct planner *p)
{
	view_code(p);
	view_functions(p);
	p->view = (struct hook_module){
		.code = p->code.data,
		.ncode = p->code.len,
		.data = p->data.data,
		.ndata = p->data.len,
		.functions = p->functions.data,
		.nfunctions = p->functions.len,
		.unwound = p->unwound.data,
		.nunwound = p->unwound.len,
		.pointers = p->pointers.data,
		.npointers = p->pointers.len,
		.zones = p->zones.data,
		.nzones = p->zones.len,
		.is_fixed = p->file->is_fixed,
	};
	p->branches = hook_branches_new(&p->view);
	p->boards = hook_boards_new();
}

/* What of the process rules jumps out, from /proc/PID/status. */
static void read_status(struct planner *p, int pid)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "Seccomp:", 8) == 0)
			p->is_confined = atoi(line + 8) != 0;
		if (strncmp(line, "x86_Thread_features:", 20) == 0)
			p->has_shadow_stack = strstr(line, "shstk") != NULL;
	}
	fclose(f);
}

static struct planner *planner_of(struct target *target, const struct module *m)
{
	struct planner *p = target->planners;
	struct err e;

	while (p && p->module != m)
		p = p->next;
	if (p)
		return p;
	p = oom_calloc(1, sizeof(*p));
	p->module = m;
	p->next = target->planners;
	target->planners = p;
	read_status(p, target->pid);
	if (module_read_code(m, &p->file, &e) == 0)
		view_module(p);
	else
		p->file = NULL;
	return p;
}

/* Sites at one instruction, or what the planner is told of them. */
struct group {
	size_t first, n; /* in target->sites */
};

/* One part of a function under way. */
struct part {
	struct target *target;
	struct planner *planner;
	struct hook_function f;
	struct {
		struct hook_want *data;
		size_t len, cap;
	} wants;
	struct {
		struct group *data; /* beside wants */
		size_t len, cap;
	} groups;
};

static int read_memory(void *ctx, taddr at, uint8_t *buf, size_t n)
{
	const struct part *part = ctx;

	return target_read(part->target, at, buf, n);
}

static void give_plan(struct target *target, const struct group *g,
		      const struct hook_plan *plan)
{
	*vec_push(&target->plans) = *plan;
	for (size_t i = g->first; i < g->first + g->n; i++)
		target->sites.data[i].site.plan = (uint32_t)target->plans.len;
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	const struct part *part = ctx;
	const struct group *g = &part->groups.data[first];
	const struct group *last = &part->groups.data[first + n - 1];
	const struct group all = {g->first, last->first + last->n - g->first};

	if (plan->reason == HOOK_REASON_NONE && part->planner->is_confined) {
		struct hook_plan refused = {.site = plan->site,
					    .tactic = HOOK_BREAKPOINT,
					    .reason = HOOK_REASON_SECCOMP};

		give_plan(part->target, &all, &refused);
	} else {
		give_plan(part->target, &all, plan);
	}
}

/* What the sites at one address want. */
static void add_want(const struct tracer *t, struct part *part, const struct group *g)
{
	const struct target_pending *sites = &part->target->sites.data[g->first];
	struct hook_want w = {.pc = taddr_of(sites[0].site.addr)};

	for (size_t i = 0; i < g->n; i++) {
		const struct keeper_site *s = &sites[i].site;

		if (!sites[i].module || s->kind == KEEPER_SITE_HOLD ||
		    !target_is_resident(t, s->probe))
			w.no_jump = true;
		if (keeper_site_event(s->kind) == KEEPER_SITE_RETURN)
			w.is_exit = true;
		else
			w.is_before = true;
	}
	*vec_push(&part->wants) = w;
	*vec_push(&part->groups) = *g;
}

/* The sites at the address of number first. */
static struct group group_at(const struct target *target, size_t first)
{
	struct group g = {first, 0};

	while (first + g.n < target->sites.len &&
	       target->sites.data[first + g.n].site.addr ==
		       target->sites.data[first].site.addr)
		g.n++;
	return g;
}

static const struct target_pending *first_of_fpid(const struct target *target,
						  const struct group *g)
{
	for (size_t i = g->first; i < g->first + g->n; i++)
		if (target->sites.data[i].module)
			return &target->sites.data[i];
	return NULL;
}

static void plan_part(struct part *part)
{
	const struct hook_plan unreadable = {.tactic = HOOK_BREAKPOINT,
					     .reason = HOOK_REASON_UNREADABLE};

	part->f.wants = part->wants.data;
	part->f.nwants = part->wants.len;
	part->f.has_shadow_stack = part->planner->has_shadow_stack;
	part->f.boards = part->planner->boards;
	part->f.read = read_memory;
	part->f.plan = take_plan;
	part->f.ctx = part;
	if (part->planner->file)
		hook_plan_function(&part->planner->view, part->planner->branches,
				   &part->f);
	else
		for (size_t i = 0; i < part->groups.len; i++)
			give_plan(part->target, &part->groups.data[i], &unreadable);
	part->wants.len = part->groups.len = 0;
}

/* By address; at one address entry before offset before return, then by probe. */
static int compare_sites(const void *a, const void *b)
{
	const struct keeper_site *x = a, *y = b; /* the first member of both */

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->probe > y->probe) - (x->probe < y->probe);
}

void plan_sites(struct tracer *t, struct target *target)
{
	struct part part = {.target = target};
	struct group g;

	if (!target->sites.len)
		return;
	diag_add_sites(t, target);
	qsort(target->sites.data, target->sites.len, sizeof(*target->sites.data),
	      compare_sites);
	for (size_t i = 0; i < target->sites.len; i += g.n) {
		const struct target_pending *s;
		uint64_t addr = target->sites.data[i].site.addr;

		g = group_at(target, i);
		if (part.wants.len && addr >= part.f.hi.v)
			plan_part(&part);
		s = first_of_fpid(target, &g);
		if (!s && !part.wants.len)
			continue;
		if (!part.wants.len) {
			part.planner = planner_of(target, s->module);
			part.f = (struct hook_function){.lo = s->part.lo,
							.hi = s->part.hi};
		}
		add_want(t, &part, &g);
	}
	if (part.wants.len)
		plan_part(&part);
	vec_release(&part.wants);
	vec_release(&part.groups);
}

void plan_release(struct target *target)
{
	struct planner *next;

	for (struct planner *p = target->planners; p; p = next) {
		next = p->next;
		hook_branches_free(p->branches);
		hook_boards_free(p->boards);
		module_code_free(p->file);
		vec_release(&p->code);
		vec_release(&p->data);
		vec_release(&p->functions);
		vec_release(&p->unwound);
		vec_release(&p->zones);
		vec_release(&p->pointers);
		free(p);
	}
	target->planners = NULL;
}
