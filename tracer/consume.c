/* SPDX-License-Identifier: MIT */
/*
 * From records to text. A pass merges the records of all slots by time: a
 * heap holds the slots that have a record, by the time of the oldest.
 * What a record's actions need is worked out once, before the first pass.
 */
#include "tracer/consume.h"
#include "tracer/aggview.h"
#include "tracer/format.h"
#include "tracer/line.h"
#include "tracer/shell.h"
#include "tracer/speculate.h"
#include "tracer/stage.h"
#include "tracer/ustack.h"
#include "tracer/value.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"
#include "vm/ring.h"
#include "vm/tuple.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fast producer fills a ring in milliseconds: look again after so many records. */
#define FILL_EVERY 64

struct consumer_slot {
	struct stage stage;
	uint32_t cpu; /* of the last record: drops are told by CPU */
};

struct consumer {
	struct consumer_config config;
	struct consumer_slot *slots;
	uint32_t slots_seen; /* of them have had an owner */
	struct {
		uint32_t *data; /* slots with a record, a heap by (time, slot) */
		size_t len, cap;
	} heap;
	struct format *formats; /* by action; items only where it has one */
	struct aggview *aggs;
	struct record
		*spare; /* RING_RECORD_MAX bytes, or NULL: see consume_with_next() */
	unsigned since_fill; /* records consumed */
	uint64_t staged;     /* bytes in all stages */
	struct strbuf scratch;
	struct out
		*sink; /* where the text of system() and freopen() is made; or NULL */
	struct line line;
	struct speculations speculations;
	bool has_status;
	int status;
	struct drops drops;
};

static bool has_format(enum action_kind kind)
{
	return kind == ACTION_printf || kind == ACTION_printa ||
	       kind == ACTION_system || kind == ACTION_freopen;
}

static void make_formats(struct consumer *c)
{
	const void *image = c->config.image;
	uint32_t n = program_count(image, SECTION_ACTION);

	c->formats = oom_calloc(n + 1, sizeof(*c->formats));
	for (uint32_t i = 0; i < n; i++) {
		const struct program_action *a = program_action(image, i);

		if (a->text && has_format((enum action_kind)a->kind))
			format_init(&c->formats[i], program_string(image, a->text));
	}
}

struct consumer *consumer_new(const struct consumer_config *config)
{
	struct consumer *c = oom_calloc(1, sizeof(*c));
	struct aggview_config aggs = {
		.image = config->image,
		.state = config->state,
		.options = config->options,
		.out = config->out,
		.ustack = config->ustack,
	};

	c->config = *config;
	c->drops = (struct drops){
		.state = config->state,
		.out = config->out,
		.lost = config->lost,
		.ctx = config->ctx,
	};
	drops_init(&c->drops, config->nslots);
	c->line.probes = config->probes;
	c->line.options = config->options;
	c->line.out = config->out;
	c->slots = oom_calloc(config->nslots, sizeof(*c->slots));
	c->aggs = aggview_new(&aggs);
	speculations_init(&c->speculations, (uint32_t)config->options->nspec,
			  config->options->specsize, config->nslots);
	make_formats(c);
	return c;
}

void consumer_free(struct consumer *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < program_count(c->config.image, SECTION_ACTION); i++)
		format_release(&c->formats[i]);
	for (uint32_t i = 0; i < c->slots_seen; i++)
		stage_release(&c->slots[i].stage);
	free(c->spare);
	free(c->formats);
	free(c->slots);
	aggview_free(c->aggs);
	speculations_release(&c->speculations);
	strbuf_release(&c->scratch);
	line_release(&c->line);
	drops_release(&c->drops);
	if (c->sink)
		out_free(c->sink);
	vec_release(&c->heap);
	free(c);
}

/* ---- merging ---- */

/* A target may write what it likes: a slot once seen stays. */
static uint32_t slots_seen(struct consumer *c)
{
	c->slots_seen = max_u32(c->slots_seen, state_slots_used(c->config.state));
	return c->slots_seen;
}

static const struct record *record_of(const struct consumer *c, uint32_t slot)
{
	return stage_front(&c->slots[slot].stage);
}

