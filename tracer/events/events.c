/* SPDX-License-Identifier: MIT */
#include "tracer/events/events.h"
#include "tracer/events/demands.h"
#include "tracer/events/process_maps.h"
#include "tracer/events/source.h"
#include "tracer/events/tracefs.h"
#include "tracer/output/out.h"
#include "tracer/targets/target.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/vm.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHOSEN_MAX   4194304	 /* values that select a probe */
#define INITIAL_PIDS 0xEFFFFFFCu /* include/linux/proc_ns.h: the kernel's own ids */

/*
 * ns that a processor may take from an event's time to its bytes in the ring. Until then
 * later events of other processors wait.
 */
#define LATE 1000000

struct events {
	struct tracer *t;
	struct origin *from; /* borrowed */
	bool is_open;	     /* from is to be closed */
	struct {
		struct source *data;
		size_t len, cap;
	} sources; /* by their numbers in from */
	struct thread_names names;
	struct process_maps *maps;
	struct event_env env;
	/*
	 * Processes are traced, but all of the machine is observed, and most of it
	 * ignored: a probe fires in another thread than the one in which its event
	 * happens.
	 */
	bool is_picking;
	bool is_urgent;	      /* clauses ask for more than the events carry */
	uint64_t rests_until; /* ns: what it woke for was its own doing */
	bool has_started;
	bool has_kernel_ids; /* this process sees the ids that the events carry */
	uint64_t nread;	     /* events */
	const struct event_sink *sink; /* NULL: nobody records them */
	struct told told;	       /* of a recording */
};

/* ---- formats ---- */

static int read_format(const struct tracer *t, const struct kernel_event *k,
		       struct event_format **out, struct err *e)
{
	struct strbuf text = {0};
	int rc = t->origin->calls->format(t->origin, k->system, k->name, &text, e);

	if (rc == 0)
		rc = event_format_parse(
			text.data ? text.data : "", text.len,
			(uint32_t)min_u64(t->options.strsize, UINT16_MAX), out, e);
	strbuf_release(&text);
	return rc;
}

const struct type *events_type(const struct tracer *t, const struct probe *p,
			       struct types *ts, const char **why)
{
	struct event_format *format;
	const struct type *type;
	const struct kernel_event k = provider_source(t, p).kernel;
	struct strbuf name = {0};
	struct err e;

	*why = "the format of the event cannot be read";
	if (read_format(t, &k, &format, &e))
		return NULL;
	strbuf_printf(&name, "struct sdt_%s_%s", k.system, k.name);
	type = event_format_type(format, ts, name.data);
	type = type_userland(ts, type_pointer(ts, type));
	strbuf_release(&name);
	event_format_free(format);
	return type;
}

bool events_has(const struct tracer *t, const char *system, const char *name)
{
	struct strbuf text = {0};
	struct err ignored;
	int rc;

	if (t->origin->is_past)
		return t->origin->calls->has(t->origin, system, name);
	rc = t->origin->calls->format(t->origin, system, name, &text, &ignored);
	strbuf_release(&text);
	return rc == 0;
}

int events_each(struct tracer *t, tracepoint_found *found, void *ctx, struct err *e)
{
	return t->origin->calls->each(t->origin, found, ctx, e);
}

/* ---- opening ---- */

/* Samples as they are wanted; of a tracepoint nothing is set. */
static struct origin_event sampled(const struct kernel_event *k)
{
	return (struct origin_event){.interval = k->name ? 0 : k->value,
				     .type = k->type,
				     .config = k->config,
				     .no_user = k->no_user,
				     .no_kernel = k->no_kernel};
}

bool events_are_past(const struct tracer *t)
{
	return t->origin->is_past;
}

static bool has_samples(const struct tracer *t, const struct kernel_event *k)
{
	const struct origin_event event = sampled(k);

	return t->origin->calls->has_samples(t->origin, &event);
}

bool events_can_fire(const struct tracer *t, const struct probe *p)
{
	struct provider_source source;

	if (!t->origin->is_past || !p->provider)
		return true;
	source = provider_source(t, p);
	if (source.by == SOURCE_CLOCK)
		return true;
	if (source.by != SOURCE_EVENT) /* BEGIN, or of processes */
		return source.by == SOURCE_SITES && !p->provider->needs_process;
	/* of system calls there are only the probes of those that it has */
	if (!source.kernel.name)
		return has_samples(t, &source.kernel);
	return (source.kernel.system &&
		strcmp(source.kernel.system, "raw_syscalls") == 0) ||
	       events_has(t, source.kernel.system, source.kernel.name);
}

