/* SPDX-License-Identifier: MIT */
#include "tracer/recording/write/recorder.h"
#include "tracer/output/out.h"
#include "tracer/output/python_names.h"
#include "tracer/recording/own_events.h"
#include "tracer/recording/write/clauses.h"
#include "tracer/recording/write/kernel_events.h"
#include "tracer/recording/write/processes_out.h"
#include "tracer/targets/target.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/journal.h"
#include "vm/tuple.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PYTHONS_MAX 1048576	       /* frames with a name */
#define ROUND_LEAST UINT64_C(10000000) /* ns */

/* What is taken out of a journal, whose bytes a target may have chosen. */
struct firing {
	uint64_t args[OWN_ARGS_MAX];
	struct event_stacks stacks;
	uint64_t user[PROGRAM_FRAMES_MAX], kernel[PROGRAM_FRAMES_MAX];
	struct strbuf context; /* the other entries */
};

struct recorder {
	struct tracer *t; /* borrowed */
	struct events_out out;
	struct tracepoints tracepoints;
	struct recorder_clauses clauses;
	struct processes_out processes;
	struct kernel_events kernel;
	bool is_picked; /* events of the kernel count only in traced processes */
	uint64_t round; /* when the last one ended, ns */
	struct process_observer observer;
	struct {
		uint32_t *data;
		size_t len, cap;
	} numbers; /* of tracepoints, by the probe's id - 1: those that are defined */
	struct map pythons; /* words of stacks that have been named */
	uint64_t count;	    /* of firings */
	bool wants_types;
	bool has_begun;
	bool has_new;	/* since the last round */
	bool is_failed; /* and that was said */
	struct firing firing;
	struct { /* while a snapshot is written: of the recording */
		struct event_file *file;
		struct map threads, pythons;
		size_t nnumbers;
		uint64_t count;
		bool has_new;
	} kept;
};

/* What dtrace says itself. */
static struct event_place here(uint64_t time)
{
	return (struct event_place){
		.time = time, .pid = (uint32_t)getpid(), .tid = (uint32_t)getpid()};
}

/* ---- life ---- */

int recorder_open(struct tracer *t, struct err *e)
{
	struct event_file *file;
	struct recorder *r;
	int rc = event_file_create(t->options.recording, &file, e);

	if (rc)
		return rc;
	r = oom_calloc(1, sizeof(*r));
	r->t = t;
	r->out.file = file;
	tracepoints_init(&r->tracepoints);
	t->recorder = r;
	return 0;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	event_file_close(r->out.file,
			 r->has_begun); /* a run that never began has none */
	held_events_free(r->out.held);
	kernel_events_release(&r->kernel);
	tracepoints_release(&r->tracepoints);
	recorder_clauses_release(&r->clauses);
	processes_out_release(&r->processes);
	vec_release(&r->numbers);
	map_release(&r->pythons);
	strbuf_release(&r->firing.context);
	free(r);
}

int recorder_compile(struct tracer *t, struct strbuf *messages)
{
	return recorder_clauses_compile(&t->recorder->clauses, t, messages);
}

void recorder_want_types(struct recorder *r)
{
	if (r)
		r->wants_types = true;
}

bool recorder_next(const struct recorder *r)
{
	return r && r->clauses.is_compiling;
}

/* ---- fields ---- */

/* Texts follow the fixed part; the word of each there says where. */
struct event {
	struct recorder *r;
	uint32_t words; /* where the word of the next text is */
};

static void put(struct recorder *r, uint64_t value, size_t size)
{
	events_out_add(&r->out, &value, size);
}

/* The fields that all events have: common_type, two bytes of flags, common_pid. */
static void begin_event(struct recorder *r, uint32_t number,
			const struct event_place *place, const struct event_stacks *s)
{
	events_out_sample(&r->out, number, place, s);
	put(r, tracepoints_id(&r->tracepoints, number), 2);
	put(r, 0, 2);
	put(r, place->tid, 4);
}

