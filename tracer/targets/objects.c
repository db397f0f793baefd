/* SPDX-License-Identifier: MIT */
/*
 * The loader calls _dl_debug_state() before and after every change of its list of objects
 * (the debugger's rendezvous, struct r_debug in <link.h>). A hold site there makes all
 * libraries known before any of their code has run.
 */
#include "tracer/targets/objects.h"
#include "tracer/base/core.h"
#include "tracer/files/symbols_ahead.h"
#include "tracer/output/out.h"
#include "tracer/output/ustack.h"
#include "tracer/targets/cfi_rows.h"
#include "tracer/targets/keeper_death.h"
#include "tracer/targets/linkmap.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/site_batch.h"

#include <stdlib.h>
#include <string.h>

#define LOST_MAX 1000 /* runs of sites that are looked for at once */

/*
 * Finds the loader's function that announces changes. A static program has none. The
 * kernel maps the loader first, above all that is mapped later.
 */
static void find_rendezvous(struct target *target)
{
	const struct module *last = NULL; /* looked into */

	for (size_t i = target->modules->len; i-- > 0;) {
		const struct module *m = target->modules->data[i];

		if (m->is_vdso || m->is_part ||
		    (m->is_exe && target->modules->len > 1) ||
		    (last && last->dev == m->dev && last->ino == m->ino))
			continue;
		last = m;
		if (module_lookup_any(m, "_r_debug", &target->r_debug) ||
		    module_lookup_any(m, "_dl_debug_state", &target->rendezvous))
			continue;
		return;
	}
	target->rendezvous = target->r_debug = taddr_of(0);
}

/* Makes the probes of every specifier in the object, and enables its clause on them. */
static void apply_specs(struct tracer *t, struct target *target, struct module *m)
{
	for (size_t i = 0; i < t->specs.len && !target->is_siteless; i++) {
		struct trace_spec *spec = &t->specs.data[i];
		const struct provider_object object = {
			target, m, (const char *const *)spec->field};
		struct match found = {0};

		for (size_t k = 0; k < t->nproviders && !spec->id; k++)
			if (t->providers[k]->provide_object)
				t->providers[k]->provide_object(t->providers[k], t,
								&object, &found);
		for (size_t k = 0; k < found.ids.len; k++) {
			if (!id_set_add(&spec->seen, found.ids.data[k]))
				continue;
			probes_enable(&t->probes, found.ids.data[k], spec->clause);
			probes_record(&t->probes, found.ids.data[k]);
		}
		match_release(&found);
	}
}

/* Names what is in further link maps; once, says that their lists are damaged. */
static void name_modules(const struct tracer *t, struct target *target,
			 const struct modules *ms)
{
	if (linkmap_name_modules(target, ms) || target->is_list_reported)
		return;
	target->is_list_reported = true;
	out_message(t->out,
		    "pid %d: the loader's list of objects has no end: libraries of "
		    "further link maps may lack their prefix (LM1`)",
		    target->pid);
}

int objects_read(struct tracer *t, struct target *target, struct err *e)
{
	int rc = modules_read(target->pid, &target->modules, e);

	if (rc)
		return rc;
	find_rendezvous(target);
	name_modules(t, target, target->modules);
	if (target->rendezvous.v == 0)
		return 0;
	pending_sites_add(target, &(struct pending_site){.kind = KEEPER_SITE_HOLD,
							 .addr = target->rendezvous});
	return target->held ? site_batch_send(t, target, e) : 0;
}

void objects_apply_all(struct tracer *t, struct target *target)
{
	for (size_t i = 0; i < target->modules->len && !tracer_is_interrupted(t); i++)
		apply_specs(t, target, target->modules->data[i]);
	if (t->watch_mappings)
		t->watch_mappings(t, target);
	site_batch_send_or_report(t, target);
}

int objects_load_symbols(const struct tracer *t, struct module *m, struct err *e)
{
	if (module_share_in_process(m) || (t->ustack && ustack_share(t->ustack, m)))
		return 0;
	for (size_t i = t->targets.len; i-- > 0;) {
		const struct modules *ms = t->targets.data[i]->modules;

		for (size_t k = 0; ms && k < ms->len; k++)
			if (module_share_symbols(m, ms->data[k]))
				return 0;
	}
	if (symbols_ahead_take(t->symbols_ahead, m))
		return 0;
	return module_load_symbols(m, e);
}

bool objects_have_symbols(const struct tracer *t, struct module *m)
{
	struct err e;
	int rc = objects_load_symbols(t, m, &e);

	if (rc && rc != STATUS_GONE)
		out_message(t->out, "symbols of '%s' cannot be read: %s", m->path,
			    e.text);
	return !rc;
}

bool objects_hold_main(struct tracer *t, struct target *target)
{
	struct err e;

	for (size_t i = 0; i < target->modules->len; i++) {
		const struct module *m = target->modules->data[i];

		if (!m->is_exe || module_lookup_any(m, "main", &target->start))
			continue;
		pending_sites_add(target,
				  &(struct pending_site){.kind = KEEPER_SITE_HOLD,
							 .addr = target->start});
		return site_batch_send(t, target, &e) == 0;
	}
	target->start = taddr_of(0);
	return false;
}

static bool is_same_object(const struct module *a, const struct module *b)
{
	return a->bias == b->bias && a->dev == b->dev && a->ino == b->ino &&
	       strcmp(a->path, b->path) == 0;
}

/*
 * Objects are in the order of their addresses. What is mapped by pieces may begin
 * elsewhere than it did.
 */
