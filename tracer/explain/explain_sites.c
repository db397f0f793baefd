/* SPDX-License-Identifier: MIT */
#include "tracer/explain/explain_sites.h"
#include "tracer/output/out.h"
#include "tracer/targets/site_report.h"
#include "vm/base/host/oom.h"
#include "vm/base/text/shown.h"

#include <stdlib.h>
#include <string.h>

#define BREAKPOINT 0xcc

/* A name may come from the target. */
static void add_name(struct explained *x, const struct probe *p, enum probe_field f)
{
	const char *name = probes_name(&x->t->probes, p, f);

	shown_add(&x->text, name, strlen(name), SHOWN_NAME);
}

static void add_probe(struct explained *x, const struct probe *p)
{
	for (int f = 0; f < 4; f++) {
		add_name(x, p, (enum probe_field)f);
		strbuf_putc(&x->text, f < 3 ? ':' : '\n');
	}
}

static void flush(struct explained *x)
{
	if (x->text.len)
		out_text(x->t->out, x->text.data, x->text.len, 0, true);
	strbuf_reset(&x->text);
}

/* "clauses 0 2"; their code comes at the end, once. */
static void add_clauses(struct explained *x, const struct probe *p)
{
	strbuf_puts(&x->text, "  clauses");
	for (size_t i = 0; i < p->nenablings; i++) {
		uint32_t clause = probe_enablings(p)[i].clause;

		strbuf_printf(&x->text, " %u", clause);
		x->has_clause[clause] = true;
	}
	strbuf_putc(&x->text, '\n');
}

static const char *const routine_names[] = {"routine", "light routine"};

static uint32_t noted_routine(const struct explained *x, const struct native_probe *p,
			      uint32_t operands, bool is_light)
{
	if (!is_light)
		return p->noted;
	return operands < x->noperands ? x->native.noted_lights[operands] : 0;
}

/* The routine that runs at a jump of this kind instead of the clauses; 0: none. */
static uint32_t routine_of(const struct explained *x, const struct keeper_site *s,
			   bool is_light)
{
	const struct native_probe *p =
		s->probe <= x->nprobes ? &x->native.probes[s->probe - 1] : NULL;

	if (!p || keeper_site_role(s->kind) ||
	    keeper_site_convention(s->kind) == REGS_CONVENTION_TAIL_CALL)
		return 0;
	if (keeper_site_event(s->kind) == KEEPER_SITE_RETURN)
		return is_light ? p->light_result : p->result;
	if (keeper_site_convention(s->kind) == REGS_CONVENTION_NOTE && p->arguments)
		return noted_routine(x, p, s->first_range, is_light);
	return is_light ? p->light_entry : p->entry;
}

/* "routine 0x10"; its code comes at the end, once. */
static void add_routines(struct explained *x, const struct keeper_site *s)
{
	for (unsigned is_light = 0; is_light < 2; is_light++) {
		uint32_t at = routine_of(x, s, is_light);

		if (!at)
			continue;
		strbuf_printf(&x->text, "  %s 0x%x\n", routine_names[is_light], at);
		map_set(&x->routines, at, is_light);
	}
}

static bool is_explained(const struct tracer *t, const struct keeper_site *s)
{
	const struct probe *p;

	if (s->kind == KEEPER_SITE_HOLD || keeper_site_is_raw(s->kind))
		return false;
	p = probes_get(&t->probes, s->probe);
	return p && p->nenablings > 0;
}

/* The jump that is planned for the site, or NULL. */
static const struct hook_plan *plan_of(const struct target *target,
				       const struct keeper_site *s)
{
	const struct hook_plan *plan =
		s->plan ? &target->plans.data[s->plan - 1] : NULL;

	return plan && hook_plan_is_jump(plan) ? plan : NULL;
}

static void note_site(const struct target *target, size_t index,
		      struct explained_site *out)
{
	const struct keeper_site *s = &target->sites.data[index].site;
	const struct hook_plan *plan = plan_of(target, s);

