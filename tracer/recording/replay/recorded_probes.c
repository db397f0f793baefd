/* SPDX-License-Identifier: MIT */
/*
 * They are read before the programs are compiled, from all of the file: probes and
 * descriptions that matched them may come anywhere in it.
 */
#include "tracer/recording/replay/recorded_probes.h"
#include "tracer/events/event_format.h"
#include "tracer/events/origin.h"
#include "tracer/output/python_names.h"
#include "tracer/recording/own_events.h"
#include "tracer/recording/read/recording.h"
#include "vm/base/host/glob.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 4194304 /* of probes */
#define TRACED_MAX  1048576 /* processes */
#define KERNEL_MAX  65536   /* probes of the kernel's events: each is looked for */
#define STRSIZE	    1024

struct recorded_probe {
	uint32_t id;	     /* 0: the number is unused */
	char *system, *name; /* of its tracepoint */
	char *types[OWN_ARGS_MAX];
	uint32_t ntypes;
};

struct description {
	char *text;
	uint32_t first, last; /* numbers */
};

struct recorded_probes {
	struct provider provider;	   /* of all of them; the first member */
	struct provider doubled;	   /* of those whose entries are "=>" */
	const struct provider **providers; /* of the run; nlive are of dtrace */
	size_t nlive;
	struct {
		struct recorded_probe *data;
		size_t len, cap;
	} list;		  /* by number - 1 */
	struct map by_id; /* -> number */
	struct {
		struct description *data;
		size_t len, cap;
	} descriptions;
	uint32_t nkernel; /* records of probes of the kernel's events */
	int target;
	char *program;
};

/* ---- life ---- */

void recorded_probes_free(struct recorded_probes *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->list.len; i++) {
		struct recorded_probe *p = &r->list.data[i];

		free(p->system);
		free(p->name);
		for (uint32_t k = 0; k < p->ntypes; k++)
			free(p->types[k]);
	}
	for (size_t i = 0; i < r->descriptions.len; i++)
		free(r->descriptions.data[i].text);
	vec_release(&r->list);
	vec_release(&r->descriptions);
	map_release(&r->by_id);
	free(r->program);
	free(r->providers);
	free(r);
}

int recorded_probes_target(const struct recorded_probes *r)
{
	return r ? r->target : 0;
}

/* ---- the provider ---- */

static const struct recorded_probes *recorded_of(const struct tracer *t)
{
	return t->recorded;
}

static bool is_program(const struct recorded_probes *r, const struct tracer *t,
		       const struct probe *p)
{
	return r->program && *r->program &&
	       strcmp(probes_name(&t->probes, p, PROBE_MODULE), r->program) == 0;
}

/* a.out is the program of the run that was recorded. */
static void match_program(const struct recorded_probes *r, struct tracer *t,
			  const struct dlang_probe_desc *desc, struct match *m)
{
	for (size_t i = 0; i < r->list.len; i++) {
		uint32_t id = r->list.data[i].id;
		const struct probe *p = probes_get(&t->probes, id);
		bool matches = p && is_program(r, t, p);

		for (int f = 0; f < 4 && matches; f++)
			matches = f == PROBE_MODULE ||
				  match_field(desc->field[f],
					      probes_name(&t->probes, p,
							  (enum probe_field)f));
		if (matches)
			match_add(m, id);
	}
}

/* What the description has matched then, it matches now: names have several forms. */
static void match_again(const struct recorded_probes *r,
			const struct dlang_probe_desc *desc, struct match *m)
{
	struct strbuf text = {0};

	strbuf_printf(&text, "%s:%s:%s:%s", desc->field[0], desc->field[1],
		      desc->field[2], desc->field[3]);
	for (size_t i = 0; i < r->descriptions.len; i++) {
		const struct description *d = &r->descriptions.data[i];

		for (uint32_t n = d->first;
		     strcmp(d->text, text.data) == 0 && n <= d->last; n++)
			if (r->list.data[n - 1].id)
				match_add(m, r->list.data[n - 1].id);
	}
	strbuf_release(&text);
}

static int recorded_provide(const struct provider *self, struct tracer *t,
			    const struct dlang_probe_desc *desc, struct match *m,
			    struct err *e)
{
	const struct recorded_probes *r = recorded_of(t);

	(void)self;
	(void)e;
	match_again(r, desc, m);
	if (strcmp(desc->field[1], "a.out") == 0 && m->ids.len == 0)
		match_program(r, t, desc, m);
	return 0;
}

static const struct recorded_probe *find(const struct recorded_probes *r,
					 const struct probe *p, uint64_t *number)
{
	return map_get(&r->by_id, p->id, number) ? &r->list.data[*number - 1] : NULL;
}