/* Sets the word at offset `at` of the event to the bytes; without room, to none. */
static void put_data(struct recorder *r, uint32_t at, const void *bytes, size_t n)
{
	unsigned char *event = events_out_event(&r->out);
	size_t offset = (size_t)(r->out.bytes + r->out.len - event);
	uint32_t word = 0;

	if (n <= UINT16_MAX && events_out_add(&r->out, bytes, n))
		word = (uint32_t)offset | (uint32_t)n << 16;
	memcpy(event + at, &word, sizeof(word));
}

static void put_text(struct recorder *r, uint32_t at, const char *text)
{
	put_data(r, at, text, strlen(text) + 1);
}

/* ---- what it begins with ---- */

static void add_types(const struct recorder *r, const struct probe *p,
		      struct strbuf *to)
{
	const struct probes *ps = &r->t->probes;
	const char *type;

	for (uint32_t n = 0;
	     r->wants_types && ps->argument && n < OWN_ARGS_MAX && p->nenablings &&
	     (type = ps->argument(ps->argument_ctx, p, n));
	     n++)
		strbuf_printf(to, "%s\n", type);
}

static void write_probe(struct recorder *r, const struct probe *p, uint64_t time)
{
	const struct event_place place = here(time);
	struct strbuf types = {0};

	begin_event(r, TRACEPOINT_PROBE, &place, NULL);
	put(r, p->id, 4);
	for (int i = 0; i < 5; i++)
		put(r, 0, 4);
	put(r, provider_source(r->t, p).by == SOURCE_EVENT, 4);
	for (uint32_t f = 0; f < 4; f++)
		put_text(r, 12 + 4 * f,
			 probes_name(&r->t->probes, p, (enum probe_field)f));
	add_types(r, p, &types);
	put_text(r, 28, types.data ? types.data : "");
	events_out_end(&r->out);
	strbuf_release(&types);
}

static void write_range(struct recorder *r, const struct trace_spec *spec,
			const uint32_t range[2], uint64_t time)
{
	const struct event_place place = here(time);
	struct strbuf text = {0};

	strbuf_printf(&text, "%s:%s:%s:%s", spec->field[0], spec->field[1],
		      spec->field[2], spec->field[3]);
	begin_event(r, TRACEPOINT_DESCRIPTION, &place, NULL);
	put(r, range[0], 4);
	put(r, range[1], 4);
	put(r, 0, 4);
	put_text(r, 16, text.data);
	events_out_end(&r->out);
	strbuf_release(&text);
}

static void write_description(struct recorder *r, const struct trace_spec *spec,
			      uint64_t time)
{
	for (size_t i = 0; i < spec->ids.len;) {
		uint32_t range[2] = {spec->ids.data[i], spec->ids.data[i]};

		while (++i < spec->ids.len && spec->ids.data[i] == range[1] + 1)
			range[1]++;
		write_range(r, spec, range, time);
	}
}

/* The probes that are there now, and were not before. */
static void define_probes(struct recorder *r, uint64_t time, bool is_first)
{
	const struct tracer *t = r->t;

	for (size_t i = r->numbers.len; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];
		const uint32_t id[2] = {p->id, p->id};

		write_probe(r, p, time);
		*vec_push(&r->numbers) = tracepoints_of(
			&r->tracepoints, probes_name(&t->probes, p, PROBE_PROVIDER),
			probes_name(&t->probes, p, PROBE_NAME), false);
		for (size_t k = 0; k < t->specs.len && !is_first; k++)
			if (id_set_has(&t->specs.data[k].seen, p->id))
				write_range(r, &t->specs.data[k], id, time);
	}
	for (size_t i = 0; i < t->specs.len && is_first; i++)
		write_description(r, &t->specs.data[i], time);
}

/* ---- processes ---- */

static struct event_place place_of(int pid)
{
	struct event_place place = here(clock_now_ns());

	place.pid = place.tid = (uint32_t)pid;
	return place;
}

static void write_text(struct recorder *r, uint64_t time, const char *text)
{
	const struct event_place place = here(time);

	begin_event(r, TRACEPOINT_RECORDING, &place, NULL);
	put(r, 0, 4);
	put_text(r, 8, text);
	events_out_end(&r->out);
}

