/* SPDX-License-Identifier: MIT */
/*
 * From records to text. A pass merges the records of all slots by time: a
 * heap holds the slots that have a record, each with its copy of the oldest.
 * What a record's actions need is worked out once, before the first pass.
 */
#include "tracer/consume.h"
#include "tracer/aggview.h"
#include "tracer/format.h"
#include "tracer/line.h"
#include "tracer/value.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"
#include "vm/ring.h"
#include "vm/tuple.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct consumer_slot {
	struct record *record; /* copy of the oldest record; RING_RECORD_MAX bytes */
	uint32_t cpu;	       /* of the last record: drops are told by CPU */
	uint64_t seen_records, seen_aggs; /* drops reported so far */
};

struct consumer {
	struct consumer_config config;
	struct consumer_slot *slots;
	struct {
		uint32_t *data; /* slots with a record, a heap by (time, slot) */
		size_t len, cap;
	} heap;
	struct format *formats; /* by action; items only where it has one */
	struct aggview *aggs;
	struct record *spare; /* RING_RECORD_MAX bytes, or NULL */
	struct strbuf scratch;
	struct line line;
	bool has_status;
	int status;
	uint64_t seen_dynvars, seen_errors;
};

static void make_formats(struct consumer *c)
{
	const void *image = c->config.image;
	uint32_t n = program_count(image, SECTION_ACTION);

	c->formats = oom_calloc(n + 1, sizeof(*c->formats));
	for (uint32_t i = 0; i < n; i++) {
		const struct program_action *a = program_action(image, i);

		if (a->kind == ACTION_printf || (a->kind == ACTION_printa && a->text))
			format_init(&c->formats[i], program_string(image, a->text));
	}
}

struct consumer *consumer_new(const struct consumer_config *config)
{
	struct consumer *c = oom_calloc(1, sizeof(*c));
	struct aggview_config aggs = {
		.image = config->image,
		.state = config->state,
		.nslots = config->nslots,
		.options = config->options,
		.out = config->out,
	};

	c->config = *config;
	c->line.probes = config->probes;
	c->line.options = config->options;
	c->line.out = config->out;
	c->slots = oom_calloc(config->nslots, sizeof(*c->slots));
	c->aggs = aggview_new(&aggs);
	make_formats(c);
	return c;
}

void consumer_free(struct consumer *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < program_count(c->config.image, SECTION_ACTION); i++)
		format_release(&c->formats[i]);
	for (uint32_t i = 0; i < c->config.nslots; i++)
		free(c->slots[i].record);
	free(c->spare);
	free(c->formats);
	free(c->slots);
	aggview_free(c->aggs);
	strbuf_release(&c->scratch);
	vec_release(&c->heap);
	free(c);
}

/* ---- merging ---- */

static const struct record *record_of(const struct consumer *c, uint32_t slot)
{
	return c->slots[slot].record;
}

/* Copies the slot's oldest record; false when there is none. */
static bool peek(struct consumer *c, uint32_t slot)
{
	const struct consumer_config *cfg = &c->config;
	struct consumer_slot *s = &c->slots[slot];
	int found;

	/* Most slots never have one: those share the spare memory. */
	if (!s->record && !c->spare)
		c->spare = oom_realloc(NULL, RING_RECORD_MAX);
	found = ring_peek(cfg->state, slot, cfg->image,
			  s->record ? s->record : c->spare, RING_RECORD_MAX);
	if (found > 0 && !s->record) {
		s->record = c->spare;
		c->spare = NULL;
	}
	return found > 0;
}

static bool is_earlier(const struct consumer *c, uint32_t a, uint32_t b)
{
	uint64_t left = record_of(c, a)->time, right = record_of(c, b)->time;

	return left != right ? left < right : a < b;
}