static void recorded_source(const struct tracer *t, const struct probe *p,
			    struct provider_source *out)
{
	static const struct kernel_view view = {.match = OWN_FIELD_NUMBER,
						.journal = OWN_FIELD_CONTEXT};
	uint64_t number;
	const struct recorded_probe *found = find(t->recorded, p, &number);

	if (!found)
		return;
	out->by = SOURCE_EVENT;
	out->kernel = (struct kernel_event){.system = found->system,
					    .name = found->name,
					    .value = number,
					    .view = &view};
}

/*
 * What the provider of this dtrace with the same name says of such a probe: nothing, if
 * it has none, or makes its probes of processes.
 */
static struct provider_arguments live_arguments(const struct recorded_probes *r,
						const struct probes *ps,
						const struct probe *p)
{
	const char *name = probes_name(ps, p, PROBE_PROVIDER);
	struct provider_arguments known = {0};
	struct probe alike = *p;

	for (size_t i = 0; i < r->nlive; i++) {
		alike.provider = r->providers[i];
		if (alike.provider->contexts & CONTEXT_FRONT &&
		    alike.provider->arguments &&
		    strcmp(alike.provider->name, name) == 0)
			alike.provider->arguments(ps, &alike, &known);
	}
	return known;
}

/* A type of the D library is made from arg0 ... by a translator, now as then. */
static void give_arguments(const struct recorded_probes *r, const struct probes *ps,
			   const struct probe *p, struct provider_arguments *out)
{
	const struct provider_arguments known = live_arguments(r, ps, p);
	uint64_t number;
	const struct recorded_probe *found = find(r, p, &number);

	for (uint32_t i = 0; found && i < found->ntypes; i++) {
		if (i < known.n && known.list[i].inlined)
			out->list[out->n] = known.list[i];
		else
			out->list[out->n].type = found->types[i];
		out->n++;
	}
	if (!out->n)
		out->why = "the recording does not have their types: the program that "
			   "was recorded used no args[]";
}

static void recorded_arguments(const struct probes *ps, const struct probe *p,
			       struct provider_arguments *out)
{
	give_arguments((const struct recorded_probes *)(const void *)p->provider, ps, p,
		       out);
}

static void doubled_arguments(const struct probes *ps, const struct probe *p,
			      struct provider_arguments *out)
{
	const char *at = (const char *)p->provider;

	give_arguments((const void *)(at - offsetof(struct recorded_probes, doubled)),
		       ps, p, out);
}

static const struct provider recorded = {
	.name = "recorded",
	.contexts = CONTEXT_FRONT,
	.attributes = {"Evolving/Evolving/ISA", "Private/Private/Unknown",
		       "Private/Private/Unknown", "Private/Private/ISA",
		       "Private/Private/ISA"},
	.provide = recorded_provide,
	.arguments = recorded_arguments,
	.source = recorded_source,
};

/* ---- events ---- */

/* The kinds of events that are read here, by the number of origin's add(). */
enum kind { KIND_FACTS, KIND_PROBE, KIND_RANGE, KIND_PYTHON, KINDS };

struct loading {
	struct tracer *t;
	struct recorded_probes *r;
	struct origin *from;
	struct event_format *formats[KINDS];
	struct err *e;
	const struct ring_record *event; /* of these, with its format */
	const struct event_format *format;
};

/* A text of the event, to free(). */
static char *text_of(const struct loading *l, const char *name)
{
	const struct event_field *field = event_format_find(l->format, name);
	const unsigned char *bytes;
	struct strbuf text = {0};
	uint32_t n = 0;

	bytes = field ? event_field_bytes(field, l->event->bytes, l->event->n, &n)
		      : NULL;
	if (n)
		strbuf_add(&text, bytes, strnlen((const char *)bytes, n));
	strbuf_putc(&text, '\0');
	return text.data;
}

static uint32_t number_of(const struct loading *l, const char *name)
{
	const struct event_field *field = event_format_find(l->format, name);

	return field ? (uint32_t)event_field_value(field, 0, l->event->bytes,
						   l->event->n)
		     : 0;
}

/* A line "key=value" of a text. */
static void take_fact(const struct loading *l, char *line)
{
	struct recorded_probes *r = l->r;
	char *value = strchr(line, '=');

	if (!value)
		return;
	*value++ = '\0';
	if (strcmp(line, OWN_KEY_TARGET) == 0) {
		r->target = atoi(value);
	} else if (strcmp(line, OWN_KEY_PROGRAM) == 0) {
		free(r->program);
		r->program = oom_strdup(value);
	} else if (strcmp(line, OWN_KEY_TRACED) == 0 &&
		   l->t->recorded_traced.len < TRACED_MAX) {
		map_set(&l->t->recorded_traced, (uint32_t)atoi(value), 1);
	}
}