static void fill(struct consumer *c, uint32_t slot)
{
	struct stage_source from = {c->config.state, slot, c->config.image};

	if (c->staged < STAGE_MAX)
		c->staged += stage_fill(&c->slots[slot].stage, &from,
					STAGE_MAX - c->staged);
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
	for (uint32_t slot = 0; slot < slots_seen(c); slot++) {
		fill(c, slot);
		if (record_of(c, slot))
			*vec_push(&c->heap) = slot;
	}
	for (size_t i = c->heap.len; i-- > 0;)
		sift_down(c, i);
}

/* Slots that have records are likely to get more while these are printed. */
static void keep_up(struct consumer *c)
{
	if (++c->since_fill < FILL_EVERY)
		return;
	c->since_fill = 0;
	for (size_t i = 0; i < c->heap.len; i++)
		fill(c, c->heap.data[i]);
}

/* Gives up the earliest record and brings the next of its slot into place. */
static void advance(struct consumer *c)
{
	uint32_t slot = c->heap.data[0];

	c->staged -= record_of(c, slot)->size;
	stage_pop(&c->slots[slot].stage);
	keep_up(c);
	if (!record_of(c, slot))
		fill(c, slot);
	if (!record_of(c, slot))
		c->heap.data[0] = c->heap.data[--c->heap.len];
	sift_down(c, 0);
}

/* ---- actions ---- */

/* What an action recorded: a tuple of its fields. */
struct payload {
	const void *data;
	size_t size;
};

