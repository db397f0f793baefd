/* SPDX-License-Identifier: MIT */
/*
 * The loader calls _dl_debug_state() before and after every change of its list of objects
 * (the debugger's rendezvous, struct r_debug in <link.h>). A hold site there makes all
 * libraries known before any of their code has run.
 */
#include "tracer/targets/objects.h"
#include "tracer/base/core.h"
#include "tracer/output/out.h"
#include "tracer/output/ustack.h"
#include "tracer/targets/cfi_rows.h"
#include "tracer/targets/keeper_death.h"
#include "tracer/targets/linkmap.h"
#include "tracer/targets/pending_sites.h"
#include "tracer/targets/site_batch.h"

#include <string.h>

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
	return module_load_symbols(m, e);
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
	return a->lo.v == b->lo.v && a->dev == b->dev && a->ino == b->ino &&
	       strcmp(a->path, b->path) == 0;
}

/* Objects are in the order of their addresses. */
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
	return ms->len;
}

static void forget_object(struct tracer *t, struct target *target,
			  const struct module *m)
{
	cfi_rows_forget(t, target, m);
	pending_sites_forget(target, (struct addr_range){m->lo, m->hi});
	keeper_death_forget(target, (struct addr_range){m->lo, m->hi});
}

int objects_refresh(struct tracer *t, struct target *target, struct err *e)
{
	struct modules *old = target->modules, *now;
	int rc = modules_read(target->pid, &now, e);

	if (rc)
		return rc;
	name_modules(t, target, now);
	target->modules = now;
	for (size_t i = 0; i < now->len; i++) {
		size_t k = find_object(old, now->data[i]);
		struct module *m = now->data[i];

		if (k < old->len) { /* known: keep the one with its symbols */
			now->data[i] = old->data[k];
			old->data[k] = m;
		} else if (target->active && !tracer_is_interrupted(t)) {
			apply_specs(t, target, m);
		}
	}
	modules_update(now);
	for (size_t i = 0; i < old->len && target->active; i++) {
		if (find_object(now, old->data[i]) < now->len)
			continue;
		forget_object(t, target, old->data[i]);
		if (t->ustack) {
			ustack_retire(t->ustack, target->pid, old->data[i]);
			old->data[i] = NULL;
		}
	}
	modules_free(old);
	return 0;
}
