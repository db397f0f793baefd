/* SPDX-License-Identifier: MIT */
/*
 * Takes records to the form of the output: merge.h orders them by time, speculate.h
 * keeps those of a speculation until its commit, actions.h performs their actions.
 */
#include "tracer/consume/consume.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/text_form.h"
#include "tracer/records/merge.h"
#include "tracer/consume/actions.h"
#include "tracer/output/ustack.h"
#include "tracer/records/speculate.h"
#include "tracer/trust/record_check.h"
#include "vm/base/host/oom.h"
#include "vm/ring.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of records in one pass: signals and events wait for its end. */
#define PASS_MAX (UINT64_C(16) << 20)

struct consumer {
	struct consumer_config config;
	struct record_check *check;
	struct merge merge;
	struct actions actions;
	struct record
		*spare; /* RING_RECORD_MAX bytes, or NULL: see consume_with_next() */
	struct text_form text; /* the form, unless the configuration has one */
	struct form *form;
	struct speculations speculations;
	struct drops drops;
	bool is_behind;
};

static void init_records(struct consumer *c)
{
	const struct consumer_config *config = &c->config;
	const struct record_check_config check = {
		.image = config->image,
		.probes = config->probes,
		.fires_inside = config->fires_inside,
		.ctx = config->ctx,
	};

	c->check = record_check_new(&check);
	merge_init(&c->merge, config->sources, c->check);
}

struct consumer *consumer_new(const struct consumer_config *config)
{
	struct consumer *c = oom_calloc(1, sizeof(*c));

	c->config = *config;
	text_form_init(&c->text, &c->config);
	if (!config->form)
		c->config.form = &c->text.form;
	c->form = c->config.form;
	c->drops = (struct drops){
		.sources = config->sources,
		.form = c->form,
		.is_past = config->is_past,
		.lost = config->lost,
		.ctx = config->ctx,
	};
	init_records(c);
	actions_init(&c->actions, &c->config, c->check);
	speculations_init(&c->speculations, (uint32_t)config->options->nspec,
			  config->options->specsize *
				  program_record_growth(config->sources->image));
	return c;
}