/* Told again when it has other code, which does no harm. */
static void write_traced(struct recorder *r, int pid)
{
	char text[32];

	snprintf(text, sizeof(text), OWN_KEY_TRACED "=%d\n", pid);
	if (r->is_picked)
		write_text(r, clock_now_ns(), text);
}

static void on_image(void *ctx, int pid)
{
	struct recorder *r = ctx;
	const struct target *target = target_find(r->t, pid);
	const struct event_place place = place_of(pid);

	write_traced(r, pid);
	processes_out_image(&r->processes, &r->out, &place,
			    target ? target->modules : NULL);
}

static void on_ended(void *ctx, int pid)
{
	struct recorder *r = ctx;
	const struct event_place place = place_of(pid);

	events_out_exit(&r->out, &place);
}

static const char *program_name(const struct target *target)
{
	const struct modules *ms = target->modules;

	for (size_t i = 0; ms && i < ms->len; i++)
		if (ms->data[i]->is_exe)
			return ms->data[i]->name;
	return "";
}

static void write_facts(struct recorder *r, uint64_t time)
{
	const struct tracer *t = r->t;
	struct strbuf text = {0};

	strbuf_printf(&text, OWN_KEY_VERSION "=%d\n" OWN_KEY_WALL "=%" PRIu64 "\n",
		      OWN_VERSION, clock_ns(CLOCK_REALTIME) - time);
	for (size_t i = t->targets.len; i-- > 0;) {
		const struct target *target = t->targets.data[i];

		if (target->is_named)
			strbuf_printf(&text,
				      OWN_KEY_TARGET "=%d\n" OWN_KEY_PROGRAM "=%s\n",
				      target->pid, program_name(target));
	}
	write_text(r, time, text.data);
	strbuf_release(&text);
}

static void choose_tracepoints(struct recorder *r)
{
	const struct probes *ps = &r->t->probes;

	for (size_t i = 0; i < ps->table.len; i++) {
		const struct probe *p = &ps->table.data[i];

		if (p->nenablings &&
		    ps->recorder(ps->recorder_ctx, p) != PROBES_NO_CLAUSE)
			tracepoints_of(&r->tracepoints,
				       probes_name(ps, p, PROBE_PROVIDER),
				       probes_name(ps, p, PROBE_NAME), true);
	}
}

/* The kernel's events have no ring that could hold the last of them. */
static void begin_kernel(struct recorder *r, struct events *events, uint64_t now)
{
	const uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	r->kernel.out = &r->out;
	r->kernel.processes = &r->processes;
	r->kernel.tracepoints = &r->tracepoints;
	r->kernel.began = now;
	r->is_picked = events_are_picked(events);
	if (events && r->t->options.bufpolicy == BUFPOLICY_RING)
		r->out.held = held_events_new(r->t->options.bufsize * cpus);
	kernel_events_begin(&r->kernel, events);
}

void recorder_begin(struct tracer *t, struct events *events)
{
	struct recorder *r = t->recorder;
	const char *command[] = {t->argv0};
	struct event_place self;
	uint64_t now = clock_now_ns();

	if (!r)
		return;
	self = here(now);
	choose_tracepoints(r);
	begin_kernel(r, events, now);
	r->out.has_stacks = r->clauses.frames > 0;
	events_out_begin(&r->out, &r->tracepoints, command, ARRAY_LEN(command));
	kernel_events_put_code(&r->kernel);
	events_out_name(&r->out, &self, t->command, false);
	write_facts(r, now);
	define_probes(r, now, true);
	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->alive)
			on_image(r, t->targets.data[i]->pid);
	r->has_begun = true;
	r->observer = (struct process_observer){r, on_image, on_ended};
	t->processes = &r->observer;
	events_out_round(&r->out);
	event_file_flush(r->out.file);
}

/* ---- samples ---- */

static uint32_t copy_stack(uint64_t *to, const unsigned char *bytes, uint32_t size)
{
	uint32_t n = min_u32(size / 8, PROGRAM_FRAMES_MAX);

	memcpy(to, bytes, n * sizeof(*to));
	return n;
}

