/* SPDX-License-Identifier: MIT */
#include "tracer/recording/read/recording.h"
#include "tracer/events/mapping_event.h"
#include "tracer/recording/own_events.h"
#include "tracer/recording/read/calls.h"
#include "tracer/recording/read/decode.h"
#include "tracer/recording/read/formats.h"
#include "tracer/recording/read/header.h"
#include "tracer/recording/read/kernel_symbols.h"
#include "tracer/recording/read/maps.h"
#include "tracer/recording/read/order.h"
#include "tracer/recording/read/samples.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_EXEC 0x2000 /* PERF_RECORD_MISC_COMM_EXEC */
#define MMAP_DATA 0x2000 /* PERF_RECORD_MISC_MMAP_DATA */

struct recording {
	struct origin base;
	struct data_file file;
	struct header header;
	uint64_t first; /* the time of the first record that has one */
	struct recorded_kernel kernel;
	struct recorded_maps *maps;
	struct reader *reader;
	struct order *order;
	bool has_ended, is_damaged;
	struct err damage;
	uint64_t now; /* of the record that was given last */
	uint32_t nsources;
	struct {
		struct wanted { /* an event of the header gives to a source */
			uint32_t source;
			uint32_t next; /* 1 + place of the next of the event; 0: none */
		} * data;
		size_t len, cap;
	} wanted;
	uint32_t *first_wanted;		      /* of each event: 1 + place; 0: none */
	uint32_t first_mapping;		      /* the same of mapping_event.h */
	unsigned char mapping[MAPPING_BYTES]; /* the event of record, if it is one */
	struct recorded current;
	struct ring_record record; /* of current */
	uint32_t next_wanted;	   /* for whom it is next: 1 + place in wanted */
	bool has_current;
	struct strbuf notices; /* each ends in a zero byte */
	size_t noticed;
};

static struct recording *recording_of(struct origin *o)
{
	return (struct recording *)o; /* its first member */
}

static const struct recording *const_recording_of(const struct origin *o)
{
	return (const struct recording *)o;
}

/* ---- what it holds ---- */

static const struct recorded_format *format_of(const struct recording *r, size_t attr)
{
	const struct recorded_attr *a = &r->header.attrs.list.data[attr];

	if (a->type != PERF_TYPE_TRACEPOINT)
		return NULL;
	return tracing_data_find(&r->header.formats, a->config);
}

/* Whether an earlier event of the header is of the same tracepoint. */
static bool is_repeated(const struct recording *r, size_t attr)
{
	const struct recorded_attr *list = r->header.attrs.list.data;

	for (size_t i = 0; i < attr; i++)
		if (list[i].type == PERF_TYPE_TRACEPOINT &&
		    list[i].config == list[attr].config)
			return true;
	return false;
}

static int each(struct origin *o, tracepoint_found *found, void *ctx, struct err *e)
{
	const struct recording *r = recording_of(o);

	(void)e;
	for (size_t i = 0; i < r->header.attrs.list.len; i++) {
		const struct recorded_format *f = format_of(r, i);

		if (f && format_is_safe(f) && !is_repeated(r, i))
			found(ctx, f->system, f->name);
	}
	return 0;
}

/* Whether the event of the header is one of the tracepoint. */
static bool is_of(const struct recording *r, size_t attr, const char *system,
		  const char *name)
{
	const struct recorded_format *f = format_of(r, attr);

	return f && format_is_safe(f) && strcmp(f->system, system) == 0 &&
	       strcmp(f->name, name) == 0;
}

static bool find_tracepoint(const struct recording *r, const char *system,
			    const char *name, size_t *attr)
{
	for (*attr = 0; *attr < r->header.attrs.list.len; ++*attr)
		if (is_of(r, *attr, system, name))
			return true;
	return false;
}

/* Whether the event gives system calls, as raw_syscalls does. */
static bool gives_calls(const struct recording *r, size_t attr, const char *system,
			const char *name)
{
	const struct recorded_format *f = format_of(r, attr);

	return f && format_is_safe(f) && calls_are_of(f, system, name);
}