void consumer_free(struct consumer *c)
{
	if (!c)
		return;
	merge_release(&c->merge);
	record_check_free(c->check);
	actions_release(&c->actions);
	free(c->spare);
	speculations_release(&c->speculations);
	text_form_release(&c->text);
	free(c);
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

/* The name of the function at an address of the process, without its module. */
static const char *function_name(struct consumer *c, uint32_t pid, uint64_t address)
{
	static const struct program_field field = {.kind = KIND_BYTES,
						   .show = SHOW_USYM};
	const uint64_t words[] = {pid, address};
	const struct tuple_value v = {
		.field = &field, .bytes = (const char *)words, .len = sizeof(words)};
	const char *name, *module;
	uint64_t first;

	if (!c->config.ustack)
		return "another";
	name = ustack_name(c->config.ustack, &v, &first)->data;
	module = strchr(name, '`');
	return module ? module + 1 : name;
}

static const char *tail_call_text(struct consumer *c, const struct record *r,
				  struct strbuf *text)
{
	const struct record_fault *f = (const void *)(r + 1);
	const char *name = function_name(c, r->pid, f->address);

	strbuf_printf(text, "the function ends in a call of %s; its result is %s's",
		      name, name);
	return text->data;
}

static void print_fault(struct consumer *c, const struct record *r,
			const struct probe *p)
{
	const struct record_fault *f = (const void *)(r + 1);
	struct form_fault x = {.record = r, .probe = p, .fault = f};
	struct strbuf text = {0}, call = {0};
	bool is_named = f->fault == FAULT_TAILCALL && f->address;

	x.what = fault_text(f->fault, &x.has_address);
	if (is_named)
		x.what = tail_call_text(c, r, &call);
	actions_put_enabling(c->config.probes, r, &text);
	strbuf_puts(&text, x.what);
	if (x.has_address && !is_named)
		strbuf_printf(&text, " (0x%" PRIx64 ")", f->address);
	if (f->action)
		strbuf_printf(&text, " in action #%" PRIu32, f->action);
	else
		strbuf_puts(&text, " in predicate");
	strbuf_printf(&text, " at DIF offset %" PRIu32, f->insn);
	x.text = text.data;
	c->form->ops->fault(c->form, &x);
	strbuf_release(&text);
	strbuf_release(&call);
}

/* ---- passes ---- */

static void print_data(struct consumer *c, const struct record *r,
		       const struct probe *p, const struct record *next)
{
	const struct form_record x = {r, p, next};

	if (c->config.printed)
		c->config.printed(c->config.ctx, r, p);
	c->form->ops->record_begin(c->form, &x);
	actions_perform(&c->actions, &x);
	c->form->ops->record_end(c->form, &x);
}

/* Is the earliest record one that is not printed? */
static bool is_recorded(struct consumer *c, const struct record *r)
{
	return c->config.recorded && c->config.recorded(c->config.ctx, r);
}

/* The earliest record that is to be printed, if there is one. */
static const struct record *skip_recorded(struct consumer *c)
{
	const struct record *r = merge_first(&c->merge);

	while (r && is_recorded(c, r)) {
		merge_pop(&c->merge);
		r = merge_first(&c->merge);
	}
	return r;
}

/*
 * The same, also with the record after the earliest; it is found by taking the first.
 */
static void consume_with_next(struct consumer *c, const struct probe *p)
{
	const struct record *r = merge_first(&c->merge);

	if (!c->spare)
		c->spare = oom_realloc(NULL, RING_RECORD_MAX);
	memcpy(c->spare, r, r->size);
	merge_pop(&c->merge);
	print_data(c, c->spare, p, skip_recorded(c));
}

/* A record of a speculation, where it is committed. */
static void print_committed(void *ctx, const struct record *r,
			    const struct record *next)
{
	struct consumer *c = ctx;
	const struct probe *p = probes_get(c->config.probes, r->probe);

	if (p)
		print_data(c, r, p, next);
}

static void keep_speculative(struct consumer *c, const struct record *r)
{
	const struct source *p = merge_source(&c->merge);
	size_t nslots = c->config.sources->list.len;

	if (!speculations_keep(&c->speculations, r, nslots))
		atomic_fetch_add(&state_drops(p->view->state, p->slot)->specs, 1);
}

static void consume_one(struct consumer *c)
{
	const struct record *r = merge_first(&c->merge);
	const struct probe *p = probes_get(c->config.probes, r->probe);

	if (!p) {
		out_message(c->config.out, "record of unknown probe ID %" PRIu32,
			    r->probe);
	} else if (is_recorded(c, r)) {
		; /* it is written to the recording */
	} else if (r->kind == RECORD_FAULT) {
		print_fault(c, r, p);
	} else if (r->kind != RECORD_DATA) {
		speculations_end(&c->speculations, r, print_committed, c);
	} else if (r->spec) {
		keep_speculative(c, r);
	} else if (c->config.options->flowindent) {
		consume_with_next(c, p);
		return;
	} else {
		print_data(c, r, p, NULL);
	}
	merge_pop(&c->merge);
}

/* A record whose only action is a printf(), as DTrace's text. */
static bool print_text(void *ctx, const struct record *r)
{
	struct consumer *c = ctx;
	const struct probe *p = probes_get(c->config.probes, r->probe);

	if (r->kind != RECORD_DATA || r->spec || !p ||
	    !actions_is_printf(&c->actions, r))
		return false;
	record_header_begin(&c->text.header, r, p, NULL);
	actions_print(&c->actions, r);
	record_header_end(&c->text.header, r);
	return true;
}

static bool prints_text(const struct consumer *c)
{
	return c->form == &c->text.form && !c->config.options->flowindent &&
	       !c->config.recorded && !c->config.printed;
}

/* The earliest records, of which r is the first; the bytes of all. */
static uint64_t consume_some(struct consumer *c, const struct record *r, uint64_t until)
{
	uint64_t bytes = 0;

	if (prints_text(c))
		bytes = merge_run(&c->merge, until, print_text, c);
	if (bytes)
		return bytes;
	bytes = r->size;
	consume_one(c);
	return bytes;
}

/* Views that have ended and hold nothing that is still to be printed. */
static void remove_drained(struct consumer *c)
{
	struct sources *s = c->config.sources;

	for (size_t i = s->views.len; i-- > 0;) {
		struct view *v = s->views.data[i];

		if (!v->is_ended || !view_is_drained(v))
			continue;
		agg_view_archive(c->actions.aggs, v);
		drops_keep(&c->drops, v);
		sources_remove_view(s, v);
	}
}

int consumer_pass(struct consumer *c, uint64_t hold_back)
{
	struct out *o = c->config.out;
	const struct record *r;
	uint64_t bytes = 0;

	merge_fill(&c->merge);
	while (bytes < PASS_MAX && (r = merge_first(&c->merge))) {
		if (hold_back && r->time > hold_back)
			break;
		bytes += consume_some(c, r, hold_back ? hold_back : UINT64_MAX);
	}
	c->is_behind = bytes >= PASS_MAX;
	remove_drained(c);
	return out_flush(o);
}

bool consumer_is_behind(const struct consumer *c)
{
	return c->is_behind;
}

bool consumer_exit_status(const struct consumer *c, int *status)
{
	if (c->actions.has_status)
		*status = c->actions.status;
	return c->actions.has_status;
}

void consumer_put_newline(struct consumer *c)
{
	c->form->ops->newline(c->form);
}

void consumer_each_value(struct consumer *c,
			 void (*each)(void *ctx, const struct agg_value *x), void *ctx)
{
	agg_view_peek(c->actions.aggs);
	agg_view_each(c->actions.aggs, each, ctx);
}

void consumer_hide(struct consumer *c, uint32_t agg)
{
	agg_view_hide(c->actions.aggs, agg);
}

int consumer_print_aggregations(struct consumer *c)
{
	agg_view_print_rest(c->actions.aggs);
	return out_flush(c->config.out);
}

/* ---- drops ---- */

void consumer_report_drops(struct consumer *c)
{
	drops_report(&c->drops, c->config.options->droptags);
}
