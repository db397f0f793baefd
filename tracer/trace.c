/* SPDX-License-Identifier: MIT */
/*
 * The functions of tracer.h: one run, from options to the exit status.
 */
#include "tracer/trace.h"
#include "tracer/list_sites.h"
#include "tracer/cross/cross.h"
#include "tracer/base/inherited_signals.h"
#include "tracer/base/probe_table.h"
#include "tracer/cost/overhead.h"
#include "tracer/dump/dump.h"
#include "tracer/emit/emit.h"
#include "tracer/events/event_lists.h"
#include "tracer/events/events.h"
#include "tracer/events/origin.h"
#include "tracer/export/export.h"
#include "tracer/files/file_limits.h"
#include "tracer/consume/consume.h"
#include "tracer/records/sources.h"
#include "tracer/source.h"
#include "tracer/jit/jit.h"
#include "tracer/output/patient_load.h"
#include "tracer/output/ustack.h"
#include "tracer/plancache/plancache.h"
#include "tracer/output/progress.h"
#include "tracer/output/python_names.h"
#include "tracer/pictures/pictures.h"
#include "tracer/providers/generated.h"
#include "tracer/providers/providers.h"
#include "tracer/providers/suggest.h"
#include "tracer/recording/replay/recorded_probes.h"
#include "tracer/recording/write/recorder.h"
#include "tracer/report.h"
#include "tracer/targets/code_image.h"
#include "tracer/targets/plan.h"
#include "tracer/targets/spawn.h"
#include "tracer/targets/target.h"
#include "tracer/targets/typing.h"
#include "tracer/base/probe_table.h"
#include "tracer/base/place_keys.h"
#include "tracer/usdt/usdt.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/text/shown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* note() of the names of generated code. */
static void note_generated(void *ctx, int pid, const char *text)
{
	const struct tracer *t = ctx;

	out_notice(t->out, "pid %d: %s", pid, text);
}

struct tracer *tracer_new(const char *argv0, int noperands, char *const *operands)
{
	struct tracer *t = oom_calloc(1, sizeof(*t));
	const char *slash = strrchr(argv0, '/');

	t->argv0 = argv0;
	t->command = slash ? slash + 1 : argv0;
	t->programs = oom_calloc(1, sizeof(*t->programs));
	t->programs->noperands = noperands;
	t->programs->operands = operands;
	t->images = oom_calloc(1, sizeof(*t->images));
	t->plancache = plancache_new();
	t->link.fd = -1;
	for (int i = 0; i < STATE_REGIONS; i++)
		t->state_files[i] = -1;
	options_init(&t->options);
	t->out = out_new(t->command);
	t->out->quiet = &t->options.quiet;
	t->jit = jit_new(note_generated, t);
	t->origin = kernel_origin_new();
	probes_init(&t->probes);
	providers_init(t);
	file_limits_set(t);
	t->targets_have_ended = targets_have_ended;
	inherited_signals_take();
	return t;
}

static void free_programs(struct tracer *t)
{
	for (size_t i = 0; i < t->programs->len; i++) {
		free(t->programs->data[i].text);
		free(t->programs->data[i].name);
	}
	vec_release(t->programs);
	free(t->programs);
	for (size_t i = 0; i < t->specs.len; i++) {
		for (int f = 0; f < 4; f++)
			free(t->specs.data[i].field[f]);
		vec_release(&t->specs.data[i].ids);
		id_set_release(&t->specs.data[i].seen);
	}
	vec_release(&t->specs);
}

bool tracer_has_lost_thread(void)
{
	return patient_load_is_lost();
}