void events_describe(const struct tracer *t, struct strbuf *out)
{
	t->origin->calls->describe(t->origin, out);
}

bool events_are_permitted(void)
{
	struct err ignored;
	int dir = geteuid() == 0 ? tracefs_open(&ignored) : -1;

	if (dir >= 0)
		close(dir);
	return dir >= 0;
}

/* The threads of a process. */
struct tids {
	pid_t *data;
	size_t len, cap;
};

static void add_threads(struct tids *to, int pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			*vec_push(to) = atoi(entry->d_name);
	if (dir)
		closedir(dir);
}

static bool is_event(const struct tracer *t, const struct probe *p)
{
	return p->nenablings > 0 && provider_has_source(p) &&
	       provider_source(t, p).by == SOURCE_EVENT;
}

static int open_rings(struct events *v, struct err *e)
{
	const struct tracer *t = v->t;
	const struct rings_config config = {.bytes = t->options.bufsize,
					    .wants_stacks = demands_stacks(t),
					    .wakes_at_once = demands_processes(t),
					    .wants_mappings = demands_mappings(t)};
	struct tids tids = {0};
	struct rings_of of = {.follows = t->options.follow};
	int rc;

	for (size_t i = 0; i < t->targets.len && !v->is_picking; i++)
		if (t->targets.data[i]->alive)
			add_threads(&tids, t->targets.data[i]->pid);
	v->is_picking |= t->targets.len > 0 && tids.len == 0; /* they have ended */
	of.tids = tids.data;
	of.n = tids.len;
	v->is_urgent = config.wakes_at_once;
	rc = v->from->calls->open(v->from, &config, &of, e);
	v->is_open = rc == 0;
	vec_release(&tids);
	return rc;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_event_of(const struct origin_event *by, const struct kernel_event *k)
{
	if (!is_same(by->system, k->system) || !is_same(by->name, k->name))
		return false;
	return k->name || (by->type == k->type && by->config == k->config &&
			   by->interval == k->value && by->no_user == k->no_user &&
			   by->no_kernel == k->no_kernel);
}

static struct source *find_source(struct events *v, const struct kernel_event *k)
{
	for (size_t i = 0; i < v->sources.len; i++) {
		struct source *s = &v->sources.data[i];

		if (is_event_of(&s->event, k))
			return s;
	}
	return NULL;
}

/*
 * A counter that the kernel increments by itself gives all samples of one increment the
 * same id (perf_swevent_event() in kernel/events/core.c). Clocks are other ones.
 */
static bool is_mixed_up(const struct events *v, const struct kernel_event *k)
{
	if (k->name || k->type != PERF_TYPE_SOFTWARE ||
	    k->config == PERF_COUNT_SW_CPU_CLOCK ||
	    k->config == PERF_COUNT_SW_TASK_CLOCK)
		return false;
	for (size_t i = 0; i < v->sources.len; i++) {
		const struct origin_event *other = &v->sources.data[i].event;

		if (!other->name && other->type == k->type &&
		    other->config == k->config)
			return true;
	}
	return false;
}

static int add_source(struct events *v, const struct kernel_event *k, struct err *e)
{
	struct source s = {.event = sampled(k)};
	int rc = k->name ? read_format(v->t, k, &s.format, e) : 0;

	s.event.system = oom_strdup(k->system);
	s.event.name = oom_strdup(k->name);
	if (is_mixed_up(v, k))
		rc = err_set(
			e, STATUS_UNSUP,
			"the kernel does not tell the samples of two probes of one "
			"counter apart: enable one of them");
	s.event.id = s.format ? s.format->id : 0;
	if (rc == 0)
		rc = v->from->calls->add(v->from, &s.event, e);
	*vec_push(&v->sources) = s;
	return rc;
}

/* False: the event of this kernel has no such field. name NULL: none is wanted. */
static bool take_field(const struct source *s, const char *name,
		       const struct event_field **out)
{
	*out = name ? event_format_find(s->format, name) : NULL;
	return !name || *out;
}

static int make_probe(const struct source *s, uint32_t id, const struct kernel_event *k,
		      struct event_probe *p, struct err *e)
{
	const struct kernel_view *view = k->view;
	bool has_all;

	*p = (struct event_probe){.probe = id, .format = s->format, .view = view};
	if (!view || !s->format)
		return 0;
	has_all = take_field(s, view->thread, &p->thread) &&
		  take_field(s, view->result, &p->result) &&
		  take_field(s, view->journal, &p->journal) &&
		  (!view->match || s->match);
	for (size_t i = 0; i < KERNEL_CONDITIONS_MAX; i++)
		has_all &= take_field(s, view->conditions[i].field, &p->conditions[i]);
	for (size_t i = 0; i < PROVIDER_ARGUMENTS_MAX; i++)
		has_all &= take_field(s, view->args[i].name, &p->args[i]);
	if (has_all)
		return 0;
	return err_set(
		e, STATUS_UNSUP,
		"the event %s:%s of this kernel does not have the fields that the "
		"probe needs",
		k->system, k->name);
}

static void choose(struct source *s, uint64_t value, const struct event_probe *p)
{
	while (s->chosen.len <= value && s->chosen.len < CHOSEN_MAX)
		*vec_push(&s->chosen) = (struct event_probe){0};
	if (value < s->chosen.len)
		s->chosen.data[value] = *p;
}

static int add_one(struct events *v, uint32_t id, const struct kernel_event *k,
		   struct err *e)
{
	struct source *s = find_source(v, k);
	struct event_probe made;
	int rc;

	if (!s) {
		rc = add_source(v, k, e);
		if (rc)
			return rc;
		s = find_source(v, k);
	}
	if (s->format && k->view && k->view->match)
		s->match = event_format_find(s->format, k->view->match);
	rc = make_probe(s, id, k, &made, e);
	if (rc)
		return rc;
	if (k->view && k->view->match)
		choose(s, k->value, &made);
	else
		*vec_push(&s->probes) = made;
	return 0;
}

static int add_event(struct events *v, const struct probe *p, struct err *e)
{
	const struct kernel_event first = provider_source(v->t, p).kernel;
	int rc = 0;

	for (const struct kernel_event *k = &first; k && rc == 0; k = k->also)
		rc = add_one(v, p->id, k, e);
	return rc;
}

static int add_events(struct events *v, struct err *e)
{
	const struct tracer *t = v->t;
	int rc = 0;

	for (size_t i = 0; i < t->probes.table.len && rc == 0; i++)
		if (is_event(t, &t->probes.table.data[i]))
			rc = add_event(v, &t->probes.table.data[i], e);
	for (size_t i = 0; i < v->sources.len && rc == 0; i++)
		source_set_filter(&v->sources.data[i], (uint32_t)i, t,
				  v->has_kernel_ids);
	return rc;
}

static bool fires_elsewhere(const struct tracer *t, const struct probe *p)
{
	const struct kernel_view *view = provider_source(t, p).kernel.view;

	return is_event(t, p) && view && view->thread;
}

/* An event of a process that is or was traced. */
static bool is_traced(const struct tracer *t, uint32_t pid)
{
	if (t->origin->is_past)
		return map_get(&t->recorded_traced, pid, NULL);
	for (size_t i = 0; i < t->targets.len; i++)
		if ((uint32_t)t->targets.data[i]->pid == pid)
			return true;
	return false;
}

static bool has_kernel_ids(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == INITIAL_PIDS;
}

static void on_stack(void *ctx, uint32_t pid)
{
	struct events *v = ctx;

	if (v->from->is_past)
		v->from->calls->name_process(v->from, v->t->ustack, pid);
	else
		process_maps_note(v->maps, pid);
}

/* The clock of BEGIN, and the names of the kernel, are those of the recording. */
static void begin_past(struct events *v)
{
	struct tracer *t = v->t;
	struct host_past *past = &t->host.past;
	uint64_t wall;

	past->is_set = true;
	past->now = t->origin->calls->begin(t->origin, &wall);
	past->has_wall = wall != 0;
	past->wall_offset = wall - past->now;
	v->names.is_past = true;
	if (t->ustack)
		t->origin->calls->name_kernel(t->origin, t->ustack);
}

int events_open(struct tracer *t, struct events **out, struct err *e)
{
	struct events *v;
	bool is_picking = false;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < t->probes.table.len; i++) {
		n += is_event(t, &t->probes.table.data[i]);
		is_picking |= fires_elsewhere(t, &t->probes.table.data[i]);
	}
	if (!n && !t->origin->is_past)
		return 0;
	v = oom_calloc(1, sizeof(*v));
	v->t = t;
	v->from = t->origin;
	v->is_picking =
		(is_picking && t->targets.len > 0) || t->recorded_traced.len > 0;
	v->has_kernel_ids = has_kernel_ids();
	v->maps = process_maps_new(t);
	v->env = (struct event_env){
		.names = &v->names, .stack_taken = on_stack, .ctx = v};
	*out = v;
	if (t->origin->is_past)
		begin_past(v);
	rc = open_rings(v, e);
	rc = rc ? rc : add_events(v, e);
	return rc ? rc : told_open(&v->told, v->from, (uint32_t)v->sources.len, e);
}