static void take_entry(struct recorder *r, struct firing *f,
		       const struct journal_entry *entry, const unsigned char *bytes)
{
	static const char zeros[8];

	if (r->out.has_stacks && entry->kind == JOURNAL_STACK) {
		f->stacks.nuser = copy_stack(f->user, bytes, entry->size);
		return;
	}
	if (r->out.has_stacks && entry->kind == JOURNAL_KERNEL) {
		f->stacks.nkernel = copy_stack(f->kernel, bytes, entry->size);
		return;
	}
	if (entry->kind == JOURNAL_ARGUMENTS)
		memcpy(f->args, bytes, min_u64(entry->size, sizeof(f->args)));
	strbuf_add(&f->context, entry, sizeof(*entry));
	strbuf_add(&f->context, bytes, entry->size);
	strbuf_add(&f->context, zeros, align_up(entry->size, 8) - entry->size);
}

static void take_journal(struct recorder *r, struct firing *f,
			 const struct tuple_value *journal)
{
	struct journal_entry entry;
	const unsigned char *bytes;
	size_t at = 0;

	memset(f->args, 0, sizeof(f->args));
	f->stacks = (struct event_stacks){.user = f->user, .kernel = f->kernel};
	strbuf_reset(&f->context);
	while (journal_next((const unsigned char *)journal->bytes, journal->len, &at,
			    &entry, &bytes))
		take_entry(r, f, &entry, bytes);
}

static void write_python(struct recorder *r, const struct event_place *place,
			 uint64_t word)
{
	const struct python_name name = python_names_find(r->t->python_names, word);

	if (r->pythons.len >= PYTHONS_MAX || map_get(&r->pythons, word, NULL))
		return;
	map_set(&r->pythons, word, 1);
	begin_event(r, TRACEPOINT_PYTHON, place, NULL);
	put(r, word, 8);
	put(r, name.line, 4);
	put(r, 0, 4);
	put(r, 0, 4);
	put_text(r, 20, name.function);
	put_text(r, 24, name.file);
	events_out_end(&r->out);
}

static void write_pythons(struct recorder *r, const struct event_place *place,
			  const struct event_stacks *s)
{
	for (uint32_t i = 0; r->t->python_names && i < s->nuser; i++)
		if (python_is_frame(s->user[i]))
			write_python(r, place, s->user[i]);
}

static void write_firing(struct recorder *r, const struct probe *p,
			 const struct event_place *place, const struct firing *f)
{
	const struct probes *ps = &r->t->probes;
	uint32_t number = r->numbers.data[p->id - 1];
	bool is_other = number == TRACEPOINT_OTHER;

	write_pythons(r, place, &f->stacks);
	begin_event(r, number, place, &f->stacks);
	put(r, p->id, 4);
	for (int i = 0; i < (is_other ? 5 : 3); i++)
		put(r, 0, 4);
	events_out_add(&r->out, f->args,
		       r->tracepoints.list.data[number].nargs * sizeof(f->args[0]));
	put_text(r, 12, probes_name(ps, p, PROBE_MODULE));
	put_text(r, 16, probes_name(ps, p, PROBE_FUNCTION));
	if (is_other) {
		put_text(r, 24, probes_name(ps, p, PROBE_PROVIDER));
		put_text(r, 28, probes_name(ps, p, PROBE_NAME));
	}
	put_data(r, 20, f->context.data, f->context.len);
	events_out_end(&r->out);
}

/* The record has one item, of one value. False: it has not. */
static bool find_journal(const struct tracer *t, const struct record *record,
			 struct tuple_value *out)
{
	const struct program_action *a;
	struct record_item item;
	size_t pos = 0;

	if (record->size < sizeof(*record) + sizeof(item))
		return false;
	memcpy(&item, record + 1, sizeof(item));
	if (item.size > record->size - sizeof(*record) - sizeof(item))
		return false;
	a = program_action(t->image, item.action);
	return a->nfields == 1 &&
	       tuple_next((const char *)(record + 1) + sizeof(item), item.size, &pos,
			  program_field(t->image, a->first_field), out) == 0 &&
	       out->bytes;
}