static void take_facts(const struct loading *l)
{
	char *text = text_of(l, OWN_FIELD_TEXT), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		take_fact(l, line);
	free(text);
}

static void take_range(const struct loading *l)
{
	struct description d = {.first = number_of(l, OWN_FIELD_FIRST),
				.last = number_of(l, OWN_FIELD_LAST)};

	/* the probes were defined before */
	if (d.first < 1 || d.first > d.last || d.last > l->r->list.len)
		return;
	d.text = text_of(l, OWN_FIELD_TEXT);
	*vec_push(&l->r->descriptions) = d;
}

/* As write/tracepoints.c names them. */
static char *tracepoint_name(const char *name, size_t n)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < n && i < 64; i++)
		strbuf_putc(&text, isalnum((unsigned char)name[i]) ? name[i] : '_');
	if (!text.len)
		strbuf_putc(&text, '_');
	strbuf_putc(&text, '\0');
	return text.data;
}

static size_t provider_length(const char *provider)
{
	size_t end = strlen(provider), n = end;

	while (n > 0 && isdigit((unsigned char)provider[n - 1]))
		n--;
	return n ? n : end;
}

/* False: it has none of its own. */
static bool find_tracepoint(const struct loading *l, struct recorded_probe *p,
			    char *const name[4])
{
	p->system = tracepoint_name(name[0], provider_length(name[0]));
	p->name = tracepoint_name(name[3], strlen(name[3]));
	if (l->from->calls->has(l->from, p->system, p->name))
		return true;
	free(p->system);
	free(p->name);
	p->system = oom_strdup(OWN_SYSTEM);
	p->name = oom_strdup(OWN_OTHER);
	return false;
}

static void take_types(struct recorded_probe *p, char *text)
{
	char *line;

	while (p->ntypes < OWN_ARGS_MAX && (line = strsep(&text, "\n")) && *line)
		p->types[p->ntypes++] = oom_strdup(line);
}

/* One of each run, such as tick-1s: it fires as it was recorded, if it was. */
static bool take_over(const struct loading *l, struct recorded_probe *p,
		      char *const name[4])
{
	if (!find_tracepoint(l, p, name) || strcmp(name[0], "dtrace") == 0 ||
	    strcmp(name[0], "diag") == 0)
		return false;
	probes_get(&l->t->probes, p->id)->provider = &l->r->provider;
	return true;
}

/* One that events of the kernel fire: those who make such probes make it now, so that it
 * has its number. */
static void make_kernel_probe(const struct loading *l, struct recorded_probe *p,
			      char *const name[4])
{
	const struct dlang_probe_desc desc = {
		.field = {name[0], name[1], name[2], name[3]}};
	struct tracer *t = l->t;
	struct match m = {0};
	struct err ignored; /* this machine may not know it */

	if (l->r->nkernel++ >= KERNEL_MAX)
		return;
	for (int f = 0; f < 4; f++)
		if (strpbrk(name[f], "*?[\\"))
			return;
	for (size_t i = 0; i < t->nproviders; i++) {
		const struct provider *from = t->providers[i];

		if (from->provide && !from->names_process &&
		    (!from->needs_process || from->may_be_machine))
			from->provide(from, t, &desc, &m, &ignored);
	}
	match_release(&m);
	p->id = probes_find(&t->probes, (const char *const *)name);
}

static void make_probe(const struct loading *l, uint32_t number, char *const name[4])
{
	struct recorded_probes *r = l->r;
	struct recorded_probe *p = &r->list.data[number - 1];
	struct probes *ps = &l->t->probes;
	uint32_t before = (uint32_t)ps->table.len;
	bool is_doubled = strcmp(name[0], "syscall") == 0;
	char *types;

	if (p->id || p->system || !*name[0])
		return; /* a number means one probe */
	if (number_of(l, OWN_FIELD_KERNEL)) {
		make_kernel_probe(l, p, name);
		return;
	}
	p->id = probes_add(ps, is_doubled ? &r->doubled : &r->provider,
			   (const char *const *)name);
	if (p->id > before)
		find_tracepoint(l, p, name);
	else if (!take_over(l, p, name))
		p->id = 0;
	if (!p->id || map_get(&r->by_id, p->id, NULL)) {
		p->id = 0;
		return;
	}
	map_set(&r->by_id, p->id, number);
	types = text_of(l, OWN_FIELD_TYPES);
	take_types(p, types);
	free(types);
}

