/* SPDX-License-Identifier: MIT */
#include "tracer/events/events.h"
#include "tracer/events/event_env.h"
#include "tracer/events/process_maps.h"
#include "tracer/events/tracefs.h"
#include "tracer/targets/target.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/isa.h"
#include "vm/vm.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TYPE_ID_MAX 65536 /* common_type has 16 bits */

/*
 * ns that a processor may take from an event's time to its bytes in the ring. Until then
 * later events of other processors wait.
 */
#define LATE 1000000

/* An enabled probe. */
struct event {
	uint32_t probe;
	struct event_format *format;
};

struct events {
	struct tracer *t;
	struct rings *rings;
	struct {
		struct event *data;
		size_t len, cap;
	} list;
	uint32_t *by_type; /* common_type -> 1 + index in list */
	struct thread_names names;
	struct process_maps *maps;
	struct event_env env;
	bool is_urgent; /* clauses read memory of processes */
	bool has_started;
};

/* ---- formats ---- */

static int read_format(const struct tracer *t, int dir, const struct probe *p,
		       struct event_format **out, struct err *e)
{
	struct strbuf text = {0};
	int rc = tracefs_format(dir, probes_name(&t->probes, p, PROBE_MODULE),
				probes_name(&t->probes, p, PROBE_NAME), &text, e);

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
	struct strbuf name = {0};
	struct err e;
	int dir = tracefs_open(&e);

	*why = "the format of the event cannot be read";
	if (dir < 0)
		return NULL;
	if (read_format(t, dir, p, &format, &e)) {
		close(dir);
		return NULL;
	}
	strbuf_printf(&name, "struct sdt_%s_%s",
		      probes_name(&t->probes, p, PROBE_MODULE),
		      probes_name(&t->probes, p, PROBE_NAME));
	type = event_format_type(format, ts, name.data);
	type = type_userland(ts, type_pointer(ts, type));
	strbuf_release(&name);
	event_format_free(format);
	close(dir);
	return type;
}

/* ---- opening ---- */

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

/* Of either side. */
static bool takes_stack(insn_t i)
{
	uint32_t what = (uint32_t)isa_imm(i);

	if (isa_op(i) == OP_CALL)
		return what == SUBR_stack || what == SUBR_ustack || what == SUBR_jstack;
	return isa_op(i) == OP_BI &&
	       (what == BUILTIN_stackdepth || what == BUILTIN_ustackdepth ||
		what == BUILTIN_caller || what == BUILTIN_ucaller);
}

/* It is read before the process goes on far, if the clauses run at once. */
static bool reads_memory(const struct tracer *t)
{
	uint32_t n = program_count(t->image, SECTION_CLAUSE);

	for (uint32_t i = 0; i < n; i++)
		if (program_reads_target(t->image, program_clause(t->image, i)))
			return true;
	return false;
}

static bool wants_stacks(const struct tracer *t)
{
	const insn_t *code = program_section(t->image, SECTION_CODE);

	for (uint32_t i = 0; i < program_count(t->image, SECTION_CODE); i++)
		if (takes_stack(code[i]))
			return true;
	return false;
}

static int open_rings(struct events *v, struct err *e)
{
	const struct tracer *t = v->t;
	const struct rings_config config = {.bytes = t->options.bufsize,
					    .wants_stacks = wants_stacks(t),
					    .wakes_at_once = reads_memory(t)};
	struct tids tids = {0};
	struct rings_of of = {.follows = t->options.follow};
	int rc;

	for (size_t i = 0; i < t->targets.len; i++)
		if (t->targets.data[i]->alive)
			add_threads(&tids, t->targets.data[i]->pid);
	of.tids = tids.data;
	of.n = tids.len;
	v->is_urgent = config.wakes_at_once;
	rc = rings_open(&config, &of, &v->rings, e);
	vec_release(&tids);
	return rc;
}