/*
 * Whether the event is one of mappings, and records of perf tell of them. A recording of
 * ours has such records of what stacks need, whenever it was mapped, and the event as a
 * tracepoint.
 */
static bool gives_mappings(const struct recording *r, const char *system,
			   const char *name)
{
	bool found = false;
	size_t attr;

	for (size_t i = 0; i < r->header.attrs.list.len; i++)
		found |= r->header.attrs.list.data[i].has_mappings;
	return found && mapping_event_is(system, name) &&
	       !find_tracepoint(r, OWN_SYSTEM, OWN_RECORDING, &attr);
}

static bool has(const struct origin *o, const char *system, const char *name)
{
	const struct recording *r = const_recording_of(o);
	size_t attr;

	if (!name)
		return samples_find(&r->header.attrs, NULL, NULL) > 0;
	return gives_mappings(r, system, name) ||
	       find_tracepoint(r, system, name, &attr);
}

static bool has_samples(const struct origin *o, const struct origin_event *event)
{
	return samples_find(&const_recording_of(o)->header.attrs, event, NULL) > 0;
}

static int format(struct origin *o, const char *system, const char *event,
		  struct strbuf *out, struct err *e)
{
	const struct recording *r = recording_of(o);
	size_t attr;

	if (gives_mappings(r, system, event)) {
		mapping_event_format(out);
		return 0;
	}
	if (find_tracepoint(r, system, event, &attr))
		return format_write(format_of(r, attr), out, e);
	if (calls_format(system, event, out))
		return 0;
	return err_set(e, STATUS_NOENT, "the recording '%s' holds no %s:%s",
		       r->file.path, system, event);
}

#define DESCRIBED_MAX 8

static void describe(const struct origin *o, struct strbuf *out)
{
	const struct recording *r = const_recording_of(o);
	size_t n = 0, more = 0, attr;

	strbuf_printf(out, "the recording '%s' holds ", r->file.path);
	if (find_tracepoint(r, OWN_SYSTEM, OWN_RECORDING, &attr)) {
		strbuf_puts(out, "the probes of a run of dtrace: -l lists them");
		return;
	}
	if (samples_find(&r->header.attrs, NULL, NULL))
		strbuf_printf(out, "%ssamples of processors (profile-N)",
			      n++ ? ", " : "");
	for (size_t i = 0; i < r->header.attrs.list.len; i++) {
		const struct recorded_format *f = format_of(r, i);

		if (!f || !format_is_safe(f) || is_repeated(r, i))
			continue;
		if (n < DESCRIBED_MAX)
			strbuf_printf(out, "%ssdt:%s::%s", n++ ? ", " : "", f->system,
				      f->name);
		else
			more++;
	}
	if (more)
		strbuf_printf(out, " and %zu more: -l lists them", more);
	if (!n)
		strbuf_puts(out, "no events that dtrace knows");
}

static uint64_t begin(const struct origin *o, uint64_t *wall)
{
	const struct recording *r = const_recording_of(o);

	*wall = r->header.has_wall ? r->first + r->header.wall_offset : 0;
	return r->first;
}

/* ---- opening ---- */

/* Bytes that follow a record in the file and are of no use here. */
static int skip_rest(struct reader *reader, const struct recorded *record,
		     struct err *e)
{
	if (record->type == RECORD_TRACING_DATA && record->size >= 12)
		return reader_take(
			reader, align_up(bytes_load(record->bytes + 8, 4), 8), NULL, e);
	if (record->type == RECORD_AUXTRACE && record->size >= 16)
		return reader_take(reader, bytes_load(record->bytes + 8, 8), NULL, e);
	return 0;
}

static void note_map(struct recording *r, const struct recorded *record)
{
	struct recorded_map map;
	struct err ignored;

	if (decode_map(record, &map, &ignored) > 0)
		recorded_kernel_set(&r->kernel, &map);
}

