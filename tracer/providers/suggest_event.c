/* SPDX-License-Identifier: MIT */
#include "tracer/providers/suggest_event.h"
#include "tracer/providers/prov_sdt.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/near.h"

#include <string.h>

/* What the description says of system and event. */
struct wanted {
	const char *system, *event;
	bool is_surely_event; /* it names sdt, or what another tool calls so */
};

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* False: it is about something else. */
static bool take_wanted(const char *const field[4], struct wanted *w)
{
	const char *first = *field[0] ? field[0] : field[1];
	bool is_named = is_one_of(first, prov_sdt.name, "tracepoint");

	*w = (struct wanted){field[1], field[3], is_named};
	if (*field[0] && !is_named)
		return false;
	if (!*field[0] && (is_named || !*field[1]))
		w->system = field[2]; /* sdt:sched:sched_switch, sched:sched_switch */
	else if (*field[2])
		return false;
	return *w->event && !glob_is_pattern(w->event) && !glob_is_pattern(w->system);
}

/* The system as written, or the nearest one; NULL: none. */
static const char *find_system(const struct probes *ps, const struct wanted *w)
{
	struct near near;

	near_begin_strict(&near, w->system, 1);
	for (uint32_t id = 1; id <= ps->table.len; id++) {
		const struct probe *p = probes_get(ps, id);
		const char *system = probes_name(ps, p, PROBE_MODULE);

		if (p->provider != &prov_sdt)
			continue;
		if (strcmp(system, w->system) == 0)
			return system;
		near_offer(&near, system);
	}
	return w->is_surely_event ? near_first(&near) : NULL;
}

/* The event as written, in any system; NULL: there is none. */
static const struct probe *find_event(const struct probes *ps, const struct wanted *w)
{
	for (uint32_t id = 1; id <= ps->table.len; id++) {
		const struct probe *p = probes_get(ps, id);

		if (p->provider == &prov_sdt &&
		    strcmp(probes_name(ps, p, PROBE_NAME), w->event) == 0)
			return p;
	}
	return NULL;
}

/* The event nearest to the one that is wanted; system NULL: of all. */
static const char *near_event(const struct probes *ps, const struct wanted *w,
			      const char *system)
{
	struct near near;

	near_begin_strict(&near, w->event, 1);
	for (uint32_t id = 1; id <= ps->table.len; id++) {
		const struct probe *p = probes_get(ps, id);

		if (p->provider == &prov_sdt &&
		    (!system || strcmp(probes_name(ps, p, PROBE_MODULE), system) == 0))
			near_offer(&near, probes_name(ps, p, PROBE_NAME));
	}
	return near_first(&near);
}

bool suggest_event(struct tracer *t, const char *const field[4], const char *found[4])
{
	const struct probes *ps = &t->probes;
	const struct probe *same;
	const char *system, *event;
	struct wanted w;

	if (!take_wanted(field, &w))
		return false;
	prov_sdt.add_all(&prov_sdt, t);
	system = *w.system ? find_system(ps, &w) : NULL;
	if (!system && !w.is_surely_event)
		return false;
	same = find_event(ps, &w);
	event = system || !*w.system ? near_event(ps, &w, system) : NULL;
	if (same && (!event || strcmp(event, w.event) != 0)) {
		system = probes_name(ps, same, PROBE_MODULE);
		event = w.event;
	}
	found[0] = prov_sdt.name;
	found[1] = system ? system : "";
	found[2] = "";
	found[3] = event;
	return event;
}
