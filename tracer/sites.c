/* SPDX-License-Identifier: MIT */
/*
 * The sites of a target's probes: gathered, sent to the keeper in batches, and what
 * the user is told of those that it refuses.
 */
#include "tracer/sites.h"
#include "tracer/mend.h"
#include "tracer/plan.h"
#include "tracer/prov_diag.h"
#include "tracer/rows.h"
#include "tracer/trace.h"
#include "tracer/ustack.h"
#include "vm/base/host/vec.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REFUSALS_SHOWN 5 /* of one batch, before "and N more" */

/* True if the probe has a site at the address already; notes it if not. */
static bool is_placed(struct target *target, uint64_t addr, uint32_t probe)
{
	uint64_t first = 0;

	map_get(&target->placed_at, addr, &first);
	for (uint64_t i = first; i; i = target->placed.data[i - 1].next)
		if (target->placed.data[i - 1].probe == probe)
			return true;
	*vec_push(&target->placed) = (struct placed_site){addr, probe, (uint32_t)first};
	map_set(&target->placed_at, addr, target->placed.len);
	return false;
}

/* The sites of a function come one after the other and share its ranges. */
static bool are_last_ranges(const struct target *target, const struct target_site *site)
{
	size_t n = site->nranges;
	const struct addr_range *last;

	if (!n || target->ranges.len < n)
		return false;
	last = target->ranges.data + target->ranges.len - n;
	for (size_t i = 0; i < n; i++)
		if (last[i].lo.v != site->ranges[i].lo.v ||
		    last[i].hi.v != site->ranges[i].hi.v)
			return false;
	return true;
}

static void set_ranges(struct target *target, const struct target_site *site,
		       struct keeper_site *out)
{
	if (!are_last_ranges(target, site))
		for (size_t i = 0; i < site->nranges; i++)
			*vec_push(&target->ranges) = site->ranges[i];
	out->nranges = (uint32_t)site->nranges;
	out->first_range = (uint32_t)(target->ranges.len - site->nranges);
}

void sites_add(struct target *target, const struct target_site *site)
{
	struct target_pending *out;

	if (is_placed(target, site->addr.v, site->probe))
		return;
	out = vec_push(&target->sites);
	*out = (struct target_pending){
		.site = {.addr = site->addr.v,
			 .probe = site->probe,
			 .kind = (uint16_t)site->kind,
			 .arg0 = site->arg0},
		.module = site->module,
		.part = site->part,
	};
	if (site->kind == KEEPER_SITE_RETURN)
		set_ranges(target, site, &out->site);
}

const char *sites_reason_text(unsigned reason)
{
	static const char *const reasons[] = {
#define REASON_TEXT(name, text) text,
		KEEPER_REASONS(REASON_TEXT)
#undef REASON_TEXT
	};

	return reason < ARRAY_LEN(reasons) ? reasons[reason] : "";
}

static void count_fpid_sites(struct tracer *t, const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);

	for (uint32_t i = 0; i < sites->nsites; i++) {
		const struct probe *p = probes_get(&t->probes, s[i].probe + 1);

		if (s[i].kind == KEEPER_SITE_HOLD || !p || p->provider != &prov_fpid)
			continue;
		t->fpid_sites.jumps += s[i].result == KEEPER_SITE_JUMP;
		t->fpid_sites.breakpoints += s[i].result == KEEPER_SITE_SET;
	}
}

static void report_refusal(const struct tracer *t, const struct target *target,
			   const struct keeper_site *s)
{
	const struct probe *p = probes_get(&t->probes, s->probe + 1);

	/* No probe stands there, but the notice of new objects, or of main(). */
	if (s->kind == KEEPER_SITE_HOLD)
		trace_error(t, "cannot see pid %d load libraries: %s", target->pid,
			    sites_reason_text(s->reason));
	else if (p)
		trace_error(t, "cannot trace %s:%s:%s:%s at 0x%llx: %s",
			    probes_name(&t->probes, p, PROBE_PROVIDER),
			    probes_name(&t->probes, p, PROBE_MODULE),
			    probes_name(&t->probes, p, PROBE_FUNCTION),
			    probes_name(&t->probes, p, PROBE_NAME),
			    (unsigned long long)s->addr, sites_reason_text(s->reason));
}

