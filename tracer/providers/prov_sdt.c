/* SPDX-License-Identifier: MIT */
/*
 * The sdt provider: the tracepoints of the running kernel, sdt:SYSTEM::EVENT. dtrace
 * fires them from the kernel's event stream (tracer/events/).
 */
#include "tracer/providers/prov_sdt.h"
#include "tracer/base/core.h"
#include "tracer/events/event_lists.h"
#include "tracer/events/events.h"

#include <stdio.h>
#include <string.h>

struct addition {
	struct tracer *t;
	const struct dlang_probe_desc *desc; /* NULL: all */
	bool leaves_out;		     /* some, by keyword and level */
};

static void add(void *ctx, const char *system, const char *event)
{
	struct addition *a = ctx;
	const struct event_lists *lists = a->t->event_lists;

	if (a->desc && !(match_field(a->desc->field[1], system) &&
			 match_field(a->desc->field[3], event)))
		return;
	if (lists && !event_lists_has(lists, system, event)) {
		a->leaves_out = true;
		return;
	}
	probes_add(&a->t->probes, &prov_sdt,
		   (const char *const[4]){prov_sdt.name, system, "", event});
}

/* Without a list there are no probes: e says why. So it does if all are left out. */
static int add_from_list(struct tracer *t, const struct dlang_probe_desc *desc,
			 struct err *e)
{
	struct addition a = {.t = t, .desc = desc};
	int rc = events_each(t, add, &a, e);

	if (rc || !a.leaves_out)
		return rc;
	return err_set(e, STATUS_NOENT,
		       "what it matches is left out by -x keyword= and -x level=");
}

static void sdt_add_all(const struct provider *self, struct tracer *t)
{
	struct err ignored;

	(void)self;
	add_from_list(t, NULL, &ignored);
}

/* A description of all functions or of all probes does not mean the kernel. */
static int sdt_provide(const struct provider *self, struct tracer *t,
		       const struct dlang_probe_desc *desc, struct match *m,
		       struct err *e)
{
	struct err why;

	(void)e;
	if (!match_field(desc->field[0], self->name) || *desc->field[2] ||
	    !(*desc->field[0] || *desc->field[1] || *desc->field[3]))
		return 0;
	if (add_from_list(t, desc, &why) && strcmp(desc->field[0], self->name) == 0)
		snprintf(m->hint, sizeof(m->hint), "%.*s", (int)sizeof(m->hint) - 1,
			 why.text);
	return 0;
}

static void sdt_source(const struct tracer *t, const struct probe *p,
		       struct provider_source *out)
{
	out->by = SOURCE_EVENT;
	out->kernel.system = probes_name(&t->probes, p, PROBE_MODULE);
	out->kernel.name = probes_name(&t->probes, p, PROBE_NAME);
}

const struct provider prov_sdt = {
	.name = "sdt",
	.contexts = CONTEXT_FRONT,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Private/Private/ISA",
		       "Private/Private/ISA"},
	.add_all = sdt_add_all,
	.provide = sdt_provide,
	.record = events_type,
	.source = sdt_source,
};