static void take_probe(const struct loading *l)
{
	static const char *const fields[4] = {OWN_FIELD_PROVIDER, OWN_FIELD_MODULE,
					      OWN_FIELD_FUNCTION, OWN_FIELD_NAME};
	uint32_t number = number_of(l, OWN_FIELD_NUMBER);
	char *name[4];

	if (number < 1 || number > NUMBERS_MAX || number > l->r->list.len + 1)
		return;
	while (l->r->list.len < number)
		*vec_push(&l->r->list) = (struct recorded_probe){0};
	for (int f = 0; f < 4; f++)
		name[f] = text_of(l, fields[f]);
	make_probe(l, number, name);
	for (int f = 0; f < 4; f++)
		free(name[f]);
}

static void take_python(const struct loading *l)
{
	const struct event_field *word = event_format_find(l->format, OWN_FIELD_WORD);
	char *function = text_of(l, OWN_FIELD_FUNCTION);
	char *file = text_of(l, OWN_FIELD_FILE);

	if (!l->t->python_names)
		l->t->python_names = python_names_new();
	if (word)
		python_names_set(
			l->t->python_names,
			event_field_value(word, 0, l->event->bytes, l->event->n),
			function, file, number_of(l, OWN_FIELD_LINE));
	free(function);
	free(file);
}

static void take(struct loading *l, const struct ring_record *event)
{
	if (event->kind != RING_EVENT || event->source >= KINDS)
		return;
	l->event = event;
	l->format = l->formats[event->source];
	if (event->source == KIND_FACTS)
		take_facts(l);
	else if (event->source == KIND_PROBE)
		take_probe(l);
	else if (event->source == KIND_RANGE)
		take_range(l);
	else
		take_python(l);
}

/* ---- reading ---- */

static int add_kind(struct loading *l, enum kind kind, const char *name)
{
	struct origin_event event = {.system = OWN_SYSTEM, .name = name};
	struct strbuf text = {0};
	int rc = l->from->calls->format(l->from, event.system, name, &text, l->e);

	if (rc == 0)
		rc = event_format_parse(text.data ? text.data : "", text.len, STRSIZE,
					&l->formats[kind], l->e);
	if (rc == 0) {
		event.id = l->formats[kind]->id;
		rc = l->from->calls->add(l->from, &event, l->e);
	}
	strbuf_release(&text);
	return rc;
}

static int read_all(struct loading *l)
{
	static const struct rings_config config;
	static const struct rings_of all;
	static const char *const names[KINDS] = {
		[KIND_FACTS] = OWN_RECORDING,
		[KIND_PROBE] = OWN_PROBE,
		[KIND_RANGE] = OWN_DESCRIPTION,
		[KIND_PYTHON] = OWN_PYTHON,
	};
	struct ring_record event;
	int rc = l->from->calls->open(l->from, &config, &all, l->e);

	if (rc)
		return rc;
	/* earlier recordings have no frames of Python */
	for (int i = 0; i < KINDS && rc == 0; i++)
		if (i != KIND_PYTHON ||
		    l->from->calls->has(l->from, OWN_SYSTEM, names[i]))
			rc = add_kind(l, (enum kind)i, names[i]);
	l->from->calls->start(l->from);
	while (rc == 0 && l->from->calls->next(l->from, UINT64_MAX, &event))
		take(l, &event); /* damage is met again in the replay */
	l->from->calls->close(l->from, NULL);
	return rc;
}

static void add_provider(struct tracer *t, struct recorded_probes *r)
{
	size_t n = t->nproviders;

	r->provider = r->doubled = recorded;
	r->doubled.has_double_arrows = true;
	r->doubled.arguments = doubled_arguments;
	r->nlive = n;
	r->providers = oom_calloc(n + 1, sizeof(*r->providers));
	for (size_t i = 0; i < n; i++)
		r->providers[i] = t->providers[i];
	r->providers[n] = &r->provider;
	t->providers = r->providers;
	t->nproviders = n + 1;
}

int recorded_probes_load(struct tracer *t, struct err *e)
{
	struct loading l = {.t = t, .e = e};
	int rc;

	if (!t->origin->calls->has(t->origin, OWN_SYSTEM, OWN_RECORDING))
		return 0;
	/* a reading of its own: that of the run begins at the beginning again */
	rc = recording_open(t->options.recording, &l.from, e);
	if (rc)
		return rc;
	l.r = oom_calloc(1, sizeof(*l.r));
	t->recorded = l.r;
	add_provider(t, l.r);
	rc = read_all(&l);
	for (int i = 0; i < KINDS; i++)
		if (l.formats[i])
			event_format_free(l.formats[i]);
	origin_free(l.from);
	return rc;
}
