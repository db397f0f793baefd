/* SPDX-License-Identifier: MIT */
/*
 * Comma-separated values, with the quotes of RFC 4180 and lines that end in a newline.
 *
 * Tables follow each other, each with a header, an empty line between two: one of
 * records, a row for each action, and one for each listing of an aggregation.
 */
#include "tracer/base/text.h"
#include "tracer/export/export_form.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/output/format.h"
#include "tracer/aggs/hist.h"
#include "vm/base/host/oom.h"

#include <inttypes.h>
#include <string.h>

#define NO_AGG UINT32_MAX

enum table { TABLE_NONE, TABLE_RECORDS, TABLE_ROWS };

struct csv_form {
	struct export_form base; /* first */
	struct strbuf cell;	 /* being made */
	enum table table;	 /* that the last line belongs to */
	bool has_cells;		 /* in the current line */
	bool has_rows;		 /* the current record has written one */
	const struct form_record *record;
	uint64_t time;	 /* of the rows that are being written */
	uint32_t agg;	 /* of these rows: NO_AGG before the first */
	bool has_shares; /* the table of these rows */
};

static struct csv_form *csv_of(struct form *f)
{
	return (struct csv_form *)(void *)f;
}

/* ---- cells ---- */

/* Writes a cell that is valid text. */
static void put_cell(struct csv_form *c, const char *p, size_t n)
{
	struct out *o = c->base.config.out;

	if (c->has_cells)
		out_putc(o, ',');
	c->has_cells = true;
	if (!memchr(p, ',', n) && !memchr(p, '"', n) && !memchr(p, '\n', n)) {
		out_write(o, p, n);
		return;
	}
	out_putc(o, '"');
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '"')
			out_putc(o, '"');
		out_putc(o, p[i]);
	}
	out_putc(o, '"');
}

static void end_line(struct csv_form *c)
{
	out_putc(c->base.config.out, '\n');
	c->has_cells = false;
}

/* Begins the cell; what is added to c->cell becomes its text. */
static void clear_cell(struct csv_form *c)
{
	strbuf_reset(&c->cell);
	strbuf_puts(&c->cell, "");
}

static void put_made_cell(struct csv_form *c)
{
	put_cell(c, c->cell.data, c->cell.len);
}

static void put_text(struct csv_form *c, const char *p, size_t n)
{
	clear_cell(c);
	text_add_escaped(&c->cell, p, n, TEXT_CONTROLS_ESCAPED);
	put_made_cell(c);
}

static void put_word(struct csv_form *c, const char *word)
{
	put_text(c, word, strlen(word));
}

static void put_unsigned(struct csv_form *c, uint64_t v)
{
	clear_cell(c);
	strbuf_printf(&c->cell, "%" PRIu64, v);
	put_made_cell(c);
}

static void put_signed(struct csv_form *c, int64_t v)
{
	clear_cell(c);
	strbuf_printf(&c->cell, "%" PRId64, v);
	put_made_cell(c);
}

static void put_hex(struct csv_form *c, const char *p, size_t n)
{
	clear_cell(c);
	text_add_hex(&c->cell, p, n);
	put_made_cell(c);
}

static void add_frame(void *ctx, const struct ustack_frame *f)
{
	export_add_frame(ctx, f);
}

static void put_location(struct csv_form *c, const struct tuple_value *v, uint64_t time)
{
	struct strbuf *s = &c->base.text;

	strbuf_reset(s);
	strbuf_puts(s, "");
	ustack_each(c->base.config.ustack, v, time, add_frame, s);
	put_text(c, s->data, s->len);
}

static void put_value(struct csv_form *c, const struct tuple_value *v, uint64_t time)
{
	const struct program_field *f = v->field;

	if (f->kind == KIND_INT && f->is_signed) {
		put_signed(c, (int64_t)v->number);
	} else if (f->kind == KIND_INT) {
		put_unsigned(c, v->number);
	} else if (program_is_location(f)) {
		put_location(c, v, time);
	} else if (f->show == SHOW_FLOAT) {
		clear_cell(c);
		text_add_real(&c->cell, format_float(v));
		put_made_cell(c);
	} else if (f->show == SHOW_WIDE) {
		strbuf_reset(&c->base.text);
		strbuf_puts(&c->base.text, "");
		format_wide(&c->base.text, v);
		put_text(c, c->base.text.data, c->base.text.len);
	} else if (f->kind == KIND_STR || export_is_text(c->base.config.image, f)) {
		put_text(c, v->bytes, strnlen(v->bytes, v->len));
	} else {
		put_hex(c, v->bytes, v->len);
	}
}

/* ---- tables ---- */

static void begin_table(struct csv_form *c, enum table table)
{
	if (c->table != TABLE_NONE)
		end_line(c);
	c->table = table;
}

/* The cells of a record before its value. */
static void begin_row(struct csv_form *c, const char *action)
{
	const struct record *r = c->record->record;
	const struct probes *ps = c->base.config.probes;

	if (c->table != TABLE_RECORDS) {
		begin_table(c, TABLE_RECORDS);
		out_puts(c->base.config.out,
			 "timestamp,cpu,pid,tid,id,provider,module,function,name,"
			 "action,value");
		end_line(c);
	}
	c->has_rows = true;
	put_unsigned(c, r->time);
	put_unsigned(c, r->cpu);
	put_unsigned(c, r->pid);
	put_unsigned(c, r->tid);
	put_unsigned(c, r->probe);
	put_word(c, probes_name(ps, c->record->probe, PROBE_PROVIDER));
	put_word(c, probes_name(ps, c->record->probe, PROBE_MODULE));
	put_word(c, probes_name(ps, c->record->probe, PROBE_FUNCTION));
	put_word(c, probes_name(ps, c->record->probe, PROBE_NAME));
	put_word(c, action);
}