void tracer_free(struct tracer *t)
{
	int stays = link_close(&t->link);

	if (stays)
		out_message(t->out,
			    "the keeper process %d has not ended: what it traces stays "
			    "traced until it does",
			    stays);
	if (tracer_has_lost_thread()) { /* which still uses the rest */
		pictures_free(t->pictures);
		recorder_free(t->recorder);
		out_free(t->out);
		return;
	}
	for (size_t i = 0; i < t->targets.len; i++)
		target_free(t->targets.data[i]);
	vec_release(&t->targets);
	pictures_free(t->pictures);
	progress_free(t->progress);
	consumer_free(t->consumer);
	recorder_free(t->recorder);
	dumps_free(t->dumps);
	emitter_close(t->emitter);
	export_free(t->form);
	overhead_free(t->overhead);
	cross_free(t->cross);
	ustack_free(t->ustack);
	python_names_close(t->python_names);
	jit_free(t->jit);
	vec_release(&t->operands);
	map_release(&t->operands.by_hash);
	generated_free(t->generated);
	code_images_release(t->images);
	free(t->images);
	plancache_free(t->plancache);
	sources_free(t->sources);
	trace_release_buffers(t);
	free_programs(t);
	free(t->image);
	probe_table_release(t);
	typing_free(t->typing);
	place_keys_free(t->place_keys);
	strmap_release(&t->reported_copies);
	map_release(&t->jump_sites.why);
	dlang_free(t->dlang);
	probes_release(&t->probes);
	recorded_probes_free(t->recorded);
	map_release(&t->recorded_traced);
	options_release(&t->options);
	origin_free(t->origin);
	event_lists_free(t->event_lists);
	out_free(t->out);
	free(t);
}

int tracer_option(struct tracer *t, const char *name, const char *value, struct err *e)
{
	int status = options_set(&t->options, OPTION_FROM_COMMAND, name, value, e);

	file_limits_set(t);
	return status;
}

bool tracer_wants_core(const struct tracer *t)
{
	return t->options.core;
}

void tracer_verbose(struct tracer *t)
{
	t->options.stability = true;
}

int tracer_output(struct tracer *t, const char *path, struct err *e)
{
	return out_redirect(t->out, path, e);
}

int tracer_command(struct tracer *t, const char *command, struct err *e)
{
	int rc = trace_refuse_process(t, e);

	return rc ? rc : spawn_command(t, command, e);
}

int tracer_command_words(struct tracer *t, char *const *words, struct err *e)
{
	int rc = trace_refuse_process(t, e);

	return rc ? rc : spawn_words(t, words, e);
}

int tracer_grab(struct tracer *t, int pid, struct err *e)
{
	int rc = trace_refuse_process(t, e);

	return rc ? rc : spawn_grab(t, pid, true, e);
}

/* The argument up to the first {, / or ;, as messages show a program. */
static char *short_name(enum tracer_spec kind, const char *text)
{
	size_t n = kind == TRACER_SCRIPT ? strlen(text) : strcspn(text, "{/;");
	char *name = oom_calloc(1, n + 1);

	return memcpy(name, text, n);
}

void tracer_program(struct tracer *t, enum tracer_spec spec, const char *text)
{
	size_t n = strlen(text) + 1;

	*vec_push(t->programs) = (struct trace_program){
		.kind = spec,
		.text = memcpy(oom_realloc(NULL, n), text, n),
		.name = short_name(spec, text),
	};
}

/* The exit status after everything was printed. */
static int end_output(struct tracer *t)
{
	if (!out_flush(t->out))
		return 0;
	out_message(t->out, "failed to write output: %s", strerror(errno));
	return 1;
}

/* -S: the code of all programs, on stderr. */
static void report_code(struct tracer *t)
{
	struct strbuf text = {0};

	if (!t->options.verbose)
		return;
	dump_image(t->image, &text);
	out_flush(t->out);
	shown_printf(stderr, "%s", text.data ? text.data : "");
	strbuf_release(&text);
}

/* Links the programs and verifies the image, as every context does before it runs it. */
static int link_image(struct tracer *t)
{
	struct verify_error bad;
	struct err e;

	if (dlang_link(t->dlang, &t->image, &t->image_size, &e)) {
		out_message(t->out, "%s", e.text);
		return -1;
	}
	if (program_verify(t->image, t->image_size, &bad)) {
		out_message(t->out,
			    "the compiler made a bad image: %s at instruction %u",
			    bad.text, bad.insn);
		return -1;
	}
	report_code(t);
	return 0;
}