static int64_t int_payload(const struct consumer *c, const struct program_action *a,
			   const struct payload *p)
{
	struct tuple_value v;
	size_t pos = 0;

	if (!a->nfields ||
	    tuple_next(p->data, p->size, &pos,
		       program_field(c->config.image, a->first_field), &v))
		return 0;
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

static void trace_value(const struct consumer *c, const struct record *r,
			const struct tuple_value *v)
{
	const struct consumer_config *cfg = &c->config;

	if (cfg->ustack && program_is_location(v->field))
		ustack_print(cfg->ustack, cfg->out, v, r->time, cfg->options);
	else
		value_print(cfg->out, v, cfg->options);
}

static int trace_values(struct consumer *c, const struct record *r,
			const struct program_action *a, const struct payload *p)
{
	struct tuple_value v;
	size_t pos = 0;
	int rc;

	for (uint32_t i = 0; i < a->nfields; i++) {
		rc = tuple_next(p->data, p->size, &pos,
				program_field(c->config.image, a->first_field + i), &v);
		if (rc)
			return rc;
		trace_value(c, r, &v);
	}
	return 0;
}

static int print_formatted(struct consumer *c, const struct record *r, uint32_t action,
			   const struct payload *p, struct out *o)
{
	const struct program_action *a = program_action(c->config.image, action);
	struct format_args args = {
		.fields = program_field(c->config.image, a->first_field),
		.nfields = a->nfields,
		.data = p->data,
		.size = p->size,
		.scratch = &c->scratch,
		.ustack = c->config.ustack,
		.pid = r->pid,
		.time = r->time,
	};

	return format_print(&c->formats[action], &args, o);
}

/* The n-th value of an action's data; false if the action or its data has none. */
static bool payload_value(const struct consumer *c, const struct program_action *a,
			  const struct payload *p, uint32_t n, struct tuple_value *v)
{
	size_t pos = 0;

	if (n >= a->nfields)
		return false;
	for (uint32_t i = 0; i <= n; i++)
		if (tuple_next(p->data, p->size, &pos,
			       program_field(c->config.image, a->first_field + i), v))
			return false;
	return true;
}

static int print_memory(struct consumer *c, const struct program_action *a,
			const struct payload *p)
{
	struct tuple_value bytes, shown;
	size_t n;

	if (!payload_value(c, a, p, 0, &bytes))
		return STATUS_BADFMT;
	n = bytes.len;
	if (payload_value(c, a, p, 1, &shown) && shown.number && shown.number < n)
		n = (size_t)shown.number;
	value_dump(c->config.out, bytes.bytes, n);
	return 0;
}

static int print_typed(struct consumer *c, uint32_t action, const struct payload *p)
{
	const struct program_action *a = program_action(c->config.image, action);
	struct tuple_value v;

	if (!payload_value(c, a, p, 0, &v))
		return STATUS_BADFMT;
	if (!c->config.print)
		return 0;
	if (v.field->kind == KIND_INT)
		c->config.print(c->config.ctx, action, &v.number, v.field->size,
				&c->scratch);
	else
		c->config.print(c->config.ctx, action, v.bytes, v.len, &c->scratch);
	out_write(c->config.out, c->scratch.data, c->scratch.len);
	return 0;
}

static const uint32_t *operands(const struct consumer *c,
				const struct program_action *a)
{
	const uint32_t *all = program_section(c->config.image, SECTION_OPERAND);

	return all + a->first_operand;
}

/* "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): " */
static void put_enabling(const struct consumer *c, const struct record *r,
			 struct strbuf *text)
{
	const struct probes *ps = c->config.probes;
	const struct probe *p = probes_get(ps, r->probe);

	strbuf_printf(
		text,
		"error on enabled probe ID %" PRIu32 " (ID %" PRIu32 ": %s:%s:%s:%s): ",
		r->epid, r->probe, probes_name(ps, p, PROBE_PROVIDER),
		probes_name(ps, p, PROBE_MODULE), probes_name(ps, p, PROBE_FUNCTION),
		probes_name(ps, p, PROBE_NAME));
}

/* An action of the consumer failed; such messages end in a newline of their own. */
static void complain(struct consumer *c, const struct record *r, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
static void complain(struct consumer *c, const struct record *r, const char *fmt, ...)
{
	struct strbuf text = {0};
	va_list ap;

	put_enabling(c, r, &text);
	va_start(ap, fmt);
	strbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	strbuf_putc(&text, '\n');
	out_message(c->config.out, "%s", text.data);
	strbuf_release(&text);
}

/*
 * The text of a command or path: at most strsize bytes with its end. NULL when
 * the data is spoilt.
 */
static const char *make_text(struct consumer *c, const struct record *r,
			     uint32_t action, const struct payload *p)
{
	size_t most = min_u64(program_header(c->config.image)->strsize, OUT_BUFFER) - 1;
	struct out *o = c->sink;

	if (!o) {
		o = c->sink = out_new(c->config.command);
		o->fd = -1;
	}
	o->len = 0;
	o->error = EFBIG; /* what does not fit in its buffer is dropped */
	if (print_formatted(c, r, action, p, o))
		return NULL;
	o->buffer[min_u64(o->len, most)] = '\0';
	return o->buffer;
}

static int run_command(struct consumer *c, const struct record *r, uint32_t action,
		       const struct payload *p)
{
	const char *command = make_text(c, r, action, p);
	struct err e;

	if (!command)
		return STATUS_BADFMT;
	if (shell_run(c->config.out, command, &e))
		complain(c, r, "couldn't run \"%s\": %s", command, e.text);
	return 0;
}

static int reopen(struct consumer *c, const struct record *r, uint32_t action,
		  const struct payload *p)
{
	const char *path = make_text(c, r, action, p);
	struct err e;
	int rc;

	if (!path)
		return STATUS_BADFMT;
	rc = path[0] ? out_reopen(c->config.out, path, &e)
		     : out_restore(c->config.out, &e);
	if (rc)
		complain(c, r, "couldn't freopen() \"%s\": %s", path, e.text);
	return 0;
}

static int set_option(struct consumer *c, const struct record *r,
		      const struct program_action *a, const struct payload *p)
{
	struct strbuf name = {0}, value = {0};
	struct tuple_value v;
	struct err e;
	bool has_value;
	int rc = STATUS_BADFMT;

	if (!payload_value(c, a, p, 0, &v))
		return rc;
	strbuf_add(&name, v.bytes, v.len);
	has_value = payload_value(c, a, p, 1, &v);
	if (has_value)
		strbuf_add(&value, v.bytes, v.len);
	rc = options_set(c->config.options, OPTION_FROM_SETOPT, name.data,
			 has_value ? value.data : NULL, &e);
	if (rc)
		complain(c, r, "couldn't set option \"%s\" to \"%s\": %s", name.data,
			 has_value ? value.data : "1", e.text);
	strbuf_release(&name);
	strbuf_release(&value);
	return 0;
}

/* clear(), trunc(), normalize() and denormalize() */
static int change_aggs(struct consumer *c, const struct record *r,
		       const struct program_action *a, const struct payload *p)
{
	int64_t n = int_payload(c, a, p);

	for (uint32_t i = 0; i < a->noperands; i++) {
		uint32_t agg = operands(c, a)[i];

		if (a->kind == ACTION_clear)
			aggview_clear(c->aggs, agg, r->time);
		else if (a->kind == ACTION_trunc)
			aggview_trunc(c->aggs, agg, n, r->time);
		else
			aggview_normalize(c->aggs, agg, (uint64_t)n);
	}
	return 0;
}

/* Performs one item of a record. 0, or STATUS_BADFMT when its data is spoilt. */
static int perform(struct consumer *c, const struct record *r, uint32_t action,
		   const struct payload *p)
{
	const struct program_action *a = program_action(c->config.image, action);

	switch ((enum action_kind)a->kind) {
	case ACTION_trace:
		return trace_values(c, r, a, p);
	case ACTION_printf:
		return print_formatted(c, r, action, p, c->config.out);
	case ACTION_tracemem:
		return print_memory(c, a, p);
	case ACTION_print:
		return print_typed(c, action, p);
	case ACTION_printa:
		aggview_print(c->aggs, operands(c, a), a->noperands,
			      a->text ? &c->formats[action] : NULL);
		return 0;
	case ACTION_exit:
		take_status(c, r, int_payload(c, a, p));
		return 0;
	case ACTION_clear:
	case ACTION_trunc:
	case ACTION_normalize:
	case ACTION_denormalize:
		return change_aggs(c, r, a, p);
	case ACTION_system:
		return run_command(c, r, action, p);
	case ACTION_freopen:
		return reopen(c, r, action, p);
	case ACTION_ftruncate:
		out_truncate(c->config.out);
		return 0;
	case ACTION_setopt:
		return set_option(c, r, a, p);
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
		struct payload data;

		memcpy(&item, p, sizeof(item));
		p += sizeof(item);
		data = (struct payload){p, item.size};
		if (perform(c, r, item.action, &data)) {
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

static void print_fault(struct consumer *c, const struct record *r)
{
	const struct record_fault *f = (const void *)(r + 1);
	struct strbuf text = {0};
	bool has_address;

	put_enabling(c, r, &text);
	strbuf_puts(&text, fault_text(f->fault, &has_address));
	if (has_address)
		strbuf_printf(&text, " (0x%" PRIx64 ")", f->address);
	if (f->action)
		strbuf_printf(&text, " in action #%" PRIu32, f->action);
	else
		strbuf_puts(&text, " in predicate");
	strbuf_printf(&text, " at DIF offset %" PRIu32, f->insn);
	out_message(c->config.out, "%s", text.data);
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
	const struct record *r = record_of(c, c->heap.data[0]);

	if (!c->spare)
		c->spare = oom_realloc(NULL, RING_RECORD_MAX);
	memcpy(c->spare, r, r->size);
	advance(c);
	print_data(c, c->spare, p, c->heap.len ? record_of(c, c->heap.data[0]) : NULL);
}

/* A record of a speculation, at the place where that is committed. */
static void print_committed(void *ctx, const struct record *r,
			    const struct record *next)
{
	struct consumer *c = ctx;
	const struct probe *p = probes_get(c->config.probes, r->probe);

	if (p)
		print_data(c, r, p, next);
}

static void consume_one(struct consumer *c)
{
	struct consumer_slot *s = &c->slots[c->heap.data[0]];
	const struct record *r = stage_front(&s->stage);
	const struct probe *p = probes_get(c->config.probes, r->probe);

	s->cpu = r->cpu;
	if (!p) {
		out_message(c->config.out, "record of unknown probe ID %" PRIu32,
			    r->probe);
	} else if (r->kind == RECORD_FAULT) {
		print_fault(c, r);
	} else if (r->kind != RECORD_DATA) {
		speculations_end(&c->speculations, r, print_committed, c);
	} else if (r->spec) {
		speculations_keep(&c->speculations, r);
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

static uint32_t cpu_of(void *ctx, uint32_t slot)
{
	const struct consumer *c = ctx;

	return c->slots[slot].cpu;
}

void consumer_report_drops(struct consumer *c)
{
	const struct drops_style style = {c->config.options->droptags, cpu_of, c};

	c->drops.nslots = slots_seen(c);
	drops_report(&c->drops, &style);
}

struct drops *consumer_drops(struct consumer *c)
{
	return &c->drops;
}
