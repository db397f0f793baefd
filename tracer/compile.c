/* SPDX-License-Identifier: MIT */
/*
 * Compiles the programs of a run. The compiler calls on_probe() for each specifier.
 */
#include "tracer/cross/cross.h"
#include "tracer/events/event_lists.h"
#include "tracer/events/events.h"
#include "tracer/output/progress.h"
#include "tracer/providers/arguments.h"
#include "tracer/providers/locals.h"
#include "tracer/providers/match.h"
#include "tracer/recording/replay/recorded_probes.h"
#include "tracer/recording/write/recorder.h"
#include "tracer/source.h"
#include "tracer/tool.h"
#include "tracer/targets/spawn.h"
#include "tracer/targets/target.h"
#include "tracer/targets/typing.h"
#include "tracer/base/place_keys.h"
#include "tracer/trace.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/text/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *copy_text(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(oom_realloc(NULL, n), s, n);
}

static bool is_taken(const struct tracer *t, uint32_t id)
{
	const struct probe *p = probes_get(&t->probes, id);

	return !t->cross ||
	       cross_takes(t->cross, probes_name(&t->probes, p, PROBE_NAME));
}

/* Finds the probes of a specifier and enables the clause on them. */
static int enable(struct tracer *t, const struct dlang_probe_desc *desc, bool is_own,
		  struct err *e)
{
	struct match m = {0};
	struct trace_spec spec = {.clause = t->clause, .id = desc->id};
	int rc = match_probes(t, desc, is_own || t->zero_ok, &m, e);

	if (rc == 0) {
		for (int f = 0; f < 4; f++)
			spec.field[f] = copy_text(desc->field[f]);
		for (size_t i = 0; i < m.ids.len; i++) {
			if (!is_taken(t, m.ids.data[i]))
				continue;
			probes_enable(&t->probes, m.ids.data[i], t->clause);
			*vec_push(&spec.ids) = m.ids.data[i];
		}
		spec.is_awaited = m.is_awaited && !is_own;
		spec.seen = m.seen;
		m.seen = (struct id_set){0};
		*vec_push(&t->specs) = spec;
	}
	if (rc == 0 && m.is_unsettled && !is_own && !t->zero_ok) {
		match_none(desc, &m, e);
		rc = DLANG_UNSETTLED;
	}
	match_release(&m);
	return rc;
}

/* A clause of -x check itself: on all that it is for. */
static int enable_own(struct tracer *t, struct err *e)
{
	struct dlang_probe_desc desc;
	int rc = 0;

	for (size_t i = 0; i < cross_count(t->cross) && rc == 0; i++)
		if (cross_description(t->cross, i, &desc))
			rc = enable(t, &desc, true, e);
	return rc;
}

static int on_probe(void *ctx, uint32_t clause, const struct dlang_probe_desc *desc,
		    struct err *e)
{
	struct dlang_probe_desc turned = *desc;
	struct tracer *t = ctx;

	t->clause = clause;
	if (recorder_next(t->recorder))
		return 0; /* recorder_compile() enables it */
	if (t->cross && cross_next(t->cross))
		return enable_own(t, e);
	if (t->cross)
		cross_turn(t->cross, &turned);
	return enable(t, &turned, false, e);
}

static bool fires_in_all(const struct tracer *t, uint32_t id)
{
	const struct probe *p = probes_get(&t->probes, id);
	const struct provider *provider = p->provider;

	if (provider && provider->fires_in_all)
		return provider->fires_in_all(&t->probes, p);
	return provider && provider->needs_process;
}

/* Whether the clause is enabled on such a probe. Its specifiers are the last ones. */
static bool clause_fires_in_all(const struct tracer *t, uint32_t clause)
{
	for (size_t i = t->specs.len; i-- > 0;) {
		const struct trace_spec *spec = &t->specs.data[i];

		if (spec->clause != clause)
			return false;
		for (size_t k = 0; k < spec->ids.len; k++)
			if (fires_in_all(t, spec->ids.data[k]))
				return true;
	}
	return false;
}

/*
 * A predicate names processes. They are traced if the clause has probes that fire in
 * every traced process. dtrace itself is never traced.
 */
static int on_process(void *ctx, uint32_t clause, enum dlang_relation relation, int pid,
		      struct err *e)
{
	struct tracer *t = ctx;
	struct err why;

