/* SPDX-License-Identifier: MIT */
#include "tracer/targets/site_batch.h"
#include "tracer/base/probe_table.h"
#include "tracer/jit/jit.h"
#include "tracer/output/out.h"
#include "tracer/output/progress.h"
#include "tracer/output/ustack.h"
#include "tracer/targets/cfi_rows.h"
#include "tracer/targets/keeper_death.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/plan.h"
#include "tracer/targets/site_report.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REFUSALS_SHOWN 5     /* of one batch, before "and N more" */
#define WHY_MAX	       65536 /* breakpoints whose reason is kept */

static uint64_t site_key(uint32_t probe, uint64_t arg0)
{
	return (uint64_t)probe << 32 | (uint32_t)arg0;
}

/* Why the site takes no jump, for the end line. */
static void note_why(struct tracer *t, const struct target *target, uint32_t i,
		     const struct keeper_site *sent)
{
	struct site_report r = site_report_of(t, target, &target->sites.data[i], sent);

	if (*r.reason && t->jump_sites.why.len < WHY_MAX)
		map_set(&t->jump_sites.why, site_key(sent->probe, sent->arg0),
			(uintptr_t)r.reason);
}

static void count_jump_sites(struct tracer *t, const struct target *target,
			     const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);

	if (!t->jump_sites.since)
		t->jump_sites.since = clock_now_ns();
	for (uint32_t i = 0; i < sites->nsites; i++) {
		const struct probe *p = probes_get(&t->probes, s[i].probe + 1);

		if (s[i].kind == KEEPER_SITE_HOLD || !p || !p->provider->takes_jumps)
			continue;
		t->jump_sites.jumps += s[i].result == KEEPER_SITE_DETOUR;
		t->jump_sites.breakpoints += s[i].result == KEEPER_SITE_BREAKPOINT;
		if (s[i].result == KEEPER_SITE_BREAKPOINT)
			note_why(t, target, i, &s[i]);
	}
}

/* Reasons that make all of a process slow, though its code would take jumps. */
static bool is_of_process(unsigned reason)
{
	return reason == KEEPER_REASON_DOMAIN || reason == KEEPER_REASON_LIMIT;
}

/* Each once in a run: there may be thousands of such processes. */
static void report_slow(struct tracer *t, const struct target *target,
			const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);

	for (uint32_t i = 0; i < sites->nsites; i++) {
		unsigned reason = s[i].reason;

		if (s[i].result != KEEPER_SITE_BREAKPOINT || !is_of_process(reason) ||
		    t->jump_sites.noticed >> reason & 1)
			continue;
		t->jump_sites.noticed |= UINT64_C(1) << reason;
		out_notice(t->out, "pid %d: breakpoints serve its probes: %s",
			   target->pid, site_report_reason(reason));
	}
}

/* How many sites got no jump because there are so many. */
static void report_full(struct tracer *t, const struct target *target,
			const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);
	const uint64_t bit = UINT64_C(1) << KEEPER_REASON_FULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < sites->nsites; i++)
		n += s[i].result == KEEPER_SITE_BREAKPOINT &&
		     s[i].reason == KEEPER_REASON_FULL;
	if (!n || t->jump_sites.noticed & bit)
		return;
	t->jump_sites.noticed |= bit;
	out_notice(
		t->out,
		"pid %d: breakpoints serve %u of its sites: %s; name fewer functions",
		target->pid, n, site_report_reason(KEEPER_REASON_FULL));
}

static void report_refusal(const struct tracer *t, const struct target *target,
			   const struct keeper_site *s)
{
	const struct probe *p = probes_get(&t->probes, s->probe + 1);

	/* It is not of a probe: it reports new objects, or main(). */
	if (s->kind == KEEPER_SITE_HOLD)
		out_message(t->out, "cannot notice when pid %d loads libraries: %s",
			    target->pid, site_report_reason(s->reason));
	else if (p)
		out_message(t->out, "cannot trace %s:%s:%s:%s at 0x%llx: %s",
			    probes_name(&t->probes, p, PROBE_PROVIDER),
			    probes_name(&t->probes, p, PROBE_MODULE),
			    probes_name(&t->probes, p, PROBE_FUNCTION),
			    probes_name(&t->probes, p, PROBE_NAME),
			    (unsigned long long)s->addr.v,
			    site_report_reason(s->reason));
}