static size_t find_object(const struct modules *ms, const struct module *m)
{
	size_t lo = 0, hi = ms->len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ms->data[mid]->lo.v < m->lo.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < ms->len && ms->data[lo]->lo.v == m->lo.v; lo++)
		if (is_same_object(ms->data[lo], m))
			return lo;
	for (lo = 0; lo < ms->len && !is_same_object(ms->data[lo], m); lo++)
		;
	return lo;
}

/*
 * The known object may have other pieces now; true: some are new. It keeps its begin,
 * from which unwind rows are counted.
 */
static bool update_extent(struct module *known, const struct module *now)
{
	bool has_grown = now->executable > known->executable;

	known->hi = now->hi;
	known->is_part = now->is_part;
	known->executable = now->executable;
	return has_grown;
}

static int compare_objects(const void *a, const void *b)
{
	const struct module *x = *(struct module *const *)a;
	const struct module *y = *(struct module *const *)b;

	return (x->lo.v > y->lo.v) - (x->lo.v < y->lo.v);
}

static void forget_range(struct tracer *t, struct target *target,
			 const struct module *m, struct addr_range r)
{
	if (r.lo.v >= r.hi.v)
		return;
	cfi_rows_forget(t, target, m, &r);
	pending_sites_forget(target, r);
	keeper_death_forget(target, r);
}

/* Others may have been mapped between its pieces: their sites stay. */
static void forget_object(struct tracer *t, struct target *target,
			  const struct module *m)
{
	const struct modules *now = target->modules;
	taddr lo = m->lo;

	for (size_t i = 0; i < now->len && lo.v < m->hi.v; i++) {
		const struct module *other = now->data[i];

		if (other->hi.v <= lo.v || other->lo.v >= m->hi.v)
			continue;
		forget_range(t, target, m, (struct addr_range){lo, other->lo});
		lo = other->hi;
	}
	forget_range(t, target, m, (struct addr_range){lo, m->hi});
	map_remove(&target->has_rows, (uint64_t)(uintptr_t)m);
}

/*
 * Takes over an object that is known, with its symbols and probes: *slot becomes it, and
 * *known what was read. True: there may be new probes in it.
 */
static bool keep_known(struct target *target, struct module **slot,
		       struct module **known, const struct addr_range *own)
{
	struct module *now = *slot;
	bool has_grown = update_extent(*known, now);

	*slot = *known;
	*known = now;
	if (linkmap_unlisted_has(target, *slot))
		return linkmap_unlisted_settle(target, *slot, now, own);
	return has_grown;
}

int objects_refresh(struct tracer *t, struct target *target,
		    const struct addr_range *own, struct err *e)
{
	struct modules *old = target->modules, *now;
	int rc = modules_read(target->pid, &now, e);

	if (rc)
		return rc;
	/* An object whose file was not read to its end looks as if it had gone. */
	if (tracer_is_interrupted(t)) {
		modules_free(now);
		return 0;
	}
	name_modules(t, target, now);
	target->modules = now;
	for (size_t i = 0; i < now->len; i++) {
		size_t k = find_object(old, now->data[i]);
		bool is_changed =
			k < old->len
				? keep_known(target, &now->data[i], &old->data[k], own)
				: !linkmap_unlisted_add(target, now->data[i], own);

		if (is_changed && target->active && !tracer_is_interrupted(t))
			apply_specs(t, target, now->data[i]);
	}
	if (now->len)
		qsort(now->data, now->len, sizeof(*now->data), compare_objects);
	modules_update(now);
	for (size_t i = 0; i < old->len && target->active; i++) {
		if (find_object(now, old->data[i]) < now->len)
			continue;
		forget_object(t, target, old->data[i]);
		linkmap_unlisted_forget(target, old->data[i]);
		if (t->ustack) {
			ustack_retire(t->ustack, target->pid, old->data[i]);
			old->data[i] = NULL;
		}
	}
	modules_free(old);
	if (t->watch_mappings && target->active)
		t->watch_mappings(t, target);
	return 0;
}

/* Of the sites in the range, the first that are lost: they are forgotten. */
static bool forget_lost(struct tracer *t, struct target *target,
			struct addr_range range, struct addr_range *lost)
{
	struct link_request req = {.msg = {.type = KEEPER_REQ_LOST,
					   .pid = target->pid,
					   .forget = {range.lo, range.hi}}};
	struct keeper_msg reply;
	struct err ignored; /* the exit of a dead target is an event */

	if (link_call(&t->link, &req, &reply, NULL, &ignored) ||
	    reply.lost_reply.hi.v == 0)
		return false;
	*lost = (struct addr_range){reply.lost_reply.lo, reply.lost_reply.hi};
	pending_sites_forget(target, *lost);
	keeper_death_forget(target, *lost);
	return true;
}

bool objects_renew_lost(struct tracer *t, struct target *target,
			struct addr_range range)
{
	struct addr_range lost, all = {{UINT64_MAX}, {0}};
	size_t n = 0;

	while (n++ < LOST_MAX && forget_lost(t, target, range, &lost)) {
		range.lo = lost.hi;
		all.lo = taddr_of(min_u64(all.lo.v, lost.lo.v));
		all.hi = lost.hi;
	}
	for (size_t i = 0; i < target->modules->len && target->active; i++) {
		struct module *m = target->modules->data[i];

		if (m->lo.v < all.hi.v && all.lo.v < m->hi.v &&
		    !linkmap_unlisted_has(target, m))
			apply_specs(t, target, m);
	}
	return all.hi.v != 0;
}