static int add_event(struct events *v, int dir, const struct probe *p, struct err *e)
{
	struct event event = {.probe = p->id};
	int rc = read_format(v->t, dir, p, &event.format, e);

	if (rc)
		return rc;
	*vec_push(&v->list) = event;
	if (event.format->id >= TYPE_ID_MAX)
		return err_set(e, STATUS_BADFMT,
			       "the number of the event is not known");
	v->by_type[event.format->id] = (uint32_t)v->list.len;
	return rings_add(v->rings, event.format->id, e);
}

static bool is_event(const struct tracer *t, const struct probe *p)
{
	return p->enablings.len > 0 && provider_source(t, p).by == SOURCE_EVENT;
}

static int add_events(struct events *v, struct err *e)
{
	const struct tracer *t = v->t;
	int dir = tracefs_open(e), rc = 0;

	if (dir < 0)
		return dir;
	for (size_t i = 0; i < t->probes.table.len && rc == 0; i++)
		if (is_event(t, &t->probes.table.data[i]))
			rc = add_event(v, dir, &t->probes.table.data[i], e);
	close(dir);
	return rc;
}

static void on_stack(void *ctx, uint32_t pid)
{
	struct events *v = ctx;

	process_maps_note(v->maps, pid);
}

int events_open(struct tracer *t, struct events **out, struct err *e)
{
	struct events *v;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < t->probes.table.len; i++)
		n += is_event(t, &t->probes.table.data[i]);
	if (!n)
		return 0;
	v = oom_calloc(1, sizeof(*v));
	v->t = t;
	v->by_type = oom_calloc(TYPE_ID_MAX, sizeof(*v->by_type));
	v->maps = process_maps_new(t);
	v->env = (struct event_env){
		.names = &v->names, .stack_taken = on_stack, .ctx = v};
	*out = v;
	rc = open_rings(v, e);
	return rc ? rc : add_events(v, e);
}

void events_start(struct events *v)
{
	if (!v)
		return;
	rings_start(v->rings);
	thread_names_read(&v->names);
	v->has_started = true;
}

int events_fd(const struct events *v)
{
	return v ? rings_fd(v->rings) : -1;
}

/* ---- serving ---- */

static void fire(struct events *v, const struct ring_record *r)
{
	uint32_t type = r->n >= 2 ? r->bytes[0] | (uint32_t)r->bytes[1] << 8 : 0;
	uint32_t i = v->by_type[type];

	if (i)
		event_env_fire(&v->env, &v->t->host, v->list.data[i - 1].probe,
			       v->list.data[i - 1].format, r);
}

static void serve_record(struct events *v, const struct ring_record *r)
{
	switch (r->kind) {
	case RING_EVENT:
		fire(v, r);
		break;
	case RING_NAME:
		thread_names_set(&v->names, r->tid, r->text);
		break;
	case RING_FORK:
		thread_names_inherit(&v->names, r->tid, r->parent);
		break;
	case RING_LOST:
		state_drops(v->t->state, STATE_SLOT_FRONT)->events += r->count;
		break;
	}
}

static void serve(struct events *v, uint64_t limit)
{
	struct ring_record r;

	while (!state_is_stopped(v->t->state) && rings_next(v->rings, limit, &r))
		serve_record(v, &r);
	event_env_forget(&v->env);
}

void events_serve(struct events *v, uint64_t now)
{
	if (v)
		serve(v, v->is_urgent ? now : now - LATE);
}

void events_stop(struct events *v)
{
	if (!v || !v->has_started)
		return;
	rings_stop(v->rings);
	serve(v, UINT64_MAX);
	if (!state_is_stopped(v->t->state))
		state_drops(v->t->state, STATE_SLOT_FRONT)->events +=
			rings_missing(v->rings);
}

void events_close(struct events *v)
{
	if (!v)
		return;
	rings_close(v->rings);
	for (size_t i = 0; i < v->list.len; i++)
		event_format_free(v->list.data[i].format);
	vec_release(&v->list);
	free(v->by_type);
	thread_names_release(&v->names);
	process_maps_free(v->maps);
	event_env_release(&v->env);
	free(v);
}
