/* SPDX-License-Identifier: MIT */
#include "tracer/events/source.h"
#include "tracer/events/condition.h"
#include "tracer/events/filter.h"
#include "tracer/events/predicate.h"
#include "vm/base/host/log.h"

/* For whom a filter is made. */
struct wishes {
	const struct tracer *t;
	bool has_kernel_ids; /* this process sees the ids that the events carry */
};

/* What a filter is made of. */
enum { FILTER_PROBES = 1, FILTER_PREDICATES = 2 };

/* What all events of the probe have in common. value: by which it was chosen. */
static struct filter_term
common_tests(const struct source *s, const struct event_probe *p, const uint64_t *value)
{
	struct filter_term t = {0};
	struct filter_test test = {.op = FILTER_EQ};

	if (value) {
		test.field = s->match->name;
		test.value = *value;
		filter_term_add(&t, &test);
	}
	for (int i = 0; i < KERNEL_CONDITIONS_MAX; i++)
		if (p->conditions[i] &&
		    condition_test(p->conditions[i], &p->view->conditions[i], &test))
			filter_term_add(&t, &test);
	return t;
}

/* The events for which one of the probe's clauses must run. */
static void filter_probe(const struct wishes *w, const struct event_probe *p,
			 const struct filter_term *given, bool reads, struct filter *f)
{
	const struct probe *probe = probes_get(&w->t->probes, p->probe);

	for (size_t i = 0; i < probe->nenablings; i++) {
		const struct predicate predicate = {
			.image = w->t->image,
			.clause = probe_enablings(probe)[i].clause,
			.probe = p,
			.has_kernel_ids = w->has_kernel_ids,
		};

		if (reads)
			predicate_filter(&predicate, given, f);
		else
			filter_add(f, given);
	}
}

static void make_filter(const struct wishes *w, const struct source *s, unsigned of,
			struct filter *f)
{
	struct filter_term given = {0};
	bool reads = of & FILTER_PREDICATES;

	for (size_t i = 0; i < s->probes.len; i++) {
		if (of & FILTER_PROBES)
			given = common_tests(s, &s->probes.data[i], NULL);
		filter_probe(w, &s->probes.data[i], &given, reads, f);
	}
	for (uint64_t k = 0; k < s->chosen.len; k++) {
		if (!s->chosen.data[k].probe)
			continue;
		if (of & FILTER_PROBES)
			given = common_tests(s, &s->chosen.data[k], &k);
		filter_probe(w, &s->chosen.data[k], &given, reads, f);
	}
}

/* False: there is none, it is too long, or the kernel does not take it. */
static bool try_filter(const struct wishes *w, const struct source *s, uint32_t number,
		       unsigned of)
{
	struct origin *from = w->t->origin;
	struct strbuf text = {0};
	struct filter f = {0};
	struct err refused;
	bool is_set;

	make_filter(w, s, of, &f);
	is_set = filter_text(&f, &text);
	if (is_set) {
		log_debug("events", "%s:%s: filter %s", s->event.system, s->event.name,
			  text.data);
		is_set = from->calls->filter(from, number, text.data, &refused) == 0;
		log_debug("events", "%s", is_set ? "taken" : refused.text);
	}
	filter_release(&f);
	strbuf_release(&text);
	return is_set;
}

void source_set_filter(const struct source *s, uint32_t number, const struct tracer *t,
		       bool has_kernel_ids)
{
	static const unsigned kinds[] = {FILTER_PROBES | FILTER_PREDICATES,
					 FILTER_PREDICATES, FILTER_PROBES};
	const struct wishes w = {t, has_kernel_ids};
	/* other programs will ask a recording something else */
	bool reads = t->options.kfilter && !t->recorder;

	if (!s->format || !t->origin->calls->filter)
		return;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
		if ((reads || kinds[k] == FILTER_PROBES) &&
		    try_filter(&w, s, number, kinds[k]))
			return;
}