static void report_refusals(const struct tracer *t, const struct target *target,
			    const struct keeper_sites *sites)
{
	const struct keeper_site *s = (const void *)(sites + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < sites->nsites; i++)
		if (s[i].result == KEEPER_SITE_REFUSED &&
		    !keeper_site_is_raw(s[i].kind) && n++ < REFUSALS_SHOWN)
			report_refusal(t, target, &s[i]);
	if (n > REFUSALS_SHOWN)
		trace_error(t, "%zu more sites cannot be traced", n - REFUSALS_SHOWN);
}

static bool has_resident_clauses(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe);

	for (size_t i = 0; p && i < p->enablings.len; i++) {
		uint32_t clause = p->enablings.data[i].clause;

		if (!(program_clause(t->image, clause)->contexts & CONTEXT_RESIDENT))
			return false;
	}
	return true;
}

/* ERROR fires where a clause faults, which any may do; so it is with stacks cut. */
bool sites_can_be_resident(const struct tracer *t, uint32_t probe)
{
	return has_resident_clauses(t, probe) && has_resident_clauses(t, PROBE_ERROR) &&
	       has_resident_clauses(t, t->diag.cut);
}

/* From what the front knows to what the keeper gets: probes by index. */
static void write_sites(const struct target *target, struct keeper_site *out)
{
	for (size_t i = 0; i < target->sites.len; i++) {
		out[i] = target->sites.data[i].site;
		if (out[i].kind != KEEPER_SITE_HOLD)
			out[i].probe--;
		if (out[i].plan && target->plans.data[out[i].plan - 1].reason)
			out[i].plan = 0;
	}
}

/* The message's memory file: the keeper writes each site's result into it. */
static int make_sites_file(const struct target *target, struct keeper_sites **map,
			   size_t *size, struct err *e)
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
	write_sites(target, (void *)(*map + 1));
	p = (char *)(*map + 1) + nsites;
	if (nranges)
		p = mempcpy(p, target->ranges.data, nranges);
	if (nplans)
		memcpy(p, target->plans.data, nplans);
	return fd;
}

/* What will be needed of the modules when they, or the process, have gone. */
static int note_modules(struct tracer *t, struct target *target, struct err *e)
{
	if (t->ustack) {
		ustack_set(t->ustack, target->pid, target->modules);
		for (size_t i = 0; i < target->modules->len; i++)
			ustack_keep(t->ustack, target->modules->data[i]);
	}
	return rows_send(t, target, e);
}

static void forget_unsent(struct target *target)
{
	vec_release(&target->sites);
	vec_release(&target->ranges);
	vec_release(&target->plans);
}

int sites_send(struct tracer *t, struct target *target, struct err *e)
{
	struct link_request req = {
		.msg = {.type = KEEPER_REQ_SITES, .pid = target->pid}, .nfds = 1};
	struct keeper_msg reply = {0};
	struct keeper_sites *map;
	size_t size;
	int rc;

	rc = note_modules(t, target, e);
	if (rc || target->sites.len == 0)
		return rc;
	plan_sites(t, target);
	/* Nothing would be traced any more, and large programs take seconds. */
	if (trace_is_interrupted()) {
		forget_unsent(target);
		return 0;
	}
	mend_save(target);
	req.fds[0] = make_sites_file(target, &map, &size, e);
	if (req.fds[0] < 0)
		return req.fds[0];
	req.msg.memory.bytes = size;
	rc = link_call(&t->link, &req, &reply, NULL, e);
	if (rc == 0)
		count_fpid_sites(t, map);
	if (rc == 0 && reply.sites_reply.nrefused > 0)
		report_refusals(t, target, map);
	if (rc == 0)
		diag_fire_sites(t, target, map);
	munmap(map, size);
	close(req.fds[0]);
	forget_unsent(target);
	return rc;
}

void sites_send_or_tell(struct tracer *t, struct target *target)
{
	struct err e;
	int rc = trace_update_table(t, &e);

	if (rc == 0)
		rc = sites_send(t, target, &e);
	/* The exit of one that has gone is on the way as an event. */
	if (rc && rc != STATUS_GONE)
		trace_error(t, "pid %d: %s", target->pid, e.text);
}