/* Whether an earlier clause of the program has the same specifier. */
static bool is_repeated(const struct tracer *t, size_t spec, uint32_t first_clause)
{
	const struct trace_spec *a = &t->specs.data[spec];

	for (size_t i = 0; i < spec; i++) {
		const struct trace_spec *b = &t->specs.data[i];
		bool same = b->clause >= first_clause;

		for (int f = 0; f < 4; f++)
			same = same && strcmp(a->field[f], b->field[f]) == 0;
		if (same)
			return true;
	}
	return false;
}

/* A probe of the specifier; NULL if it has none, or probes of several providers. */
static const struct probe *probe_of_spec(const struct tracer *t,
					 const struct trace_spec *spec)
{
	const struct probe *first = NULL;

	for (size_t i = 0; i < spec->ids.len; i++) {
		const struct probe *p = probes_get(&t->probes, spec->ids.data[i]);

		if (first && p->provider != first->provider)
			return NULL;
		first = p;
	}
	return first;
}

/* -e -v: the program, then each distinct specifier of its clauses. */
static void report_specifiers(struct tracer *t, const struct trace_program *p)
{
	const struct dlang_program *c = &p->compiled;
	struct dlang_stability s;

	dlang_stability(t->dlang, c, &s);
	report_minimum(t->out, p->kind == TRACER_SCRIPT ? "script" : "description",
		       p->name, &s);
	for (size_t i = 0; i < t->specs.len; i++) {
		const struct trace_spec *spec = &t->specs.data[i];

		if (spec->clause - c->first_clause < c->nclauses &&
		    !is_repeated(t, i, c->first_clause))
			report_specifier(t->out, &t->probes,
					 (const char *const *)spec->field,
					 probe_of_spec(t, spec));
	}
}

static void list_probe(struct tracer *t, const struct listed_sites *sites, uint32_t id)
{
	if (!events_can_fire(t, probes_get(&t->probes, id)))
		return;
	report_probe(t->out, &t->probes, id, t->options.stability);
	if (t->options.stability)
		listed_sites_print(t, sites, id);
}

/* A specifier of -l without probes, and what it may have meant. */
static void report_unmatched(struct tracer *t, const struct trace_spec *spec)
{
	const struct dlang_probe_desc desc = {.field = {spec->field[0], spec->field[1],
							spec->field[2],
							spec->field[3]}};
	struct match m = {0};

	usdt_suggest(t, &desc, &m);
	suggest_description(t, &desc, &m);
	usdt_explain_none(t, &desc, &m);
	generated_explain_none(t, desc.field, &m);
	out_message(t->out,
		    "failed to match %s:%s:%s:%s: No probe matches description%s%s",
		    spec->field[0], spec->field[1], spec->field[2], spec->field[3],
		    *m.hint ? "\n\t" : "", m.hint);
	match_release(&m);
}

static void list_spec(struct tracer *t, const struct listed_sites *sites,
		      const struct trace_spec *spec)
{
	if (spec->ids.len == 0)
		report_unmatched(t, spec);
	for (size_t i = 0; i < spec->ids.len; i++)
		list_probe(t, sites, spec->ids.data[i]);
}

int tracer_list(struct tracer *t)
{
	struct listed_sites sites = {0};
	bool is_empty;

	t->zero_ok = t->is_listing = true;
	if (trace_open_recording(t))
		return 1;
	if (t->programs->len == 0)
		providers_add_all(t);
	if (trace_compile(t) || (t->programs->len > 0 && link_image(t)))
		return 1;
	progress_begin(t);
	for (size_t i = 0; i < t->targets.len && t->options.stability; i++) {
		struct target *target = t->targets.data[i];

		target->no_jumps = target_jumps(t, target);
		plan_sites(t, target);
	}
	progress_end(t);
	listed_sites_find(t, &sites);
	report_header(t->out);
	is_empty = t->specs.len > 0;
	for (size_t i = 0; i < t->specs.len; i++) {
		list_spec(t, &sites, &t->specs.data[i]);
		is_empty = is_empty && t->specs.data[i].ids.len == 0;
	}
	for (uint32_t id = 1; t->programs->len == 0 && id <= t->probes.table.len; id++)
		list_probe(t, &sites, id);
	listed_sites_release(&sites);
	return end_output(t) || is_empty ? 1 : 0;
}