void events_record(struct events *v, const struct event_sink *sink)
{
	struct strbuf text = {0};
	struct err ignored; /* it was read before */

	for (size_t i = 0; v && i < v->sources.len; i++) {
		const struct origin_event *event = &v->sources.data[i].event;

		strbuf_reset(&text);
		if (event->name)
			v->from->calls->format(v->from, event->system, event->name,
					       &text, &ignored);
		sink->source(sink->ctx, event,
			     event->name ? (text.data ? text.data : "") : NULL);
	}
	strbuf_release(&text);
	if (!v)
		return;
	v->sink = sink;
	v->env.asked.is_kept = true;
}

bool events_are_picked(const struct events *v)
{
	return v && v->is_picking;
}

static void tell_names(const struct events *v)
{
	for (size_t i = 0; i < v->names.list.len; i++) {
		const struct thread_name *name = &v->names.list.data[i];

		v->sink->name(v->sink->ctx, name->pid, name->tid, name->text);
	}
}

void events_start(struct events *v)
{
	if (!v)
		return;
	v->from->calls->start(v->from);
	thread_names_read(&v->names);
	v->has_started = true;
	if (v->sink)
		tell_names(v);
	for (const char *text;
	     v->from->is_past && (text = v->from->calls->notice(v->from));)
		out_notice(v->t->out, "%s", text);
}

