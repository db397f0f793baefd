/* SPDX-License-Identifier: MIT */
#include "tracer/plan.h"
#include "hook/target.h"
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

void plan_entry(struct target *target, const struct module *m, struct code_range range,
		struct hook_plan *out)
{
	struct planner *p = planner_of(target, m);
	uint8_t memory[HOOK_COVERED_MAX];
	struct hook_entry entry = {.lo = range.lo, .hi = range.hi, .memory = memory};

	*out = (struct hook_plan){.site = range.lo,
				  .tactic = HOOK_BREAKPOINT,
				  .reason = HOOK_REASON_UNREADABLE};
	if (!p->file)
		return;
	entry.has_shadow_stack = p->has_shadow_stack;
	entry.n = sizeof(memory); /* the padding behind it as well, if it is there */
	if (target_read(target, range.lo, memory, entry.n)) {
		entry.n = min_u64(sizeof(memory), range.hi.v - range.lo.v);
		if (target_read(target, range.lo, memory, entry.n))
			return;
	}
	hook_plan_entry(&p->view, p->branches, &entry, out);
	if (p->is_confined && out->reason == HOOK_REASON_NONE) {
		out->tactic = HOOK_BREAKPOINT;
		out->reason = HOOK_REASON_SECCOMP;
	}
}

void plan_release(struct target *target)
{
	struct planner *next;

	for (struct planner *p = target->planners; p; p = next) {
		next = p->next;
		hook_branches_free(p->branches);
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

const char *plan_text(const struct hook_plan *plan, char buf[PLAN_TEXT_MAX])
{
	static const char *const tactics[] = {
		[HOOK_JMP] = "jump",
		[HOOK_CALL] = "retargeted call",
		[HOOK_BREAKPOINT] = "breakpoint",
		[HOOK_REFUSED] = "refused",
	};

	if (plan->reason == HOOK_REASON_NONE)
		return tactics[plan->tactic];
	snprintf(buf, PLAN_TEXT_MAX, "%s: %s", tactics[plan->tactic],
		 hook_reason_text(plan->reason));
	return buf;
}
