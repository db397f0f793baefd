/* SPDX-License-Identifier: MIT */
#include "tracer/targets/site_batch.h"
#include "tracer/base/place_keys.h"
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
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARG0	       1u    /* of pending_sites_arguments() */
#define REFUSALS_SHOWN 5     /* of one batch, before "and N more" */
#define WHY_MAX	       65536 /* breakpoints whose reason is kept */

/* Sites in one request: the next are planned meanwhile. Each stops all threads and looks
 * at all mappings once, so more sites come in larger requests, not in more of them; the
 * keeper begins with a small one. */
#define REQUESTS   64
#define SITES_MIN  2560
#define SITES_MOST 16384

struct batch_places {
	struct keeper_places *data;
	size_t len, cap;
};

struct batch_ranges {
	struct addr_range *data;
	size_t len, cap;
};

/*
 * A request: its memory file, and what was planned. The file and the memory are used
 * again for a later one.
 */
struct flight {
	struct target_sites sites;
	struct target_plans plans;
	struct keeper_sites *map; /* NULL: there is no file yet */
	size_t size;		  /* of the mapping */
	size_t bytes;		  /* of the request */
	int fd;
};

/* One call of site_batch_send(). */
struct sending {
	struct tracer *t;
	struct target *target;
	struct plan_run *plan;
	struct flight flights[2]; /* one is filled while the keeper has the other */
	struct flight *sent;	  /* that which the keeper has; NULL: none */
	size_t nflights;	  /* that were sent */
	size_t landed;		  /* sites that the keeper has answered */
	size_t refused;		  /* those of them that it refused, of probes */
	size_t nfull;		  /* those that got no jump because there are so many */
	bool is_blind;		  /* it was said that new libraries are not noticed */
};

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

static void count_full(struct sending *s, const struct keeper_sites *sites)
{
	const struct keeper_site *sent = (const void *)(sites + 1);

	for (uint32_t i = 0; i < sites->nsites; i++)
		s->nfull += sent[i].result == KEEPER_SITE_BREAKPOINT &&
			    sent[i].reason == KEEPER_REASON_FULL;
}

/* How many sites got no jump because there are so many. */
static void report_full(struct tracer *t, const struct target *target, size_t n)
{
	const uint64_t bit = UINT64_C(1) << KEEPER_REASON_FULL;

	if (!n || t->jump_sites.noticed & bit)
		return;
	t->jump_sites.noticed |= bit;
	out_notice(
		t->out,
		"pid %d: breakpoints serve %zu of its sites: %s; name fewer functions",
		target->pid, n, site_report_reason(KEEPER_REASON_FULL));
}

/* Of several sites that show new objects, one is enough. */
static bool is_said(struct sending *s, const struct keeper_site *sent)
{
	bool is_again = s->is_blind;

	if (sent->kind != KEEPER_SITE_HOLD ||
	    keeper_site_leaves(sent->kind, sent->arg0))
		return false;
	s->is_blind = true;
	return is_again;
}

