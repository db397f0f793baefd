/* SPDX-License-Identifier: MIT */
/*
 * Prints rows of aggregations: the default layout, its styles (agghist, aggpack) and
 * the formats of printa().
 */
#include "tracer/aggs/agg_table.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/output/ustack.h"
#include "tracer/output/value.h"

static int64_t number_of(const struct agg_view *v, const struct row *r, uint32_t agg)
{
	return agg_view_scalar(agg_of(v, agg), column_at(v, r, agg), v->factors[agg]);
}

/* ---- shares: option aggshare ---- */

static bool has_share(const struct agg_view *v, uint32_t agg)
{
	return v->config.options->aggshare && agg_adds_up(agg_of(v, agg));
}

/* There is none of a total that is not positive. */
static void print_share(const struct agg_view *v, const struct row *r, uint32_t agg)
{
	const struct agg_value x = agg_view_value(v, r, agg);
	double percent;

	if (agg_value_share(&x, &percent))
		out_printf(v->config.out, " %6.2f%%", percent);
}

/* What the shares of the rows above are shares of. */
static void print_totals(const struct agg_view *v, uint32_t group)
{
	uint32_t n = v->ncolumns ? v->ncolumns : 1;
	bool is_first = true;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t agg = v->ncolumns ? v->aggs[i] : group;

		if (!has_share(v, agg))
			continue;
		out_printf(v->config.out, "%s%lld", is_first ? "  " : ", ",
			   (long long)hist_divide((uint64_t)v->totals[agg],
						  v->factors[agg]));
		is_first = false;
	}
	if (!is_first)
		out_puts(v->config.out, " in all\n");
}

static void print_value(const struct agg_view *v, const struct row *r, uint32_t agg)
{
	const struct program_agg *a = agg_of(v, agg);
	const uint64_t *column = column_at(v, r, agg);
	struct hist h = {a, column + 1, v->factors[agg]};

	if (hist_is(a)) {
		hist_print(v->config.out, &h, v->config.options);
		return;
	}
	out_putc(v->config.out, ' ');
	out_int(v->config.out, number_of(v, r, agg), 16);
	if (has_share(v, agg))
		print_share(v, r, agg);
}

static void print_keys(const struct agg_view *v, const struct row *r,
		       void (*print)(struct out *o, const struct tuple_value *value,
				     const struct options *opt))
{
	const struct program_agg *a = agg_of(v, r->keys);
	struct tuple_value value;
	size_t pos = 0;

	for (uint32_t i = 0; i < a->nkeys; i++) {
		if (tuple_next(key_at(v, r), r->key_size, &pos,
			       program_field(v->config.image, a->first_key + i),
			       &value))
			return;
		if (v->config.ustack && program_is_location(value.field))
			ustack_print(v->config.ustack, v->config.out, &value, 0,
				     v->config.options);
		else
			print(v->config.out, &value, v->config.options);
	}
}

/* Whether the row's numbers have a folded form: a stack among the keys, no histogram. */
static bool is_folded(const struct agg_view *v, const struct row *r)
{
	const struct agg_value x = agg_view_value(v, r, r->group);

	if (v->config.options->stackformat != STACKFORMAT_FOLDED ||
	    !agg_value_has_stack(&x))
		return false;
	for (uint32_t i = 0; i < v->ncolumns; i++)
		if (hist_is(agg_of(v, v->aggs[i])))
			return false;
	return !hist_is(x.agg);
}

/* A line for a stack, with the values of all columns at its end. */
static void print_folded(struct agg_view *v, const struct row *r)
{
	struct agg_value x = agg_view_value(v, r, r->group);
	uint32_t n = v->ncolumns ? v->ncolumns : 1;

	strbuf_reset(&v->scratch);
	if (!agg_value_fold(&x, v->config.ustack, &v->scratch))
		return;
	for (uint32_t i = 0; i < n; i++) {
		x = agg_view_value(v, r, v->ncolumns ? v->aggs[i] : r->group);
		strbuf_printf(&v->scratch, " %lld", (long long)agg_value_number(&x));
	}
	strbuf_putc(&v->scratch, '\n');
	out_write(v->config.out, v->scratch.data, v->scratch.len);
}

static void print_default(struct agg_view *v, const struct row *r)
{
	if (is_folded(v, r)) {
		print_folded(v, r);
		return;
	}
	print_keys(v, r, value_print_key);
	if (v->ncolumns == 0)
		print_value(v, r, r->group);
	for (uint32_t i = 0; i < v->ncolumns; i++)
		print_value(v, r, v->aggs[i]);
	out_putc(v->config.out, '\n');
}

/* ---- styles: the measures of one aggregation's rows ---- */

enum style { STYLE_ROWS, STYLE_BARS, STYLE_PACK };

struct styled {
	enum style style;
	uint32_t agg;
	struct hist_scale scale;
	struct hist_pack pack;
};

static enum style style_of(const struct agg_view *v, uint32_t agg)
{
	const struct options *opt = v->config.options;
	const struct program_agg *a = agg_of(v, agg);

	if (v->ncolumns > 1 || opt->stackformat == STACKFORMAT_FOLDED)
		return STYLE_ROWS;
	if (opt->agghist && (a->func == AGG_count || a->func == AGG_sum))
		return STYLE_BARS;
	if (opt->aggpack && hist_packs(a))
		return STYLE_PACK;
	return STYLE_ROWS;
}