/*
 * Reads up to the first sample: the header of a piped recording, the place of the kernel,
 * and when it begins. Damage here is met again when the records are read in turn.
 */
static int scan(struct recording *r, struct err *e)
{
	struct reader *reader =
		reader_new(&r->file, r->header.data, r->header.data_end);
	struct recorded record;
	int rc;

	while ((rc = reader_next(reader, &record, e)) > 0) {
		const struct recorded_attr *attr = attrs_of(&r->header.attrs, &record);
		struct ring_record identity = {0};

		rc = header_record(&r->header, reader, &record, e);
		if (rc == 0)
			rc = skip_rest(reader, &record, e);
		if (rc < 0)
			break;
		note_map(r, &record);
		if (record.type == PERF_RECORD_SAMPLE && attr &&
		    decode_identity(attr, &record, &identity)) {
			r->first = r->header.first ? r->header.first : identity.time;
			break;
		}
	}
	reader_free(reader);
	/* one that was cut early in its records has its header */
	return rc < 0 && r->header.is_piped ? rc : 0;
}

static int check_events(const struct recording *r, struct err *e)
{
	if (r->header.attrs.list.len > 0)
		return 0;
	return err_set(e, STATUS_BADFMT, "it holds no events");
}

static int start_reading(struct origin *o, const struct rings_config *config,
			 const struct rings_of *of, struct err *e)
{
	struct recording *r = recording_of(o);

	(void)config;
	(void)of;
	(void)e;
	r->reader = reader_new(&r->file, r->header.data, r->header.data_end);
	r->order = order_new();
	r->maps = recorded_maps_new(&r->header);
	r->first_wanted =
		oom_calloc(r->header.attrs.list.len, sizeof(*r->first_wanted));
	return 0;
}

static void want(struct recording *r, size_t attr)
{
	*vec_push(&r->wanted) = (struct wanted){r->nsources, r->first_wanted[attr]};
	r->first_wanted[attr] = (uint32_t)r->wanted.len;
}

static void want_sample(void *ctx, size_t attr)
{
	want(ctx, attr);
}

static int add_samples(struct recording *r, const struct origin_event *event,
		       struct err *e)
{
	struct samples_wanted w = {.found = want_sample, .ctx = r};

	if (!samples_find(&r->header.attrs, event, &w))
		return err_set(e, STATUS_NOENT,
			       "the recording '%s' holds no samples of processors",
			       r->file.path);
	if (w.text.len)
		strbuf_add(&r->notices, w.text.data, w.text.len + 1);
	strbuf_release(&w.text);
	return 0;
}

/* The tracepoint itself, or what gives the same of system calls. */
static void add_tracepoint(struct recording *r, const struct origin_event *event)
{
	size_t n = r->header.attrs.list.len, before = r->wanted.len;
	bool is_there;

	for (size_t i = 0; i < n; i++)
		if (is_of(r, i, event->system, event->name))
			want(r, i);
	is_there = r->wanted.len > before;
	for (size_t i = 0; i < n && !is_there; i++)
		if (gives_calls(r, i, event->system, event->name))
			want(r, i);
}

static int add(struct origin *o, const struct origin_event *event, struct err *e)
{
	struct recording *r = recording_of(o);
	int rc = 0;

	if (gives_mappings(r, event->system, event->name)) {
		*vec_push(&r->wanted) = (struct wanted){r->nsources, r->first_mapping};
		r->first_mapping = (uint32_t)r->wanted.len;
	} else if (event->name)
		add_tracepoint(r, event);
	else
		rc = add_samples(r, event, e);
	r->nsources++;
	return rc;
}

static void start(struct origin *o)
{
	(void)o;
}

/* ---- reading ---- */

static void set_damage(struct recording *r, const struct err *e)
{
	r->damage = *e;
	r->is_damaged = true;
	r->has_ended = true;
	order_end(r->order);
}