	if (t->is_listing || t->is_past || pid == getpid() ||
	    !clause_fires_in_all(t, clause))
		return 0;
	if (!target_find(t, pid) && spawn_grab(t, pid, false, &why))
		return err_tag(e, "D_PROC_GRAB", "failed to grab process %d: %s", pid,
			       why.text);
	if (relation != DLANG_PROCESS)
		target_find(t, pid)->follows = true;
	return 0;
}

/* Gives the compiler the present options. */
static void apply_options(struct tracer *t)
{
	struct dlang_options *o = dlang_options(t->dlang);

	o->strsize = (uint32_t)min_u64(t->options.strsize, UINT32_MAX);
	o->stackframes = t->options.stackframes;
	o->ustackframes = t->options.ustackframes;
	o->jstackframes = t->options.jstackframes;
	o->maxframes = t->options.maxframes;
	o->tregs = (uint32_t)min_u64(t->options.tregs, UINT32_MAX);
	o->errtags = t->options.errtags;
	o->argref = t->options.argref;
	o->defaultargs = t->options.defaultargs;
	o->empty = t->options.empty;
	o->wants_zero_ok = t->zero_ok;
	o->nolibs = t->options.nolibs;
	o->pspec = t->options.pspec;
	o->pystack = t->options.pystack;
	o->printstl = t->options.printstl;
	o->amin = t->options.amin;
	o->tree = (uint32_t)t->options.tree;
	dlang_version(t->options.version, &o->version);
	o->argc = t->programs->noperands;
	o->argv = t->programs->operands;
}

static int on_option(void *ctx, const char *name, const char *value, struct err *e)
{
	struct tracer *t = ctx;
	int rc = options_set(&t->options, OPTION_FROM_PROGRAM, name, value, e);

	t->zero_ok |= t->options.zdefs;
	apply_options(t);
	return rc;
}

static bool on_macro(void *ctx, const char *name, int64_t *value)
{
	const struct tracer *t = ctx;

	if (strcmp(name, "target") != 0)
		return false;
	*value = recorded_probes_target(t->recorded);
	for (size_t i = t->targets.len; i-- > 0;)
		if (t->targets.data[i]->is_named)
			*value = t->targets.data[i]->pid;
	return true;
}

void trace_diagnostics(const struct tracer *t, const struct strbuf *messages)
{
	const char *p = messages->data, *end = p + messages->len;

	for (; p && p < end; p += strlen(p) + 1) {
		size_t n = strlen(p);

		while (n > 0 && p[n - 1] == '\n')
			n--;
		out_message(t->out, "%.*s", (int)n, p);
	}
}

/* -x tree */
static void print_trees(struct tracer *t)
{
	const char *text = dlang_trees(t->dlang);

	if (!*text)
		return;
	out_flush(t->out);
	shown_printf(stderr, "%s", text);
}

static int compile_text(struct tracer *t, struct trace_program *program,
			const char *text)
{
	static const enum dlang_spec specs[] = {
		[TRACER_NAME] = DLANG_SPEC_NAME,
		[TRACER_FUNC] = DLANG_SPEC_FUNC,
		[TRACER_MODULE] = DLANG_SPEC_MOD,
		[TRACER_PROVIDER] = DLANG_SPEC_PROVIDER,
		[TRACER_SCRIPT] = DLANG_SPEC_NAME,
	};
	bool is_file = program->kind == TRACER_SCRIPT;
	struct dlang_source src = {
		.text = text,
		.name = program->text,
		.arg0 = is_file ? program->text : t->argv0,
		.is_file = is_file,
		.spec = specs[program->kind],
	};
	struct strbuf messages = {0};
	size_t before = t->specs.len;
	int rc;

	if (strstr(text, "args["))
		recorder_want_types(t->recorder);
	rc = dlang_compile(t->dlang, &src, &program->compiled, &messages);

	print_trees(t);
	if (rc)
		trace_diagnostics(t, &messages);
	for (size_t i = before; i < t->specs.len; i++)
		program->nmatched += (uint32_t)t->specs.data[i].ids.len;
	strbuf_release(&messages);
	return rc ? -1 : 0;
}

static void report_missing(struct tracer *t, const char *name, const char *reason)
{
	struct strbuf tools = {0};

	tool_suggest(name, &tools);
	out_message(t->out, "failed to open %s: %s%s", name, reason,
		    tools.data ? tools.data : "");
	strbuf_release(&tools);
}

