/* SPDX-License-Identifier: MIT */
/*
 * Every provider makes the probes that it can for the description; then the four fields
 * are matched against the names of all probes.
 */
#include "tracer/providers/match.h"
#include "tracer/base/core.h"
#include "tracer/events/events.h"
#include "tracer/providers/elsewhere.h"
#include "tracer/providers/marks.h"
#include "tracer/providers/unwound.h"
#include "tracer/providers/providers.h"
#include "tracer/providers/unwound.h"
#include "tracer/providers/suggest.h"
#include "tracer/usdt/usdt.h"
#include "vm/base/host/glob.h"

#include <stdio.h>
#include <string.h>

#define MACHINE_HINT                                                                   \
	"; for root, with /sys/kernel/tracing mounted, they are those of the machine"

/* ":::" matches every probe that has a function: not BEGIN, not tick. */
static bool desc_is_empty(const struct dlang_probe_desc *desc)
{
	for (int f = 0; f < 4; f++)
		if (*desc->field[f])
			return false;
	return true;
}

/* What the name of one probe says about a field; the next probe mostly has the same. */
struct answer {
	bool is_known, is_hit;
	uint32_t name;
};

static bool match_name(const struct probes *ps, const struct probe *p,
		       enum probe_field f, const char *field, struct answer *last)
{
	if (!last->is_known || last->name != p->name[f])
		*last = (struct answer){true, match_field(field, probes_name(ps, p, f)),
					p->name[f]};
	return last->is_hit;
}

static void match_table(const struct probes *ps, const struct dlang_probe_desc *desc,
			struct match *m)
{
	bool needs_function = desc_is_empty(desc);
	struct answer last[4] = {0};

	for (uint32_t id = 1; id <= ps->table.len; id++) {
		const struct probe *p = probes_get(ps, id);
		bool hit = (!needs_function || *probes_name(ps, p, PROBE_FUNCTION)) &&
			   (!p->is_mark || marks_is_name(desc->field[PROBE_NAME])) &&
			   (!p->is_frame || unwound_is_name(desc->field[PROBE_NAME]));

		for (int f = 0; f < 4 && hit; f++)
			hit = match_name(ps, p, (enum probe_field)f, desc->field[f],
					 &last[f]);
		if (hit)
			match_add(m, id);
	}
}

bool match_needs_process(const struct tracer *t, const struct probe *p)
{
	return p->provider && p->provider->needs_process &&
	       provider_source(t, p).by != SOURCE_EVENT;
}

/* False: the events are not those of a recording. */
static bool explain_recording(const struct tracer *t, struct match *m)
{
	struct strbuf text = {0};

	if (!events_are_past(t))
		return false;
	if (m->is_explained)
		return true;
	events_describe(t, &text);
	snprintf(m->hint, sizeof(m->hint), "%s", text.data);
	strbuf_release(&text);
	return true;
}

/*
 * Whether all probes need a process, and there is none: a later clause may name it. ":::"
 * does not mean the machine.
 */
static void judge(struct tracer *t, const struct dlang_probe_desc *desc,
		  struct match *m)
{
	const struct provider *last = NULL;

	if (t->targets.len > 0 || t->is_listing)
		return;
	for (size_t i = 0; i < m->ids.len; i++) {
		const struct probe *p = probes_get(&t->probes, m->ids.data[i]);

		last = p->provider;
		if (!match_needs_process(t, p) &&
		    !(desc_is_empty(desc) && last && last->needs_process))
			return;
	}
	if (!last)
		return;
	m->is_unsettled = true;
	if (explain_recording(t, m))
		return;
	snprintf(m->hint, sizeof(m->hint),
		 "%s probes are those of traced processes: name one by -c or -p, "
		 "or by a predicate such as /pid == 42/%s",
		 last->name, last->may_be_machine ? MACHINE_HINT : "");
}

static int match_id(struct tracer *t, const struct dlang_probe_desc *desc,
		    struct match *m, struct err *e)
{
	uint32_t id = desc->id;

	if (!probes_get(&t->probes, id)) /* the number may be from a listing of all */
		providers_add_all(t);
	if (!probes_get(&t->probes, id))
		return err_tag(e, "D_PDESC_INVAL",
			       "invalid probe identifier %u: Unknown probe identifier",
			       id);
	match_add(m, id);
	judge(t, desc, m);
	return 0;
}

/* Makes the probes of one provider. */
static int provide(struct tracer *t, const struct provider *p,
		   const struct dlang_probe_desc *desc, struct match *m, struct err *e)
{
	if (!p->provide)
		return 0;
	if (t->recorded &&
	    ((p->needs_process && !p->may_be_machine) || p->names_process))
		return 0; /* the recording has the probes of its processes */
	if (p->needs_process && t->targets.len == 0 && !t->is_listing &&
	    !(*desc->field[0] && glob_match(desc->field[0], p->name)))
		return 0;
	return p->provide(p, t, desc, m, e);
}

/* False: the provider is none that is known. */
static bool explain_provider(const struct tracer *t,
			     const struct dlang_probe_desc *desc, struct match *m)
{
	const char *hint = elsewhere_hint(desc->field[0]);

	for (size_t i = 0; t->serves_machine && i < t->nproviders; i++)
		if (strcmp(t->providers[i]->name, desc->field[0]) == 0)
			return false;

	if (hint)
		snprintf(m->hint, sizeof(m->hint), "%s", hint);
	return hint;
}

/*
 * Makes the probes of processes for a description that matches nothing else: which
 * processes a later clause may say.
 */
static int provide_later(struct tracer *t, const struct dlang_probe_desc *desc,
			 struct match *m, struct err *e)
{
	int rc = 0;

	if (*desc->field[0] || t->targets.len > 0 || t->is_listing)
		return 0;
	for (size_t i = 0; i < t->nproviders && !rc; i++)
		if (t->providers[i]->needs_process && t->providers[i]->provide)
			rc = t->providers[i]->provide(t->providers[i], t, desc, m, e);
	match_table(&t->probes, desc, m);
	return rc;
}

/* Probes whose events a recording lacks do not match. */
static void keep_recorded(const struct tracer *t, struct match *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->ids.len; i++)
		if (events_can_fire(t, probes_get(&t->probes, m->ids.data[i])))
			m->ids.data[n++] = m->ids.data[i];
	m->ids.len = n;
}

int match_probes(struct tracer *t, const struct dlang_probe_desc *desc, bool zero_ok,
		 struct match *m, struct err *e)
{
	if (desc->id)
		return match_id(t, desc, m, e);
	for (size_t i = 0; i < t->nproviders; i++) {
		int rc = provide(t, t->providers[i], desc, m, e);

		if (rc)
			return rc;
	}
	match_table(&t->probes, desc, m);
	if (m->ids.len == 0 && provide_later(t, desc, m, e))
		return e->status;
	keep_recorded(t, m);
	judge(t, desc, m);
	if (m->ids.len > 0 || zero_ok || m->is_awaited)
		return 0;
	if (explain_recording(t, m))
		return match_none(desc, m, e);
	if (!explain_provider(t, desc, m)) {
		usdt_suggest(t, desc, m);
		suggest_description(t, desc, m);
		usdt_explain_none(t, desc, m);
	}
	return match_none(desc, m, e);
}

int match_none(const struct dlang_probe_desc *desc, const struct match *m,
	       struct err *e)
{
	return err_tag(e, "D_PDESC_ZERO",
		       "probe description %s:%s:%s:%s does not match any probes%s%s",
		       desc->field[0], desc->field[1], desc->field[2], desc->field[3],
		       *m->hint ? "\n\t" : "", m->hint);
}