static void begin_record(struct form *f, const struct form_record *r)
{
	csv_of(f)->record = r;
	csv_of(f)->has_rows = false;
}

/* A record without values is a row as well. */
static void end_record(struct form *f, const struct form_record *r)
{
	struct csv_form *c = csv_of(f);

	(void)r;
	if (c->has_rows)
		return;
	begin_row(c, "");
	put_word(c, "");
	end_line(c);
}

static void add_value(struct form *f, const struct form_record *r,
		      const struct tuple_value *v)
{
	struct csv_form *c = csv_of(f);

	begin_row(c, export_source(v->field));
	put_value(c, v, r->record->time);
	end_line(c);
}

static int add_formatted(struct form *f, const struct format *format,
			 const struct format_args *args)
{
	struct csv_form *c = csv_of(f);
	int rc = export_format(&c->base, format, args);

	begin_row(c, "printf");
	put_text(c, c->base.sink->buffer, c->base.sink->len);
	end_line(c);
	return rc;
}

static void add_memory(struct form *f, const char *bytes, size_t n)
{
	begin_row(csv_of(f), "tracemem");
	put_hex(csv_of(f), bytes, n);
	end_line(csv_of(f));
}

static void add_typed(struct form *f, const char *text, size_t n)
{
	begin_row(csv_of(f), "print");
	put_text(csv_of(f), text, n);
	end_line(csv_of(f));
}

static void put_header(struct csv_form *c, const struct agg_value *x)
{
	begin_table(c, TABLE_ROWS);
	c->agg = x->number;
	put_word(c, "timestamp");
	put_word(c, "aggregation");
	put_word(c, "function");
	for (uint32_t i = 1; i <= x->nkeys; i++) {
		clear_cell(c);
		strbuf_printf(&c->cell, "key%" PRIu32, i);
		put_made_cell(c);
	}
	if (hist_is(x->agg)) {
		put_word(c, "min");
		put_word(c, "max");
		put_word(c, "count");
	} else {
		put_word(c, "value");
	}
	c->has_shares = c->base.config.options->aggshare && agg_adds_up(x->agg);
	if (c->has_shares)
		put_word(c, "share");
	end_line(c);
}

/* The cells of a row before its value. */
static void put_keys(struct csv_form *c, const struct agg_value *x)
{
	struct tuple_value key;
	size_t pos = 0;

	put_unsigned(c, c->time);
	put_word(c, x->name);
	put_word(c, export_function(x->agg));
	for (uint32_t i = 0; agg_value_key(x, i, &pos, &key); i++)
		put_value(c, &key, 0);
}

static void put_bound(struct csv_form *c, bool is_there, int64_t v)
{
	if (is_there)
		put_signed(c, v);
	else
		put_word(c, "");
}

static void put_buckets(struct csv_form *c, const struct agg_value *x)
{
	for (uint32_t i = 0; i < x->agg->words; i++) {
		struct bucket b = bucket_of(x->agg, i);

		if (!x->words[i])
			continue;
		put_keys(c, x);
		put_bound(c, b.has_min, b.min);
		put_bound(c, b.has_max, b.max);
		put_signed(c, hist_divide(x->words[i], x->factor));
		end_line(c);
	}
}

static void put_share(struct csv_form *c, const struct agg_value *x)
{
	double percent;

	clear_cell(c);
	if (agg_value_share(x, &percent))
		text_add_real(&c->cell, (long double)percent);
	put_made_cell(c);
}

/* The rows of one aggregation; those of a joined printa() come one after the other. */
struct rows {
	struct csv_form *c;
	uint32_t agg;  /* the one that is written */
	uint32_t next; /* the least number after it */
};

static void put_row(void *ctx, const struct agg_value *x)
{
	struct rows *rows = ctx;
	struct csv_form *c = rows->c;

	if (!x->words)
		return;
	if (x->number > rows->agg && x->number < rows->next)
		rows->next = x->number;
	if (x->number != rows->agg)
		return;
	if (c->agg != x->number)
		put_header(c, x);
	if (hist_is(x->agg)) {
		put_buckets(c, x);
		return;
	}
	put_keys(c, x);
	put_signed(c, agg_value_number(x));
	if (c->has_shares)
		put_share(c, x);
	end_line(c);
}

static void put_rows(struct form *f, struct agg_view *v, const struct format *format,
		     uint64_t time)
{
	struct csv_form *c = csv_of(f);
	struct rows rows = {.c = c};

	(void)format;
	c->agg = NO_AGG;
	c->time = export_time(time);
	for (; rows.agg != NO_AGG; rows.agg = rows.next) {
		rows.next = NO_AGG;
		agg_view_each(v, put_row, &rows);
	}
}

static void no_newline(struct form *f)
{
	(void)f;
}

static void say_fault(struct form *f, const struct form_fault *x)
{
	out_message(csv_of(f)->base.config.out, "%s", x->text);
}

static void say_drop(struct form *f, const struct form_drop *x)
{
	out_message(csv_of(f)->base.config.out, "%s", x->text);
}

static void release(struct export_form *e)
{
	strbuf_release(&csv_of(&e->form)->cell);
}

static const struct form_ops ops = {
	.record_begin = begin_record,
	.record_end = end_record,
	.value = add_value,
	.formatted = add_formatted,
	.memory = add_memory,
	.typed = add_typed,
	.rows = put_rows,
	.newline = no_newline,
	.fault = say_fault,
	.drop = say_drop,
};

struct export_form *csv_form_new(const struct export_config *config)
{
	struct csv_form *c = oom_calloc(1, sizeof(*c));

	c->base = (struct export_form){
		.form = {&ops}, .config = *config, .release = release};
	return &c->base;
}