static int compile_program(struct tracer *t, struct trace_program *program)
{
	struct strbuf text = {0}, path = {0};
	struct err e;
	int rc;

	if (library_load(t, program))
		return -1;
	if (program->kind != TRACER_SCRIPT)
		return compile_text(t, program, program->text);
	rc = source_read(t, tool_path(program->text, &path), &text, &e);
	if (rc == STATUS_NOENT)
		report_missing(t, program->text, e.text);
	else if (rc)
		out_message(t->out, "failed to compile script %s: %s", program->text,
			    e.text);
	else
		rc = compile_text(t, program, text.data);
	strbuf_release(&text);
	strbuf_release(&path);
	return rc ? -1 : 0;
}

static const char *argument_name(void *ctx, const struct probe *p, uint32_t n)
{
	const struct tracer *t = ctx;
	const char *type, *provider = probes_name(&t->probes, p, PROBE_PROVIDER);

	/* a recording has what the probe passes, not what it is translated to */
	if (!t->recorder &&
	    dlang_declared_argument(t->dlang, provider,
				    probes_name(&t->probes, p, PROBE_NAME), n,
				    &type) != STATUS_NOENT)
		return type;
	return arguments_type_name(t, dlang_types(t->dlang), p, n);
}

static void argument_members(void *ctx, const struct probe *p, uint32_t n,
			     struct strbuf *text)
{
	const struct tracer *t = ctx;

	arguments_members(t, dlang_types(t->dlang), p, n, text);
}

/* The probes of no process do not count as matched. */
static void take_back(const struct tracer *t, struct trace_program *p)
{
	const struct dlang_program *c = &p->compiled;

	for (size_t i = 0; i < t->specs.len; i++) {
		const struct trace_spec *spec = &t->specs.data[i];

		if (spec->clause - c->first_clause >= c->nclauses)
			continue;
		for (size_t k = 0; k < spec->ids.len; k++) {
			const struct probe *probe =
				probes_get(&t->probes, spec->ids.data[k]);

			p->nmatched -= match_needs_process(t, probe);
		}
	}
}

/* All clauses are known: has one named a process for the probes that need it? */
static int settle(struct tracer *t)
{
	const struct strbuf *unsettled = dlang_unsettled(t->dlang);

	if (t->is_listing || t->targets.len > 0)
		return 0;
	for (size_t i = 0; i < t->programs->len; i++)
		take_back(t, &t->programs->data[i]);
	trace_diagnostics(t, unsettled);
	return unsettled->len ? -1 : 0;
}

static int compile_cross(struct tracer *t)
{
	struct strbuf messages = {0};
	int rc = cross_compile(t->cross, t->dlang, &messages);

	if (rc)
		trace_diagnostics(t, &messages);
	strbuf_release(&messages);
	if (rc == 0 && cross_count(t->cross) == 0) {
		out_message(t->out, "check compares probes of pid and of fpid: the "
				    "program has none of pid$target or fpid$target");
		rc = -1;
	}
	return rc;
}

static int compile_recorder(struct tracer *t)
{
	struct strbuf messages = {0};
	int rc = recorder_compile(t, &messages);

	if (rc)
		trace_diagnostics(t, &messages);
	strbuf_release(&messages);
	return rc;
}

int trace_compile(struct tracer *t)
{
	static const struct dlang_env callbacks = {
		.probe = on_probe,
		.process = on_process,
		.option = on_option,
		.macro = on_macro,
		.has = library_has,
	};
	struct dlang_env env = callbacks;
	struct err e;
	int rc = 0;

	if (trace_open_recording(t))
		return -1;
	t->serves_machine = t->is_past || events_are_permitted();
	if (event_lists_open(&t->options, &t->event_lists, &e)) {
		out_message(t->out, "%s", e.text);
		return -1;
	}
	t->typing = typing_new(
		t, &(struct typing_clause){arguments_get, arguments_parameter,
					   locals_get, arguments_functions});
	t->place_keys = place_keys_new();
	t->probes.argument = argument_name;
	t->probes.members = argument_members;
	t->probes.argument_ctx = t;
	env.ctx = t;
	env.types = typing_source(t->typing);
	t->zero_ok |= t->options.zdefs;
	t->dlang = dlang_new(&env);
	apply_options(t);
	progress_begin(t);
	for (size_t i = 0; i < t->programs->len && rc == 0; i++)
		rc = compile_program(t, &t->programs->data[i]);
	if (rc == 0 && t->cross)
		rc = compile_cross(t);
	if (rc == 0 && t->recorder)
		rc = compile_recorder(t);
	progress_end(t);
	return rc ? -1 : settle(t);
}