/* A record of the file: kept for its turn. */
static int take_record(struct recording *r, const struct recorded *record,
		       struct err *e)
{
	const struct recorded_attr *attr;
	struct ring_record identity = {0};

	if (record->type == RECORD_FINISHED_ROUND) {
		order_round(r->order);
		return 0;
	}
	if (record->type >= RECORD_HEADER_ATTR)
		return skip_rest(r->reader, record, e);
	attr = attrs_of(&r->header.attrs, record);
	if (!attr)
		return 0; /* of an event that the header does not have */
	if (!decode_identity(attr, record, &identity))
		return data_file_bad(record->offset, "a record is cut", e);
	order_add(r->order, identity.time + 1 > 1 ? identity.time : 0, record);
	return 0;
}

/* Reads on until a record is due, or to the end. */
static bool next_due(struct recording *r, struct recorded *out)
{
	struct recorded record;
	struct err e;
	int rc;

	while (!order_take(r->order, out)) {
		if (r->has_ended)
			return false;
		rc = reader_next(r->reader, &record, &e);
		if (rc > 0)
			rc = take_record(r, &record, &e) ? -1 : 1;
		if (rc < 0)
			set_damage(r, &e);
		if (rc == 0) {
			r->has_ended = true;
			order_end(r->order);
		}
	}
	return true;
}

/* What a record changes in what is known of processes. */
static void note_record(struct recording *r, const struct recorded *record,
			const struct ring_record *x)
{
	struct recorded_map map;
	struct err ignored;

	if (x->kind == RING_FORK && record->type == PERF_RECORD_FORK)
		recorded_maps_fork(r->maps, x->pid, x->parent_pid);
	if (x->kind == RING_NAME && record->type == PERF_RECORD_COMM &&
	    record->misc & COMM_EXEC)
		recorded_maps_exec(r->maps, x->pid);
	if (decode_map(record, &map, &ignored) > 0 && map.pid != UINT32_MAX)
		recorded_maps_add(r->maps, &map);
}

/*
 * Makes the event of a mapping that has a time: perf has put others there to say what was
 * mapped before. False: it is none, or no probe asks for it.
 */
static bool take_mapping(struct recording *r)
{
	struct recorded_map map;
	struct mapping_event m;
	struct err ignored;

	if (!r->first_mapping || r->current.misc & MMAP_DATA ||
	    decode_map(&r->current, &map, &ignored) <= 0 || map.pid == UINT32_MAX)
		return false;
	m = (struct mapping_event){map.address, map.size, map.offset, map.path,
				   strlen(map.path)};
	r->record.kind = RING_EVENT;
	r->record.bytes = r->mapping;
	r->record.n = mapping_event_make(&m, r->record.tid, r->mapping);
	r->next_wanted = r->first_mapping;
	return mapping_event_is_file(&m);
}

/* The next record that is of use. */
static bool fetch(struct recording *r)
{
	struct err e;

	while (next_due(r, &r->current)) {
		const struct recorded_attr *attr =
			attrs_of(&r->header.attrs, &r->current);
		bool has_time;
		int rc = 0;

		r->record = (struct ring_record){0};
		if (attr && decode_identity(attr, &r->current, &r->record))
			rc = decode_record(attr, &r->current, &r->record, &e);
		if (rc < 0) {
			set_damage(r, &e);
			continue;
		}
		/* without a time of its own it happens now */
		has_time = r->record.time + 1 > 1;
		r->record.time = max_u64(has_time ? r->record.time : 0, r->now);
		r->now = r->record.time;
		note_record(r, &r->current, &r->record);
		if (rc == 0 && has_time && take_mapping(r))
			return true;
		if (rc == 0)
			continue;
		r->next_wanted = r->first_wanted[attr - r->header.attrs.list.data];
		return true;
	}
	return false;
}