static void report_refusal(const struct tracer *t, const struct target *target,
			   const struct keeper_site *s)
{
	const struct probe *p = probes_get(&t->probes, s->probe + 1);

	/* It is not of a probe: it shows frames that are left, new objects, or main(). */
	if (keeper_site_leaves(s->kind, s->arg0))
		out_message(t->out,
			    "cannot notice which frames pid %d leaves at 0x%llx: %s",
			    target->pid, (unsigned long long)s->addr.v,
			    site_report_reason(s->reason));
	else if (s->kind == KEEPER_SITE_HOLD)
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

/*
 * Pages of code that is made, or that the program maps itself, may not be executable
 * while others are.
 */
static bool is_tried_again(const struct sending *s, const struct keeper_site *sent)
{
	const struct probe *p = probes_get(&s->t->probes, sent->probe + 1);

	if (sent->reason != KEEPER_REASON_NOT_CODE)
		return false;
	if (!s->target->mapped.is_looking)
		return p && p->is_generated;
	pending_sites_forget(s->target,
			     (struct addr_range){sent->addr, taddr_add(sent->addr, 1)});
	return true;
}

static void report_refusals(struct sending *s, const struct keeper_sites *sites)
{
	const struct keeper_site *sent = (const void *)(sites + 1);

	if (looks_dead(sites) && target_is_going(s->target))
		return;
	for (uint32_t i = 0; i < sites->nsites; i++)
		if (sent[i].result == KEEPER_SITE_REFUSED &&
		    !keeper_site_is_raw(sent[i].kind) && !is_tried_again(s, &sent[i]) &&
		    !is_said(s, &sent[i]) && s->refused++ < REFUSALS_SHOWN)
			report_refusal(s->t, s->target, &sent[i]);
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

/* Nor is it, if no clause reads the result, that another function makes it. */
static void drop_tail_call(const struct tracer *t, struct keeper_site *s)
{
	if (keeper_site_convention(s->kind) == REGS_CONVENTION_TAIL_CALL &&
	    !keeper_site_is_raw(s->kind) && !keeper_site_role(s->kind) &&
	    !(pending_sites_arguments(t, s->probe) & ~ARG0))
		s->kind = KEEPER_SITE_RETURN;
}

/*
 * Writes the sites as the keeper gets them: probes by index, plans only of jumps, and
 * their ranges alone. Successive sites of one function share them.
 */
static void write_sites(const struct tracer *t, const struct target *target,
			struct keeper_site *out, struct batch_ranges *ranges)
{
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < target->sites.len; i++) {
		struct keeper_site s = target->sites.data[i].site;

		drop_operands(t, &s);
		drop_tail_call(t, &s);
		if (s.kind != KEEPER_SITE_HOLD)
			s.probe--;
		if (s.plan && target->plans.data[s.plan - 1].reason)
			s.plan = 0;
		for (uint32_t k = 0; s.first_range != last && k < s.nranges; k++)
			*vec_push(ranges) = target->ranges.data[s.first_range + k];
		if (s.nranges) {
			last = s.first_range;
			s.first_range = (uint32_t)ranges->len - s.nranges;
		}
		out[i] = s;
	}
}

/* The key of a site's address, or 0. */
static uint32_t place_of(const struct tracer *t, const struct target *target, taddr at)
{
	const struct module *m = modules_at(target->modules, at);

	return m ? place_keys_of(t->place_keys, m, at) : 0;
}

/* Which code of the sites, which ascend, has place keys. */
static void find_places(const struct tracer *t, const struct target *target,
			struct batch_places *out)
{
	struct keeper_places *last = NULL;

	if (!t->place_keys || !t->place_keys->files.len || !target->modules)
		return;
	for (size_t i = 0; i < target->sites.len; i++) {
		const taddr at = target->sites.data[i].site.addr;
		const struct addr_range code = {at, taddr_add(at, 1)};
		const uint64_t key = place_of(t, target, at);

		if (!key) {
			last = NULL;
		} else if (last && key - last->first == at.v - last->code.lo.v) {
			last->code.hi = code.hi;
		} else {
			last = vec_push(out);
			*last = (struct keeper_places){code, key};
		}
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

/* The ranges that the sites may need. */
static size_t count_ranges(const struct target *target)
{
	uint32_t last = UINT32_MAX;
	size_t n = 0;

	for (size_t i = 0; i < target->sites.len; i++) {
		const struct keeper_site *s = &target->sites.data[i].site;

		if (s->nranges && s->first_range != last)
			n += s->nranges;
		last = s->nranges ? s->first_range : last;
	}
	return n;
}

static void close_file(struct flight *f)
{
	if (!f->map)
		return;
	munmap(f->map, f->size);
	close(f->fd);
	f->map = NULL;
}

/* Makes the memory file, if it is too small. The keeper writes each site's result into
 * it. */
static int make_file(struct flight *f, size_t size, struct err *e)
{
	if (f->map && size <= f->size)
		return 0;
	close_file(f);
	f->fd = link_memfd(NULL, size);
	f->map = f->fd < 0 ? MAP_FAILED
			   : mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_POPULATE, f->fd, 0);
	if (f->map != MAP_FAILED) {
		f->size = size;
		return 0;
	}
	f->map = NULL;
	err_errno(e, STATUS_NOMEM, "cannot make the table of sites");
	if (f->fd >= 0)
		close(f->fd);
	return e->status;
}

/* Writes the request. */
static int fill(const struct sending *s, struct flight *f, struct err *e)
{
	const struct target *target = s->target;
	size_t nsites = target->sites.len * sizeof(struct keeper_site);
	size_t nplans = target->plans.len * sizeof(struct hook_plan);
	struct batch_ranges ranges = {0};
	struct batch_places places = {0};
	char *p;
	int rc;

	find_places(s->t, target, &places);
	f->bytes = sizeof(*f->map) + nsites + places.len * sizeof(*places.data) +
		   count_ranges(target) * sizeof(*ranges.data) + nplans;
	rc = make_file(f, f->bytes, e);
	if (rc) {
		vec_release(&places);
		return rc;
	}
	write_sites(s->t, target, (void *)(f->map + 1), &ranges);
	*f->map = (struct keeper_sites){.nsites = (uint32_t)target->sites.len,
					.nranges = (uint32_t)ranges.len,
					.nplans = (uint32_t)target->plans.len,
					.nplaces = (uint32_t)places.len};
	p = (char *)(f->map + 1) + nsites;
	if (ranges.len)
		p = mempcpy(p, ranges.data, ranges.len * sizeof(*ranges.data));
	if (places.len)
		p = mempcpy(p, places.data, places.len * sizeof(*places.data));
	if (nplans)
		p = mempcpy(p, target->plans.data, nplans);
	f->bytes = (size_t)(p - (char *)f->map);
	vec_release(&ranges);
	vec_release(&places);
	return 0;
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
	if (t->processes)
		t->processes->image(t->processes->ctx, target->pid);
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

static void swap_flight(struct target *target, struct flight *f)
{
	struct target_sites sites = target->sites;
	struct target_plans plans = target->plans;

	target->sites = f->sites;
	target->plans = f->plans;
	f->sites = sites;
	f->plans = plans;
}

/* What the keeper says of the sites of a flight, which are the target's meanwhile. */
static void take_answer(struct sending *s, struct flight *f,
			const struct keeper_msg *reply)
{
	struct tracer *t = s->t;

	swap_flight(s->target, f);
	count_jump_sites(t, s->target, f->map);
	report_slow(t, s->target, f->map);
	count_full(s, f->map);
	if (t->observer)
		t->observer->answered(t->observer->ctx, s->target, f->map);
	if (reply->sites_reply.nrefused > 0)
		report_refusals(s, f->map);
	for (size_t i = 0; i < t->nproviders; i++)
		if (t->providers[i]->sites_answered)
			t->providers[i]->sites_answered(t, s->target, f->map);
	s->landed += f->map->nsites;
	swap_flight(s->target, f);
}

/*
 * Waits until the keeper has set the sites that were sent. *landed: their flight, whose
 * answer is to be taken; NULL: there is none.
 */
static int land(struct sending *s, struct flight **landed, struct keeper_msg *reply,
		struct err *e)
{
	struct flight *f = s->sent;
	int rc;

	*landed = NULL;
	if (!f)
		return 0;
	s->sent = NULL;
	progress_at(s->t, "setting sites", "", s->landed, plan_total(s->plan));
	progress_watch(s->t, &f->map->progress, KEEPER_SITES_OVER);
	rc = link_wait(&s->t->link, reply, NULL, e);
	progress_ignore(s->t);
	if (!rc)
		*landed = f;
	return rc;
}

/* Sends the flight, which takes over what the target has. */
static int launch(struct sending *s, struct flight *f, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_SITES, .pid = s->target->pid},
		.fds = {f->fd},
		.nfds = 1};
	int rc;

	mark_jumps(s->t, f->map);
	req.msg.memory.bytes = f->bytes;
	rc = link_send(&s->t->link, &req, e);
	if (rc)
		return rc;
	swap_flight(s->target, f);
	s->sent = f;
	s->nflights++;
	return 0;
}

static void before_launch(struct sending *s)
{
	struct tracer *t = s->t;

	keeper_death_save(s->target);
	for (size_t i = 0; i < t->nproviders && !s->nflights; i++)
		if (t->providers[i]->before_sites)
			t->providers[i]->before_sites(t, s->target);
	if (t->observer)
		t->observer->planned(t->observer->ctx, s->target);
}

/*
 * Fills a flight with what has been planned, and sends it when that before has landed,
 * whose answer is taken after that: the keeper is not to wait.
 */
static int send_next(struct sending *s, struct err *e)
{
	struct flight *next = &s->flights[s->nflights % 2], *landed;
	struct keeper_msg reply = {0};
	int rc;

	before_launch(s);
	rc = fill(s, next, e);
	if (rc)
		return rc;
	rc = land(s, &landed, &reply, e);
	/* The run ends, and to install many sites takes seconds. */
	if (!rc && !tracer_is_interrupted(s->t))
		rc = launch(s, next, e);
	if (landed)
		take_answer(s, landed, &reply);
	return rc;
}

/* The sites of the next request. */
static size_t sites_at_once(const struct sending *s)
{
	if (s->t->observer)
		return SIZE_MAX;
	if (!s->nflights)
		return SITES_MIN;
	return max_u64(SITES_MIN, min_u64(SITES_MOST, plan_total(s->plan) / REQUESTS));
}

/* While the keeper sets sites, the next are planned. */
static int send_all(struct sending *s, struct err *e)
{
	struct keeper_msg reply = {0};
	struct flight *last;
	int rc = 0, landed;

	while (!rc && !tracer_is_interrupted(s->t) &&
	       plan_next(s->plan, sites_at_once(s)))
		rc = send_next(s, e);
	landed = land(s, &last, &reply, e);
	if (last)
		take_answer(s, last, &reply);
	for (size_t i = 0; i < ARRAY_LEN(s->flights); i++) {
		close_file(&s->flights[i]);
		vec_release(&s->flights[i].sites);
		vec_release(&s->flights[i].plans);
	}
	return rc ? rc : landed;
}

int site_batch_send(struct tracer *t, struct target *target, struct err *e)
{
	struct sending s = {.t = t, .target = target};
	int rc;

	rc = note_modules(t, target, e);
	for (size_t i = 0; i < t->nproviders && !rc; i++)
		if (t->providers[i]->before_sending)
			t->providers[i]->before_sending(t, target);
	drop_switched_off(t, target);
	if (rc || target->sites.len == 0)
		return rc;
	s.plan = plan_begin(t, target);
	rc = send_all(&s, e);
	report_full(t, target, s.nfull);
	if (s.refused > REFUSALS_SHOWN)
		out_message(t->out, "%zu more sites cannot be traced",
			    s.refused - REFUSALS_SHOWN);
	plan_end(s.plan);
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
