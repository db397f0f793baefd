/* SPDX-License-Identifier: MIT */
#include "tracer/consume/text_form.h"
#include "tracer/aggs/agg_table.h"
#include "tracer/output/format.h"
#include "tracer/output/ustack.h"
#include "tracer/output/value.h"

static struct text_form *text_of(struct form *f)
{
	return (struct text_form *)(void *)f; /* its first member */
}

static struct out *out_of(struct form *f)
{
	return text_of(f)->config->out;
}

static void begin_record(struct form *f, const struct form_record *r)
{
	record_header_begin(&text_of(f)->header, r->record, r->probe, r->next);
}

static void end_record(struct form *f, const struct form_record *r)
{
	record_header_end(&text_of(f)->header, r->record);
}

static void print_value(struct form *f, const struct form_record *r,
			const struct tuple_value *v)
{
	const struct consumer_config *c = text_of(f)->config;

	if (!c->ustack || !program_is_location(v->field)) {
		value_print(c->out, v, c->options);
		return;
	}
	ustack_print(c->ustack, c->out, v, r->record->time, c->options);
	if (ustack_is_folded(c->ustack) && ustack_is_stack(v))
		out_puts(c->out, " 1\n");
}

static int print_formatted(struct form *f, const struct format *format,
			   const struct format_args *args)
{
	return format_print(format, args, out_of(f));
}

static void print_memory(struct form *f, const char *bytes, size_t n)
{
	value_dump(out_of(f), bytes, n);
}

static void print_typed(struct form *f, const char *text, size_t n)
{
	out_text(out_of(f), text, n, 0, true);
}

static void print_rows(struct form *f, struct agg_view *v, const struct format *format,
		       uint64_t time)
{
	(void)f;
	(void)time;
	agg_view_print_rows(v, format);
}

static void print_newline(struct form *f)
{
	/* A reader of folded stacks expects none. */
	if (text_of(f)->config->options->stackformat != STACKFORMAT_FOLDED)
		out_putc(out_of(f), '\n');
}

static void print_fault(struct form *f, const struct form_fault *x)
{
	out_message(out_of(f), "%s", x->text);
}

static void print_drop(struct form *f, const struct form_drop *x)
{
	out_message(out_of(f), "%s", x->text);
}

static const struct form_ops ops = {
	.record_begin = begin_record,
	.record_end = end_record,
	.value = print_value,
	.formatted = print_formatted,
	.memory = print_memory,
	.typed = print_typed,
	.rows = print_rows,
	.newline = print_newline,
	.fault = print_fault,
	.drop = print_drop,
};

void text_form_init(struct text_form *t, const struct consumer_config *config)
{
	*t = (struct text_form){
		.form = {&ops},
		.config = config,
		.header = {.probes = config->probes,
			   .options = config->options,
			   .out = config->out},
	};
}

void text_form_release(struct text_form *t)
{
	record_header_release(&t->header);
}