bool recorder_is_for(const struct recorder *r, const struct record *record)
{
	return r && (record->clause == r->clauses.number[0] ||
		     record->clause == r->clauses.number[1]);
}

bool recorder_take(struct recorder *r, const struct record *record)
{
	const struct event_place place = {record->time, record->cpu, record->pid,
					  record->tid};
	struct tuple_value journal;
	const struct probe *p;

	if (!recorder_is_for(r, record))
		return false;
	p = probes_get(&r->t->probes, record->probe);
	if (record->kind != RECORD_DATA || !p || !find_journal(r->t, record, &journal))
		return true;
	define_probes(r, record->time, false);
	processes_out_thread(&r->processes, &r->out, &place);
	take_journal(r, &r->firing, &journal);
	write_firing(r, p, &place, &r->firing);
	r->has_new = true;
	r->count++;
	return true;
}

/* ---- snapshots ---- */

/* The names of threads and the probes that it needs are its own, as is the file. */
int recorder_snapshot_begin(struct recorder *r, const char *path, struct err *e)
{
	struct event_file *file;
	int rc = event_file_create(path, &file, e), error;

	if (rc)
		return rc;
	error = event_file_copy(file, r->out.file);
	if (error) {
		event_file_close(file, false);
		return err_set(e, STATUS_IO, "%s", strerror(error));
	}
	r->kept.file = r->out.file;
	r->kept.threads = r->processes.threads;
	r->kept.pythons = r->pythons;
	r->kept.nnumbers = r->numbers.len;
	r->kept.count = r->count;
	r->kept.has_new = r->has_new;
	r->out.file = file;
	r->processes.threads = (struct map){0};
	r->pythons = (struct map){0};
	return 0;
}

int recorder_snapshot_end(struct recorder *r, struct err *e)
{
	struct event_file *file = r->out.file;
	int error;

	if (r->out.held)
		held_events_write(r->out.held, file);
	events_out_round(&r->out);
	event_file_flush(file);
	error = event_file_error(file);
	event_file_close(file, error == 0);
	map_release(&r->processes.threads);
	map_release(&r->pythons);
	r->pythons = r->kept.pythons;
	r->out.file = r->kept.file;
	r->processes.threads = r->kept.threads;
	r->numbers.len = r->kept.nnumbers;
	r->count = r->kept.count;
	r->has_new = r->kept.has_new;
	return error ? err_set(e, STATUS_IO, "%s", strerror(error)) : 0;
}

/* ---- what else happens ---- */

void recorder_lost(struct recorder *r, uint64_t n)
{
	struct event_place place;

	if (!r || !r->has_begun)
		return;
	place = here(clock_now_ns());
	events_out_lost(&r->out, &place, n);
}

/*
 * Whoever reads the file takes it that all of a round is later than the round before the
 * last one. Events of the kernel are written as soon as they come, others when the
 * consumer has looked for them: so it must be a while since the last round.
 */
static void end_round(struct recorder *r)
{
	uint64_t now = clock_now_ns();

	if (!(r->has_new || r->kernel.has_new) || now - r->round < ROUND_LEAST)
		return;
	events_out_round(&r->out);
	r->round = now;
	r->has_new = r->kernel.has_new = false;
}

bool recorder_round(struct recorder *r)
{
	int error;

	if (!r || r->is_failed)
		return !r;
	end_round(r);
	event_file_flush(r->out.file);
	error = event_file_error(r->out.file);
	r->is_failed = error != 0;
	if (error)
		out_message(r->t->out,
			    "failed to write %s: %s: the recording ends there",
			    r->t->options.recording, strerror(error));
	return !error;
}

bool recorder_end(struct recorder *r)
{
	uint64_t n;

	if (!r)
		return true;
	if (r->out.held)
		held_events_write(r->out.held, r->out.file);
	if (!recorder_round(r))
		return false;
	n = r->count + r->kernel.count;
	out_notice(r->t->out, "%" PRIu64 " event%s recorded in %s", n,
		   n == 1 ? "" : "s", r->t->options.recording);
	return true;
}