	*out = (struct explained_site){.index = index};
	site_bytes_read(target, plan ? plan->patch : s->addr,
			plan ? plan->covered : INSN_MAX, &out->before);
	if (plan && hook_plan_has_island(plan))
		site_bytes_read(target, plan->island.at, plan->island.covered,
				&out->island);
}

static void on_planned(void *ctx, const struct target *target)
{
	struct explained *x = ctx;

	x->nsites = 0;
	for (size_t i = 0; i < target->sites.len; i++) {
		if (!is_explained(x->t, &target->sites.data[i].site))
			continue;
		if (x->nshown + x->nsites < EXPLAIN_SITES)
			note_site(target, i, &x->sites[x->nsites++]);
		else
			x->nmore++;
	}
}

/* The bytes of the first instruction, from the address of the site on. */
static struct site_bytes one_instruction(const struct target *target,
					 const struct explained_site *noted, taddr addr)
{
	struct site_bytes one = noted->before;
	size_t skipped = addr.v - one.at.v;
	struct insn in;

	if (skipped >= one.n) /* of a jump that was planned, but not made */
		site_bytes_read(target, addr, INSN_MAX, &one);
	else {
		memmove(one.bytes, one.bytes + skipped, one.n - skipped);
		one.n -= skipped;
	}
	one.at = addr;
	if (decode(one.bytes, one.n, addr, &in) == 0)
		one.n = in.len;
	return one;
}

static void add_how(struct explained *x, const struct target *target,
		    const struct target_pending *site, const struct keeper_site *sent)
{
	const struct probe *p = probes_get(&x->t->probes, site->site.probe);
	struct site_report how = site_report_of(x->t, target, site, sent);
	const char *reason = how.reason;

	if (!p->provider->takes_jumps)
		reason = "its provider takes no jumps; fpid does";
	strbuf_printf(&x->text, "  0x%llx ", (unsigned long long)site->site.addr.v);
	add_name(x, p, PROBE_MODULE);
	strbuf_putc(&x->text, '`');
	add_name(x, p, PROBE_FUNCTION);
	strbuf_printf(&x->text, "+0x%x in pid %d: %s%s%s\n", site->site.arg0,
		      target->pid, how.tactic, *reason ? ": " : "", reason);
}

/* A chain may have found no room, but for its last jump: *tail is that one. */
static const struct hook_plan *as_installed(const struct target *target,
					    const struct hook_plan *plan,
					    struct hook_plan *tail)
{
	struct site_bytes now;

	if (!plan || plan->tactic != HOOK_JMP_CHAIN || !hook_chain_tail(plan, tail))
		return plan;
	site_bytes_read(target, plan->patch, hook_plan_patched(plan), &now);
	/* Else the program's instruction is there, or a breakpoint. */
	return now.n == hook_plan_patched(plan) && now.bytes[0] != BREAKPOINT &&
			       now.bytes[0] != plan->original[0]
		       ? plan
		       : tail;
}

/* Those from a later address on. */
static struct site_bytes from(const struct site_bytes *bytes, taddr at)
{
	struct site_bytes rest = {.at = at};
	size_t skipped = min_u64(at.v - bytes->at.v, bytes->n);

	rest.n = bytes->n - skipped;
	memcpy(rest.bytes, bytes->bytes + skipped, rest.n);
	return rest;
}

static void explain_site(struct explained *x, const struct target *target,
			 const struct explained_site *noted,
			 const struct keeper_site *sent)
{
	const struct target_pending *site = &target->sites.data[noted->index];
	const struct probe *p = probes_get(&x->t->probes, site->site.probe);
	struct site_bytes one, before;
	struct hook_plan tail;
	struct site_code code = {.target = target,
				 .addr = site->site.addr,
				 .before = &noted->before,
				 .island = &noted->island};

	add_probe(x, p);
	add_how(x, target, site, sent);
	if (sent->result == KEEPER_SITE_DETOUR && plan_of(target, &site->site)) {
		code.plan = as_installed(target, plan_of(target, &site->site), &tail);
		before = from(&noted->before, code.plan->patch);
		code.before = &before;
	} else {
		one = one_instruction(target, noted, site->site.addr);
		code.before = &one;
		code.island = NULL;
	}
	if (sent->result != KEEPER_SITE_REFUSED)
		site_code_add(&code, &x->text);
	add_clauses(x, p);
	if (code.plan)
		add_routines(x, &site->site);
	strbuf_putc(&x->text, '\n');
	flush(x);
}