/* The next source for which the present sample is. */
static bool find_source(struct recording *r, struct ring_record *out)
{
	const struct wanted *w;

	if (!r->next_wanted)
		return false;
	w = &r->wanted.data[r->next_wanted - 1];
	r->next_wanted = w->next;
	*out = r->record;
	out->source = w->source;
	return true;
}

static bool next(struct origin *o, uint64_t limit, struct ring_record *out)
{
	struct recording *r = recording_of(o);

	for (;;) {
		if (!r->has_current && !fetch(r))
			return false;
		r->has_current = true;
		if (r->record.time > limit)
			return false;
		if (r->record.kind == RING_EVENT && find_source(r, out))
			return true;
		r->has_current = false;
		if (r->record.kind != RING_EVENT) {
			*out = r->record;
			return true;
		}
	}
}

static void stop(struct origin *o)
{
	(void)o;
}

static uint64_t missing(const struct origin *o)
{
	(void)o;
	return 0;
}

static int fd(const struct origin *o)
{
	(void)o;
	return -1;
}

static bool tells(const struct origin *o, enum hardware_kind kind)
{
	return recorded_machine_tells(&const_recording_of(o)->header.machine, kind);
}

static void hardware(const struct origin *o, struct hardware *out)
{
	recorded_machine_hardware(&const_recording_of(o)->header.machine, out);
}

static bool is_over(const struct origin *o)
{
	return !const_recording_of(o)->has_current;
}

static int damage(const struct origin *o, struct err *e)
{
	const struct recording *r = const_recording_of(o);

	if (!r->is_damaged)
		return 0;
	*e = r->damage;
	err_context(e, "the recording '%s' is damaged", r->file.path);
	return e->status;
}

static const char *notice(struct origin *o)
{
	struct recording *r = recording_of(o);
	const char *text = r->notices.data + r->noticed;

	if (r->noticed >= r->notices.len)
		return NULL;
	r->noticed += strlen(text) + 1;
	return text;
}

/* ---- names ---- */

static void name_process(struct origin *o, struct ustack *u, uint32_t pid)
{
	struct recording *r = recording_of(o);

	recorded_maps_name(r->maps, u, pid, r->now);
}

static void name_kernel(struct origin *o, struct ustack *u)
{
	struct recording *r = recording_of(o);

	ustack_set_kernel(u, recorded_kernel_names(&r->kernel, &r->header));
}

/* ---- life ---- */

static void close_reading(struct origin *o, struct ustack *u)
{
	struct recording *r = recording_of(o);

	reader_free(r->reader);
	order_free(r->order);
	recorded_maps_free(r->maps, u);
	r->reader = NULL;
	r->order = NULL;
	r->maps = NULL;
}

static void free_recording(struct origin *o)
{
	struct recording *r = recording_of(o);

	header_release(&r->header);
	data_file_close(&r->file);
	vec_release(&r->wanted);
	free(r->first_wanted);
	strbuf_release(&r->notices);
	free(r);
}

static const struct origin_calls calls = {
	.each = each,
	.format = format,
	.open = start_reading,
	.add = add,
	.start = start,
	.stop = stop,
	.next = next,
	.missing = missing,
	.fd = fd,
	.tells = tells,
	.hardware = hardware,
	.describe = describe,
	.has = has,
	.has_samples = has_samples,
	.begin = begin,
	.is_over = is_over,
	.damage = damage,
	.name_process = name_process,
	.name_kernel = name_kernel,
	.notice = notice,
	.close = close_reading,
	.free = free_recording,
};

int recording_open(const char *path, struct origin **out, struct err *e)
{
	struct recording *r = oom_calloc(1, sizeof(*r));
	int rc = data_file_open(&r->file, path, e);

	r->base = (struct origin){.calls = &calls, .is_past = true};
	if (rc == 0)
		rc = header_read(&r->header, &r->file, e);
	if (rc == 0)
		rc = scan(r, e);
	if (rc == 0)
		rc = check_events(r, e);
	if (rc) {
		free_recording(&r->base);
		return rc;
	}
	*out = &r->base;
	return 0;
}
