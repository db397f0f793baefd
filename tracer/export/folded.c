/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: a line for each row of an aggregation and for each stack of a record,
 * "key;root;...;leaf VALUE". Nothing else is written: rows of histograms and other values
 * have no such form.
 */
#include "tracer/export/export_form.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/aggs/hist.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>

static void put_line(struct export_form *e, int64_t value)
{
	struct out *o = e->config.out;

	if (!e->text.len)
		return;
	out_write(o, e->text.data, e->text.len);
	out_printf(o, " %" PRId64 "\n", value);
}

static void ignore_record(struct form *f, const struct form_record *r)
{
	(void)f;
	(void)r;
}

static void put_value(struct form *f, const struct form_record *r,
		      const struct tuple_value *v)
{
	struct export_form *e = export_form_of(f);

	if (!e->config.ustack || !program_is_location(v->field) || !ustack_is_stack(v))
		return;
	strbuf_reset(&e->text);
	ustack_fold(e->config.ustack, v, r->record->time, &e->text);
	put_line(e, 1);
}

static int ignore_formatted(struct form *f, const struct format *format,
			    const struct format_args *args)
{
	(void)f;
	(void)format;
	(void)args;
	return 0;
}

static void ignore_text(struct form *f, const char *p, size_t n)
{
	(void)f;
	(void)p;
	(void)n;
}

static void put_row(void *ctx, const struct agg_value *x)
{
	struct export_form *e = ctx;

	if (!x->words || hist_is(x->agg))
		return;
	strbuf_reset(&e->text);
	if (agg_value_fold(x, e->config.ustack, &e->text))
		put_line(e, agg_value_number(x));
}

static void put_rows(struct form *f, struct agg_view *v, const struct format *format,
		     uint64_t time)
{
	(void)format;
	(void)time;
	agg_view_each(v, put_row, export_form_of(f));
}

static void no_newline(struct form *f)
{
	(void)f;
}

static void say_fault(struct form *f, const struct form_fault *x)
{
	out_message(export_form_of(f)->config.out, "%s", x->text);
}

static void say_drop(struct form *f, const struct form_drop *x)
{
	out_message(export_form_of(f)->config.out, "%s", x->text);
}

static void release(struct export_form *e)
{
	(void)e;
}

static const struct form_ops ops = {
	.record_begin = ignore_record,
	.record_end = ignore_record,
	.value = put_value,
	.formatted = ignore_formatted,
	.memory = ignore_text,
	.typed = ignore_text,
	.rows = put_rows,
	.newline = no_newline,
	.fault = say_fault,
	.drop = say_drop,
};

struct export_form *folded_form_new(const struct export_config *config)
{
	struct export_form *e = oom_calloc(1, sizeof(*e));

	*e = (struct export_form){
		.form = {&ops}, .config = *config, .release = release};
	return e;
}