static void on_answered(void *ctx, const struct target *target,
			const struct keeper_sites *sites)
{
	const struct keeper_site *sent = (const void *)(sites + 1);
	struct explained *x = ctx;

	for (size_t i = 0; i < x->nsites; i++)
		explain_site(x, target, &x->sites[i], &sent[x->sites[i].index]);
	x->nshown += x->nsites;
	x->nsites = 0;
}

/* A probe that no code of the program is changed for. */
static void explain_siteless(struct explained *x, const struct probe *p)
{
	static const char *const sources[] = {
		[SOURCE_KEEPER] =
			"no site: the keeper fires it, at stops of the thread",
		[SOURCE_CLOCK] = "no site: a clock of dtrace fires it",
	};
	const struct provider_source source = provider_source(x->t, p);

	if (!p->nenablings || !p->provider || source.by == SOURCE_SITES)
		return;
	if (x->nshown >= EXPLAIN_SITES) {
		x->nmore++;
		return;
	}
	x->nshown++;
	add_probe(x, p);
	strbuf_printf(&x->text, "  %s\n", sources[source.by]);
	add_clauses(x, p);
	strbuf_putc(&x->text, '\n');
}

/* Where the next routine begins, or the padding before it. */
static uint32_t routine_end(const struct explained *x, uint32_t at)
{
	uint32_t end = x->native.n;

	for (uint32_t i = 0; i < x->nprobes; i++) {
		const struct native_probe *p = &x->native.probes[i];

		const uint32_t all[] = {p->entry, p->result, p->noted, p->light_entry,
					p->light_result};

		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			if (all[k] > at)
				end = min_u32(end, all[k]);
	}
	for (uint32_t i = 0; i < x->noperands; i++)
		if (x->native.noted_lights[i] > at)
			end = min_u32(end, x->native.noted_lights[i]);
	while (end > at && x->native.bytes[end - 1] == BREAKPOINT)
		end--;
	return end;
}

static void add_routine_code(struct explained *x, uint32_t at, uint64_t is_light)
{
	strbuf_printf(&x->text, "%s 0x%x\n", routine_names[is_light], at);
	site_code_add_ours(x->native.bytes + at, routine_end(x, at) - at, taddr_of(at),
			   &x->text);
}

/* The code of a clause: for the machine, which every context runs. */
static void add_clause_code(struct explained *x, uint32_t clause)
{
	dump_clause_code(x->t->image, clause, &x->text);
}

void explain_begin(struct tracer *t, struct explained *x)
{
	uint32_t nclauses = program_count(t->image, SECTION_CLAUSE);

	*x = (struct explained){.t = t};
	x->observer = (struct site_observer){x, on_planned, on_answered};
	x->has_clause = oom_calloc(nclauses + 1, sizeof(bool));
	if (t->options.native != NATIVE_OFF)
		native_translate(t->image, t->table, &x->native);
	x->nprobes = x->native.bytes ? t->table->nprobes : 0;
	x->noperands = x->native.bytes ? t->table->noperands : 0;
	t->observer = &x->observer;
}

void explain_end(struct explained *x)
{
	struct tracer *t = x->t;

	t->observer = NULL;
	for (size_t i = 0; i < t->probes.table.len; i++)
		explain_siteless(x, &t->probes.table.data[i]);
	for (uint32_t i = 0; i < program_count(t->image, SECTION_CLAUSE); i++)
		if (x->has_clause[i])
			add_clause_code(x, i);
	for (uint32_t i = 0; i < x->native.n; i++) {
		uint64_t is_light;

		if (map_get(&x->routines, i, &is_light))
			add_routine_code(x, i, is_light);
	}
	flush(x);
	native_release(&x->native);
	map_release(&x->routines);
	if (x->nmore)
		out_notice(t->out, "%zu more probe sites are not shown: name fewer",
			   x->nmore);
	free(x->has_clause);
	strbuf_release(&x->text);
}