/* Whether sites were refused as those of a process are that dies on the way. */
static bool looks_dead(const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);

	for (uint32_t i = 0; i < sites->nsites; i++)
		if (s[i].result == KEEPER_SITE_REFUSED &&
		    (s[i].reason == KEEPER_REASON_UNREADABLE ||
		     s[i].reason == KEEPER_REASON_UNWRITABLE ||
		     s[i].reason == KEEPER_REASON_NO_SLOT))
			return true;
	return false;
}

static void report_refusals(const struct tracer *t, const struct target *target,
			    const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);
	size_t n = 0;

	if (looks_dead(sites) && target_is_going(target))
		return;
	for (uint32_t i = 0; i < sites->nsites; i++)
		if (s[i].result == KEEPER_SITE_REFUSED &&
		    !keeper_site_is_raw(s[i].kind) && n++ < REFUSALS_SHOWN)
			report_refusal(t, target, &s[i]);
	if (n > REFUSALS_SHOWN)
		out_message(t->out, "%zu more sites cannot be traced",
			    n - REFUSALS_SHOWN);
}

/* Operands that no clause reads are not needed: such a hit costs less. */
static void drop_operands(const struct tracer *t, struct keeper_site *s)
{
	if (keeper_site_convention(s->kind) != REGS_CONVENTION_NOTE ||
	    keeper_site_is_raw(s->kind) || pending_sites_arguments(t, s->probe))
		return;
	s->kind = (uint16_t)keeper_site_event(s->kind);
	s->first_range = 0;
}

/* Copies the sites as the keeper gets them: probes by index, plans only of jumps. */
static void write_sites(const struct tracer *t, const struct target *target,
			struct keeper_site *out)
{
	for (size_t i = 0; i < target->sites.len; i++) {
		out[i] = target->sites.data[i].site;
		drop_operands(t, &out[i]);
		if (out[i].kind != KEEPER_SITE_HOLD)
			out[i].probe--;
		if (out[i].plan && target->plans.data[out[i].plan - 1].reason)
			out[i].plan = 0;
	}
}

/* Their clauses may run inside the process: see target_records(). */
static void mark_jumps(struct tracer *t, const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);

	for (uint32_t i = 0; i < sites->nsites; i++) {
		struct probe *p = s[i].kind == KEEPER_SITE_HOLD || !s[i].plan
					  ? NULL
					  : probes_get(&t->probes, s[i].probe + 1);

		if (p)
			p->may_jump = true;
	}
}

/* Makes the memory file of the request. The keeper writes each site's result into it. */
static int make_sites_file(const struct tracer *t, const struct target *target,
			   struct keeper_sites **map, size_t *size, struct err *e)
{
	size_t nsites = target->sites.len * sizeof(struct keeper_site);
	size_t nranges = target->ranges.len * sizeof(struct addr_range);
	size_t nplans = target->plans.len * sizeof(struct hook_plan);
	char *p;
	int fd;

	*size = sizeof(struct keeper_sites) + nsites + nranges + nplans;
	fd = link_memfd(NULL, *size);
	*map = fd < 0 ? MAP_FAILED
		      : mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*map == MAP_FAILED) {
		int rc = err_errno(e, STATUS_NOMEM, "cannot make the table of sites");

		if (fd >= 0)
			close(fd);
		return rc;
	}
	(*map)->nsites = (uint32_t)target->sites.len;
	(*map)->nranges = (uint32_t)target->ranges.len;
	(*map)->nplans = (uint32_t)target->plans.len;
	write_sites(t, target, (void *)(*map + 1));
	p = (char *)(*map + 1) + nsites;
	if (nranges)
		p = mempcpy(p, target->ranges.data, nranges);
	if (nplans)
		memcpy(p, target->plans.data, nplans);
	return fd;
}