static void report_stability_of(struct tracer *t)
{
	for (size_t i = 0; i < t->programs->len && t->options.stability; i++) {
		const struct trace_program *p = &t->programs->data[i];
		struct dlang_stability s;

		dlang_stability(t->dlang, &p->compiled, &s);
		report_stability(t->out,
				 p->kind == TRACER_SCRIPT ? "script" : "description",
				 p->name, &s);
	}
}

int tracer_compile(struct tracer *t)
{
	/* without a program they alone are compiled */
	static const struct trace_program libraries = {.kind = TRACER_SCRIPT,
						       .text = "libraries"};

	t->is_listing = true;
	if (trace_compile(t) || library_load(t, &libraries) || link_image(t))
		return 1;
	for (size_t i = 0; i < t->programs->len && t->options.stability; i++)
		report_specifiers(t, &t->programs->data[i]);
	return end_output(t);
}

static void report_matches(struct tracer *t)
{
	for (size_t i = 0; i < t->programs->len; i++) {
		const struct trace_program *p = &t->programs->data[i];

		out_notice(t->out, "%s '%s' matched %u probe%s",
			   p->kind == TRACER_SCRIPT ? "script" : "description", p->name,
			   p->nmatched, p->nmatched == 1 ? "" : "s");
	}
}

static bool traces_system_calls(const struct tracer *t)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		struct provider_source source;

		if (p->nenablings == 0 || !provider_has_source(p))
			continue;
		source = provider_source(t, p);
		if (source.by == SOURCE_KEEPER &&
		    (source.event.kind == KEEPER_SITELESS_CALL_ENTRY ||
		     source.event.kind == KEEPER_SITELESS_CALL_RETURN))
			return true;
	}
	return false;
}

/*
 * Who counts system calls misses those of the loader. On a terminal only: DTrace, which
 * misses them too, says nothing.
 */
static void note_loader(const struct tracer *t)
{
	bool has_loader = false;

	for (size_t i = 0; i < t->targets.len; i++)
		has_loader |= t->targets.data[i]->created &&
			      t->targets.data[i]->rendezvous.v != 0;
	if (has_loader && t->options.evaltime != EVALTIME_EXEC &&
	    traces_system_calls(t))
		out_remark(t->out,
			   "the system calls that loaded the program came before "
			   "tracing: -x evaltime=exec traces them");
}

void trace_make_names(struct tracer *t)
{
	t->ustack = ustack_new(&t->options);
	ustack_set_jit(t->ustack, t->jit);
	ustack_set_python(t->ustack, t->python_names);
}

int tracer_explain(struct tracer *t)
{
	if (trace_compile(t) || link_image(t) || trace_explain(t))
		return 1;
	return end_output(t);
}

void tracer_check(struct tracer *t, bool by_jumps, int fd)
{
	t->cross = cross_new(by_jumps, fd);
}

/* -E FILE, -gE FILE: without -g the program prints nothing. */
static int begin_recording(struct tracer *t)
{
	struct err e;

	if (!t->options.recording && t->options.recordlive) {
		out_message(t->out, "-g needs the file of -E");
		return -1;
	}
	if (!t->options.recording || trace_replays(t))
		return 0;
	if (recorder_open(t, &e) ||
	    (!t->options.recordlive && out_redirect(t->out, "/dev/null", &e))) {
		out_message(t->out, "failed to create %s: %s", t->options.recording,
			    e.text);
		return -1;
	}
	return 0;
}

int tracer_run(struct tracer *t)
{
	bool may_fire;

	if (t->programs->len == 0) {
		out_message(t->out, "no probes specified");
		return 1;
	}
	if (begin_recording(t) || trace_compile(t) || link_image(t))
		return 1;
	report_matches(t);
	report_stability_of(t);
	note_loader(t);
	may_fire = t->zero_ok;
	for (size_t i = 0; i < t->programs->len; i++)
		may_fire |= t->programs->data[i].nmatched > 0;
	for (size_t i = 0; i < t->specs.len; i++)
		may_fire |= t->specs.data[i].is_awaited;
	if (!may_fire) {
		out_message(t->out, "no probes matched");
		return 1;
	}
	return trace_run(t);
}