static unsigned keys_width(const struct agg_view *v, uint32_t agg)
{
	const struct program_agg *a = agg_of(v, agg);
	unsigned width = 0;

	for (uint32_t i = 0; i < a->nkeys; i++)
		width += 1 + value_narrow_width(
				     program_field(v->config.image, a->first_key + i));
	return width;
}

static void print_style_header(const struct agg_view *v, const struct styled *s)
{
	unsigned width = keys_width(v, s->agg);

	if (s->style == STYLE_PACK)
		hist_pack_header(v->config.out, &s->pack, width);
	else if (width)
		hist_header(v->config.out, "key", width);
	else
		hist_header(v->config.out, "value", 16);
}

/* Measures the rows of the aggregation that begin at first, and prints the header. */
static void begin_style(struct agg_view *v, size_t first, struct styled *s)
{
	uint32_t agg = v->rows.data[first].group;

	*s = (struct styled){.agg = agg, .style = style_of(v, agg)};
	s->pack.agg = agg_of(v, agg);
	if (s->style == STYLE_ROWS)
		return;
	for (size_t i = first; i < v->rows.len && v->rows.data[i].group == agg; i++) {
		const uint64_t *column = column_at(v, &v->rows.data[i], agg);

		if (s->style == STYLE_PACK)
			hist_pack_add(&s->pack, column + 1);
		else
			hist_scale_add(&s->scale, column[1]);
	}
	s->scale.is_single = s->style == STYLE_BARS;
	hist_scale_finish(&s->scale, v->config.options);
	hist_pack_finish(&s->pack);
	print_style_header(v, s);
}

static void print_styled(struct agg_view *v, const struct styled *s,
			 const struct row *r)
{
	struct out *o = v->config.out;
	const uint64_t *column = column_at(v, r, s->agg);
	struct hist h = {agg_of(v, s->agg), column + 1, v->factors[s->agg]};

	if (s->style == STYLE_ROWS) {
		print_default(v, r);
		return;
	}
	print_keys(v, r, value_print_narrow_key);
	if (s->style == STYLE_PACK) {
		hist_pack_row(o, &s->pack, &h, v->config.options);
		return;
	}
	out_putc(o, ' ');
	hist_bar(o, &s->scale, column[1]);
	out_printf(o, "%-9lld\n", (long long)hist_divide(column[1], h.factor));
}

/* ---- formats ---- */

/* The current row, for format_print(). */
struct row_context {
	struct agg_view *v;
	const struct row *row;
};

/* %@f: what has no share is a dash. */
static void format_share(struct agg_view *v, const struct agg_value *x,
			 const struct format_item *item)
{
	double percent;

	if (agg_value_share(x, &percent))
		format_real(v->config.out, item, &v->scratch, (long double)percent);
	else
		format_text(v->config.out, item, "-", 1);
}

/* The n-th %@ is the n-th aggregation; further ones are the last. */
static void print_formatted(void *ctx, uint32_t n, const struct format_item *item)
{
	static const struct program_field is_signed = {.is_signed = 1, .size = 8};
	static const struct program_field is_unsigned = {.size = 8};
	const struct row_context *c = ctx;
	struct agg_view *v = c->v;
	uint32_t agg = v->aggs[min_u64(n, v->ncolumns - 1)];
	const struct agg_value x = agg_view_value(v, c->row, agg);
	const struct program_agg *a = agg_of(v, agg);
	const uint64_t *column = column_at(v, c->row, agg);
	struct hist h = {a, column + 1, v->factors[agg]};

	if (format_is_real(item))
		format_share(v, &x, item);
	else if (hist_is(a))
		hist_print(v->config.out, &h, v->config.options);
	else
		format_number(v->config.out, item,
			      (uint64_t)agg_view_scalar(a, column, h.factor),
			      a->func == AGG_count ? &is_unsigned : &is_signed);
}

static void print_by_format(struct agg_view *v, const struct row *r,
			    const struct format *f)
{
	const struct program_agg *a = agg_of(v, r->keys);
	struct row_context ctx = {.v = v, .row = r};
	struct format_args args = {
		.fields = program_field(v->config.image, a->first_key),
		.nfields = a->nkeys,
		.data = key_at(v, r),
		.size = r->key_size,
		.value = print_formatted,
		.ctx = &ctx,
		.scratch = &v->scratch,
		.ustack = v->config.ustack,
	};

	if (format_print(f, &args, v->config.out))
		out_message(v->config.out, "malformed key of aggregation @%s",
			    program_string(v->config.image, a->name));
}

/* Whether no further row belongs to the same aggregations. */
static bool is_last(const struct agg_view *v, size_t i)
{
	return i + 1 == v->rows.len ||
	       v->rows.data[i + 1].group != v->rows.data[i].group;
}

void agg_view_print_rows(struct agg_view *v, const struct format *format)
{
	struct styled s = {.agg = AGG_ABSENT};

	for (size_t i = 0; i < v->rows.len; i++) {
		const struct row *r = &v->rows.data[i];

		if (format) {
			print_by_format(v, r, format);
			continue;
		}
		if (r->group != s.agg)
			begin_style(v, i, &s);
		print_styled(v, &s, r);
		if (s.style == STYLE_ROWS && is_last(v, i) && !is_folded(v, r))
			print_totals(v, r->group);
	}
}