/* Keeps what is needed of the modules even if they, or the process, go. */
static int note_modules(struct tracer *t, struct target *target, struct err *e)
{
	if (t->ustack) {
		ustack_set(t->ustack, target->pid, target->modules);
		jit_follow(t->jit, target->pid);
		for (size_t i = 0;
		     i < target->modules->len && !tracer_is_interrupted(t); i++)
			ustack_keep(t->ustack, target->modules->data[i]);
	}
	return cfi_rows_send(t, target, e);
}

static void forget_unsent(struct target *target)
{
	vec_release(&target->sites);
	vec_release(&target->ranges);
	vec_release(&target->plans);
}

/* Those of probes that have been switched off do not come back in new code. */
static void drop_switched_off(const struct tracer *t, struct target *target)
{
	size_t kept = 0;

	for (size_t i = 0; i < target->sites.len; i++) {
		const struct keeper_site *s = &target->sites.data[i].site;
		const struct probe *p = s->kind == KEEPER_SITE_HOLD
						? NULL
						: probes_get(&t->probes, s->probe);

		if (!p || !p->is_off)
			target->sites.data[kept++] = target->sites.data[i];
	}
	target->sites.len = kept;
}

int site_batch_send(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_SITES, .pid = target->pid}, .nfds = 1};
	struct keeper_msg reply = {0};
	struct keeper_sites *map;
	size_t size;
	int rc;

	rc = note_modules(t, target, e);
	drop_switched_off(t, target);
	if (rc || target->sites.len == 0)
		return rc;
	plan_sites(t, target);
	/* The run ends, and to install many sites takes seconds. */
	if (tracer_is_interrupted(t)) {
		forget_unsent(target);
		return 0;
	}
	keeper_death_save(target);
	for (size_t i = 0; i < t->nproviders; i++)
		if (t->providers[i]->before_sites)
			t->providers[i]->before_sites(t, target);
	if (t->observer)
		t->observer->planned(t->observer->ctx, target);
	req.fds[0] = make_sites_file(t, target, &map, &size, e);
	if (req.fds[0] < 0)
		return req.fds[0];
	mark_jumps(t, map);
	req.msg.memory.bytes = size;
	progress_at(t, "setting sites", "", 0, map->nsites);
	progress_watch(t, &map->progress, KEEPER_SITES_OVER);
	rc = link_call(&t->link, &req, &reply, NULL, e);
	progress_ignore(t);
	if (rc == 0) {
		count_jump_sites(t, target, map);
		report_slow(t, target, map);
		report_full(t, target, map);
	}
	if (rc == 0 && t->observer)
		t->observer->answered(t->observer->ctx, target, map);
	if (rc == 0 && reply.sites_reply.nrefused > 0)
		report_refusals(t, target, map);
	for (size_t i = 0; i < t->nproviders && rc == 0; i++)
		if (t->providers[i]->sites_answered)
			t->providers[i]->sites_answered(t, target, map);
	munmap(map, size);
	close(req.fds[0]);
	forget_unsent(target);
	return rc;
}

const char *site_batch_why(const struct tracer *t, uint32_t probe, uint32_t arg0)
{
	uint64_t text;

	return map_get(&t->jump_sites.why, site_key(probe, arg0), &text)
		       ? (const char *)(uintptr_t)text
		       : "";
}

void site_batch_send_or_report(struct tracer *t, struct target *target)
{
	struct err e;
	int rc = probe_table_update(t, &e);

	if (rc == 0)
		rc = site_batch_send(t, target, &e);
	if (rc)
		site_batch_report(t, target, &e);
}

void site_batch_report(const struct tracer *t, const struct target *target,
		       const struct err *e)
{
	if (e->status != STATUS_GONE && !target_is_going(target))
		out_message(t->out, "pid %d: %s", target->pid, e->text);
}