static void swap_u32(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void sift_down(struct consumer *c, size_t i)
{
	uint32_t *h = c->heap.data;

	for (size_t child = 2 * i + 1; child < c->heap.len; child = 2 * i + 1) {
		if (child + 1 < c->heap.len && is_earlier(c, h[child + 1], h[child]))
			child++;
		if (!is_earlier(c, h[child], h[i]))
			return;
		swap_u32(&h[i], &h[child]);
		i = child;
	}
}

/* Every slot that has a record by now. */
static void fill_heap(struct consumer *c)
{
	c->heap.len = 0;
	for (uint32_t slot = 0; slot < c->config.nslots; slot++)
		if (peek(c, slot))
			*vec_push(&c->heap) = slot;
	for (size_t i = c->heap.len; i-- > 0;)
		sift_down(c, i);
}

/* Gives up the earliest record and brings the next of its slot into place. */
static void advance(struct consumer *c)
{
	uint32_t slot = c->heap.data[0];

	ring_advance(c->config.state, slot);
	if (!peek(c, slot))
		c->heap.data[0] = c->heap.data[--c->heap.len];
	sift_down(c, 0);
}

/* ---- actions ---- */

static int64_t int_payload(const struct consumer *c, const struct program_action *a,
			   const void *data, size_t size, int64_t otherwise)
{
	struct tuple_value v;
	size_t pos = 0;

	if (!a->nfields ||
	    tuple_next(data, size, &pos, program_field(c->config.image, a->first_field),
		       &v))
		return otherwise;
	return (int64_t)v.number;
}

/* The first exit() counts, but END's overrides. */
static void take_status(struct consumer *c, const struct record *r, int64_t status)
{
	if (c->has_status && r->probe != PROBE_END)
		return;
	c->has_status = true;
	c->status = (int)status;
}

static int trace_values(struct consumer *c, const struct program_action *a,
			const void *data, size_t size)
{
	struct tuple_value v;
	size_t pos = 0;
	int rc;

	for (uint32_t i = 0; i < a->nfields; i++) {
		rc = tuple_next(data, size, &pos,
				program_field(c->config.image, a->first_field + i), &v);
		if (rc)
			return rc;
		value_print(c->config.out, &v, c->config.options);
	}
	return 0;
}

static int print_formatted(struct consumer *c, uint32_t action, const void *data,
			   size_t size)
{
	const struct program_action *a = program_action(c->config.image, action);
	struct format_args args = {
		.fields = program_field(c->config.image, a->first_field),
		.nfields = a->nfields,
		.data = data,
		.size = size,
		.scratch = &c->scratch,
	};

	return format_print(&c->formats[action], &args, c->config.out);
}

static const uint32_t *operands(const struct consumer *c,
				const struct program_action *a)
{
	const uint32_t *all = program_section(c->config.image, SECTION_OPERAND);

	return all + a->first_operand;
}

/* Performs one item of a record. 0, or STATUS_BADFMT when its data is spoilt. */
static int perform(struct consumer *c, const struct record *r, uint32_t action,
		   const void *data, size_t size)
{
	const struct program_action *a = program_action(c->config.image, action);

	switch ((enum action_kind)a->kind) {
	case ACTION_trace:
		return trace_values(c, a, data, size);
	case ACTION_printf:
		return print_formatted(c, action, data, size);
	case ACTION_printa:
		aggview_print(c->aggs, operands(c, a), a->noperands,
			      a->text ? &c->formats[action] : NULL);
		return 0;
	case ACTION_exit:
		take_status(c, r, int_payload(c, a, data, size, 0));
		return 0;
	case ACTION_clear:
		for (uint32_t i = 0; i < a->noperands; i++)
			aggview_clear(c->aggs, operands(c, a)[i]);
		return 0;
	case ACTION_trunc:
		for (uint32_t i = 0; i < a->noperands; i++)
			aggview_trunc(c->aggs, operands(c, a)[i],
				      int_payload(c, a, data, size, 0));
		return 0;
	case ACTION_COUNT:
		break;
	}
	return STATUS_BADFMT;
}

static void perform_all(struct consumer *c, const struct record *r)
{
	const char *p = (const char *)(r + 1), *end = (const char *)r + r->size;

	while (p < end) {
		struct record_item item;

		memcpy(&item, p, sizeof(item));
		p += sizeof(item);
		if (perform(c, r, item.action, p, item.size)) {
			out_message(c->config.out,
				    "malformed record of probe ID %" PRIu32, r->probe);
			return;
		}
		p += item.size;
	}
}

/* ---- faults ---- */

static const char *fault_text(int32_t fault, bool *has_address)
{
	*has_address = false;
	switch (fault) {
#define FAULT(name, value, text, with_address)                                         \
	case value:                                                                    \
		*has_address = with_address;                                           \
		return text;
#include "vm/fault.def"
#undef FAULT
	}
	return "unknown fault";
}

static void print_fault(struct consumer *c, const struct record *r,
			const struct probe *p)
{
	const struct record_fault *f = (const void *)(r + 1);
	const struct probes *ps = c->config.probes;
	struct strbuf text = {0};
	bool has_address;

	strbuf_puts(&text, fault_text(f->fault, &has_address));
	if (has_address)
		strbuf_printf(&text, " (0x%" PRIx64 ")", f->address);
	if (f->action)
		strbuf_printf(&text, " in action #%" PRIu32, f->action);
	else
		strbuf_puts(&text, " in predicate");
	out_message(c->config.out,
		    "error on enabled probe ID %" PRIu32 " (ID %" PRIu32
		    ": %s:%s:%s:%s): %s at DIF offset %" PRIu32,
		    r->epid, r->probe, probes_name(ps, p, PROBE_PROVIDER),
		    probes_name(ps, p, PROBE_MODULE),
		    probes_name(ps, p, PROBE_FUNCTION), probes_name(ps, p, PROBE_NAME),
		    text.data, f->insn);
	strbuf_release(&text);
}

/* ---- passes ---- */

static void print_data(struct consumer *c, const struct record *r,
		       const struct probe *p, const struct record *next)
{
	line_begin(&c->line, r, p, next);
	perform_all(c, r);
	line_end(&c->line, r);
}

/* The same with the record after the earliest one known; found by going there. */
static void consume_with_next(struct consumer *c, const struct probe *p)
{
	struct consumer_slot *s = &c->slots[c->heap.data[0]];
	struct record *r = s->record;

	s->record = c->spare;
	c->spare = NULL;
	advance(c);
	print_data(c, r, p, c->heap.len ? record_of(c, c->heap.data[0]) : NULL);
	free(c->spare);
	c->spare = r;
}

static void consume_one(struct consumer *c)
{
	struct consumer_slot *s = &c->slots[c->heap.data[0]];
	const struct record *r = s->record;
	const struct probe *p = probes_get(c->config.probes, r->probe);

	s->cpu = r->cpu;
	if (!p) {
		out_message(c->config.out, "record of unknown probe ID %" PRIu32,
			    r->probe);
	} else if (r->kind == RECORD_FAULT) {
		print_fault(c, r, p);
	} else if (c->config.options->flowindent) {
		consume_with_next(c, p);
		return;
	} else {
		print_data(c, r, p, NULL);
	}
	advance(c);
}

int consumer_pass(struct consumer *c, uint64_t hold_back)
{
	struct out *o = c->config.out;

	fill_heap(c);
	while (c->heap.len && !o->error) {
		if (hold_back && record_of(c, c->heap.data[0])->time > hold_back)
			break;
		consume_one(c);
	}
	return out_flush(o);
}

bool consumer_exit_status(const struct consumer *c, int *status)
{
	if (c->has_status)
		*status = c->status;
	return c->has_status;
}

int consumer_print_aggregations(struct consumer *c)
{
	aggview_print_rest(c->aggs);
	return out_flush(c->config.out);
}

/* ---- drops ---- */

/* "N WHATs AFTER", s only when N is more than 1. */
struct drop_words {
	const char *tag, *what, *after;
};

/* One line for what was counted since seen. */
static void report(const struct consumer *c, uint64_t *seen, uint64_t now,
		   const struct drop_words *w)
{
	uint64_t n = now - *seen;
	bool is_tagged = c->config.options->droptags;

	if (!n)
		return;
	*seen = now;
	out_message(c->config.out, "%s%s%s%" PRIu64 " %s%s%s",
		    is_tagged ? "[DTRACEDROP_" : "", is_tagged ? w->tag : "",
		    is_tagged ? "] " : "", n, w->what, n > 1 ? "s" : "", w->after);
}

static void report_slot(struct consumer *c, uint32_t slot)
{
	struct state_drops *d = state_drops(c->config.state, slot);
	struct consumer_slot *s = &c->slots[slot];
	char cpu[32];
	struct drop_words records = {"PRINCIPAL", "drop", cpu};
	struct drop_words aggs = {"AGGREGATION", "aggregation drop", cpu};

	snprintf(cpu, sizeof(cpu), " on CPU %" PRIu32, s->cpu);
	report(c, &s->seen_records, atomic_load(&d->records), &records);
	report(c, &s->seen_aggs, atomic_load(&d->aggs), &aggs);
}

void consumer_report_drops(struct consumer *c)
{
	static const struct drop_words dynvar_words = {"DYNAMIC",
						       "dynamic variable drop", ""};
	static const struct drop_words error_words = {"DBLERROR", "error",
						      " in ERROR probe enabling"};
	uint64_t dynvars = 0, errors = 0;

	for (uint32_t slot = 0; slot < c->config.nslots; slot++) {
		struct state_drops *d = state_drops(c->config.state, slot);

		report_slot(c, slot);
		dynvars += atomic_load(&d->dynvars);
		errors += atomic_load(&d->errors);
	}
	report(c, &c->seen_dynvars, dynvars, &dynvar_words);
	report(c, &c->seen_errors, errors, &error_words);
}