int events_fd(const struct events *v, uint64_t now)
{
	return v && now >= v->rests_until ? v->from->calls->fd(v->from) : -1;
}

uint64_t events_wakeup(const struct events *v, uint64_t now)
{
	return v && now < v->rests_until ? v->rests_until : UINT64_MAX;
}

/* ---- serving ---- */

/* Whether the event is one of the probe. */
static bool fire_one(struct events *v, const struct event_probe *p,
		     const struct ring_record *r)
{
	if (!p->probe ||
	    !event_env_begin(&v->env, &v->t->host, p, r, told_of(&v->told, r)) ||
	    (v->is_picking && !is_traced(v->t, v->env.pid)))
		return false;
	event_env_fire(&v->env);
	return true;
}

/* Whether it is an event of any probe. */
static bool fire(struct events *v, const struct ring_record *r)
{
	const struct source *s;
	bool has_fired = false;
	uint64_t value;

	if (r->source >= v->sources.len)
		return false;
	s = &v->sources.data[r->source];
	for (size_t i = 0; i < s->probes.len; i++)
		has_fired |= fire_one(v, &s->probes.data[i], r);
	if (!s->match)
		return has_fired;
	value = event_field_value(s->match, 0, r->bytes, r->n);
	if (value < s->chosen.len)
		has_fired |= fire_one(v, &s->chosen.data[value], r);
	return has_fired;
}

static void serve_event(struct events *v, const struct ring_record *r)
{
	const struct strbuf *told = &v->env.asked.journal;
	bool has_fired;

	if (told_take(&v->told, r))
		return;
	v->nread++;
	asked_begin(&v->env.asked);
	has_fired = fire(v, r);
	if (v->sink && (has_fired || !v->is_picking))
		v->sink->record(v->sink->ctx, r, told->data, told->len);
}

static void serve_record(struct events *v, const struct ring_record *r)
{
	if (v->sink && r->kind != RING_EVENT)
		v->sink->record(v->sink->ctx, r, NULL, 0);
	switch (r->kind) {
	case RING_EVENT:
		serve_event(v, r);
		break;
	case RING_NAME:
		thread_names_set(&v->names, r->pid, r->tid, r->text);
		break;
	case RING_FORK:
		thread_names_set(&v->names, r->pid, r->tid,
				 thread_names_get(&v->names, r->parent));
		thread_names_set_parent(&v->names, r->tid, r->parent_pid);
		break;
	case RING_LOST:
		state_drops(v->t->state, STATE_SLOT_FRONT)->events += r->count;
		break;
	}
}

/*
 * Until limit, the end of tracing, or another interrupt: that waits for no clauses.
 * False: all events were of dtrace itself or of idle processors.
 */
static bool serve(struct events *v, uint64_t limit)
{
	const volatile sig_atomic_t *interrupts = v->t->interrupts;
	sig_atomic_t before = *interrupts;
	uint32_t self = (uint32_t)getpid();
	bool has_others = false;
	struct ring_record r;

	while (!state_is_stopped(v->t->state) && *interrupts == before &&
	       v->from->calls->next(v->from, limit, &r)) {
		has_others |= r.pid != 0 && r.pid != self;
		serve_record(v, &r);
	}
	event_env_forget(&v->env);
	return has_others;
}

void events_serve(struct events *v, uint64_t now)
{
	if (!v)
		return;
	if (!v->is_urgent)
		serve(v, now - LATE);
	else if (!serve(v, now))
		v->rests_until = now + LATE; /* or it would wake itself for ever */
}

#define REPLAY_TURN 4096 /* records at a time */

/* The next record of the recording, and the clock with it; false: not up to limit. */
static bool replay_one(struct events *v, uint64_t limit)
{
	struct host_past *past = &v->t->host.past;
	struct ring_record r;

	if (!v->from->calls->next(v->from, limit, &r))
		return false;
	past->now = max_u64(past->now, r.time);
	serve_record(v, &r);
	return true;
}

enum replayed events_replay(struct events *v, uint64_t limit)
{
	const volatile sig_atomic_t *interrupts = v->t->interrupts;
	_Atomic uint32_t *sleeper = state_sleeper(v->t->state);
	uint64_t n = 0;

	/* clauses clear it when a quarter of their buffer is full */
	atomic_store_explicit(sleeper, state_is_consumed(v->t->state),
			      memory_order_relaxed);
	v->env.wakes = true;
	while (n++ < REPLAY_TURN && !state_is_stopped(v->t->state) && !*interrupts) {
		if (!replay_one(v, limit))
			return v->from->calls->is_over(v->from) ? REPLAYED_ALL
								: REPLAYED_TO_LIMIT;
		if (state_is_consumed(v->t->state) &&
		    !atomic_load_explicit(sleeper, memory_order_relaxed))
			break;
	}
	atomic_store_explicit(sleeper, 0, memory_order_relaxed);
	return REPLAYED_SOME;
}

int events_damage(const struct events *v, struct err *e)
{
	return v && v->from->is_past ? v->from->calls->damage(v->from, e) : 0;
}

void events_stop(struct events *v)
{
	if (!v || !v->has_started || v->from->is_past)
		return;
	v->from->calls->stop(v->from);
	serve(v, UINT64_MAX);
	log_debug("events", "%" PRIu64 " events were read", v->nread);
	if (!state_is_stopped(v->t->state))
		state_drops(v->t->state, STATE_SLOT_FRONT)->events +=
			v->from->calls->missing(v->from);
}

static void release_source(struct source *s)
{
	event_format_free(s->format);
	free((char *)s->event.system);
	free((char *)s->event.name);
	vec_release(&s->probes);
	vec_release(&s->chosen);
}

void events_close(struct events *v)
{
	if (!v)
		return;
	if (v->is_open)
		v->from->calls->close(v->from, v->t->ustack);
	for (size_t i = 0; i < v->sources.len; i++)
		release_source(&v->sources.data[i]);
	vec_release(&v->sources);
	thread_names_release(&v->names);
	process_maps_free(v->maps);
	event_env_release(&v->env);
	told_release(&v->told);
	free(v);
}
