/* SPDX-License-Identifier: MIT */
/*
 * Rows of one aggregation follow each other. They are collected, merged where their
 * labels are the same text, and written when the next aggregation begins.
 */
#include "tracer/export/openmetrics.h"
#include "tracer/base/text.h"
#include "tracer/export/export_form.h"
#include "tracer/export/metric_text.h"
#include "tracer/aggs/agg_view.h"
#include "tracer/consume/consume.h"
#include "tracer/aggs/hist.h"
#include "vm/agg.h"
#include "vm/base/hash.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/secret.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One set of labels and its value. */
struct sample_row {
	size_t labels; /* in texts */
	size_t value;  /* in words: 1, then the value as in the aggregation */
};

/* What is kept of an aggregation between pages. */
struct family {
	char *name;
	bool is_cut;	   /* the notice was printed */
	bool has_negative; /* the same for counts that no histogram can have */
	bool has_buckets;  /* the next two are set */
	/* Buckets that have counted something, and the one below: served from then on. */
	uint32_t first, last;
};

struct openmetrics {
	struct export_config config;
	struct consumer *consumer;
	struct family *families; /* by aggregation */
	uint32_t nfamilies;
	uint64_t salt; /* targets choose the labels */
	/* Of the page that is being made. */
	enum openmetrics_format format;
	struct strbuf *page;
	/* Of the aggregation that is being collected. */
	struct agg_value current; /* agg NULL: none */
	struct {
		struct sample_row *data;
		size_t len, cap;
	} rows;
	struct {
		uint64_t *data;
		size_t len, cap;
	} words;
	struct strbuf texts, text;
	struct map by_labels; /* hash -> number of the row */
	uint64_t left_out;
};

/* ---- names ---- */

static bool is_taken(const struct openmetrics *m, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (m->families[i].name && strcmp(m->families[i].name, name) == 0)
			return true;
	return false;
}

/* Aggregations of one name are variants of one; other names that clash get a _. */
static void name_families(struct openmetrics *m)
{
	for (uint32_t i = 0; i < m->nfamilies; i++) {
		const struct program_agg *a = program_agg(m->config.image, i);
		struct strbuf name = {0};

		if (a->variant_of)
			continue;
		metric_name(&name, program_string(m->config.image, a->name));
		while (is_taken(m, i, name.data))
			strbuf_putc(&name, '_');
		m->families[i].name = name.data;
	}
}

struct openmetrics *openmetrics_new(const struct export_config *config,
				    struct consumer *consumer)
{
	struct openmetrics *m = oom_calloc(1, sizeof(*m));

	m->config = *config;
	m->consumer = consumer;
	m->nfamilies = program_count(config->image, SECTION_AGG);
	m->families = oom_calloc(m->nfamilies + 1, sizeof(*m->families));
	m->salt = secret_number();
	name_families(m);
	return m;
}

void openmetrics_free(struct openmetrics *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nfamilies; i++)
		free(m->families[i].name);
	free(m->families);
	vec_release(&m->rows);
	vec_release(&m->words);
	strbuf_release(&m->texts);
	strbuf_release(&m->text);
	map_release(&m->by_labels);
	free(m);
}

/* ---- collecting ---- */

static void add_frame(void *ctx, const struct ustack_frame *f)
{
	export_add_frame(ctx, f);
}

/* The text of a key, not escaped. */
static void add_key(struct openmetrics *m, const struct tuple_value *v)
{
	const struct program_field *f = v->field;
	struct strbuf *to = &m->text;

	strbuf_reset(to);
	strbuf_puts(to, "");
	if (f->kind == KIND_INT && f->is_signed)
		strbuf_printf(to, "%" PRId64, (int64_t)v->number);
	else if (f->kind == KIND_INT)
		strbuf_printf(to, "%" PRIu64, v->number);
	else if (program_is_location(f) && ustack_is_stack(v) && m->config.ustack)
		ustack_fold(m->config.ustack, v, 0, to);
	else if (program_is_location(f))
		ustack_each(m->config.ustack, v, 0, add_frame, to);
	else if (f->show == SHOW_FLOAT)
		text_add_real(to, format_float(v));
	else if (f->show == SHOW_WIDE)
		format_wide(to, v);
	else if (f->kind == KIND_STR || export_is_text(m->config.image, f))
		strbuf_add(to, v->bytes, strnlen(v->bytes, v->len));
	else
		text_add_hex(to, v->bytes, v->len);
}

/* Appends key1="...",key2="..." and a NUL to the texts. */
static size_t add_labels(struct openmetrics *m, const struct agg_value *x)
{
	size_t at = m->texts.len, pos = 0;
	struct tuple_value key;

	for (uint32_t i = 0; agg_value_key(x, i, &pos, &key); i++) {
		add_key(m, &key);
		strbuf_printf(&m->texts, "%skey%" PRIu32 "=\"", i ? "," : "", i + 1);
		metric_label(&m->texts, m->text.data, m->text.len, m->salt);
		strbuf_putc(&m->texts, '"');
	}
	strbuf_putc(&m->texts, '\0');
	return at;
}

/* How many samples a row of the aggregation takes. */
static uint64_t samples_of(const struct openmetrics *m, const struct agg_value *x)
{
	const struct family *f = &m->families[x->number];

	if (!hist_is(x->agg))
		return 1;
	return f->has_buckets ? (uint64_t)f->last - f->first + 3 : 3;
}

static void add_row(struct openmetrics *m, const struct agg_value *x, size_t labels)
{
	*vec_push(&m->rows) =
		(struct sample_row){.labels = labels, .value = m->words.len};
	*vec_push(&m->words) = 1;
	for (uint32_t i = 0; i < x->agg->words; i++)
		*vec_push(&m->words) = x->words[i];
}

/* The buckets that are served: those between the first and the last that is used. */
static void widen(struct openmetrics *m, const struct agg_value *x)
{
	struct family *f = &m->families[x->number];

	for (uint32_t i = 0; i < x->agg->words; i++) {
		uint32_t low = i ? i - 1 : 0;

		if (!x->words[i])
			continue;
		f->first = !f->has_buckets || low < f->first ? low : f->first;
		f->last = !f->has_buckets || i > f->last ? i : f->last;
		f->has_buckets = true;
	}
}

static bool is_served(const struct agg_value *x)
{
	if (!hist_is(x->agg))
		return x->agg->func != AGG_count || agg_value_number(x) >= 0;
	for (uint32_t i = 0; i < x->agg->words; i++)
		if (hist_divide(x->words[i], x->factor) < 0)
			return false;
	return true;
}

static void collect(struct openmetrics *m, const struct agg_value *x)
{
	size_t labels = add_labels(m, x);
	const char *text = m->texts.data + labels;
	uint64_t hash = hash_bytes(text, strlen(text), m->salt), number;

	if (hist_is(x->agg))
		widen(m, x);
	if (map_get(&m->by_labels, hash, &number)) {
		struct sample_row *r = &m->rows.data[number];

		agg_merge(x->agg, m->words.data + r->value + 1, x->words);
		strbuf_cut(&m->texts, labels);
		return;
	}
	if ((m->rows.len + 1) * samples_of(m, x) > m->config.options->metricslimit) {
		strbuf_cut(&m->texts, labels);
		m->left_out++;
		return;
	}
	map_set(&m->by_labels, hash, m->rows.len);
	add_row(m, x, labels);
}

/* ---- writing ---- */

static const char *type_of(const struct agg_value *x)
{
	return hist_is(x->agg)		   ? "histogram"
	       : x->agg->func == AGG_count ? "counter"
					   : "gauge";
}

/* The old format has the suffix of a counter in the name of its family. */
static void put_head(struct openmetrics *m, const struct agg_value *x)
{
	const char *suffix = x->agg->func == AGG_count && m->format == OPENMETRICS_TEXT
				     ? "_total"
				     : "";
	const char *name = m->families[x->number].name;

	strbuf_printf(m->page, "# HELP %s%s %s() of @%s\n", name, suffix,
		      export_function(x->agg), x->name);
	strbuf_printf(m->page, "# TYPE %s%s %s\n", name, suffix, type_of(x));
}

static void put_buckets(struct openmetrics *m, const struct agg_value *x,
			const char *labels)
{
	const struct family *f = &m->families[x->number];
	const char *comma = *labels ? "," : "";
	uint64_t n = 0;

	for (uint32_t i = f->first; f->has_buckets && i <= f->last; i++) {
		struct bucket b = bucket_of(x->agg, i);

		n += (uint64_t)hist_divide(x->words[i], x->factor);
		if (!b.has_max)
			break;
		strbuf_printf(m->page, "%s_bucket{%s%sle=\"", f->name, labels, comma);
		metric_float(m->page, (double)b.max);
		strbuf_printf(m->page, "\"} %" PRIu64 "\n", n);
	}
	strbuf_printf(m->page, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", f->name,
		      labels, comma, n);
}

static void put_row(struct openmetrics *m, const struct agg_value *x,
		    const char *labels)
{
	if (hist_is(x->agg)) {
		put_buckets(m, x, labels);
		return;
	}
	strbuf_printf(m->page, "%s%s%s%s%s %" PRId64 "\n", m->families[x->number].name,
		      x->agg->func == AGG_count ? "_total" : "", *labels ? "{" : "",
		      labels, *labels ? "}" : "", agg_value_number(x));
}

static void say_left_out(struct openmetrics *m)
{
	struct family *f = &m->families[m->current.number];

	if (!m->left_out || f->is_cut)
		return;
	f->is_cut = true;
	out_message(m->config.out,
		    "metrics: @%s has more than %" PRIu64
		    " samples; the smallest rows are left out: raise -x metricslimit",
		    m->current.name, m->config.options->metricslimit);
}

/* Writes what was collected of an aggregation, and begins another. */
static void end_family(struct openmetrics *m)
{
	struct agg_value x = m->current;

	if (x.agg && m->rows.len)
		put_head(m, &x);
	for (size_t i = 0; i < m->rows.len; i++) {
		x.words = m->words.data + m->rows.data[i].value + 1;
		put_row(m, &x, m->texts.data + m->rows.data[i].labels);
	}
	if (x.agg)
		say_left_out(m);
	m->rows.len = m->words.len = 0;
	m->left_out = 0;
	strbuf_reset(&m->texts);
	map_release(&m->by_labels);
	m->current.agg = NULL;
}

static void say_negative(struct openmetrics *m, const struct agg_value *x)
{
	struct family *f = &m->families[x->number];

	if (f->has_negative)
		return;
	f->has_negative = true;
	out_message(m->config.out,
		    "metrics: rows of @%s with negative counts are left out", x->name);
}

static void take(void *ctx, const struct agg_value *x)
{
	struct openmetrics *m = ctx;

	if (!x->words)
		return;
	if (!m->current.agg || m->current.number != x->number) {
		end_family(m);
		m->current = *x;
	}
	if (is_served(x))
		collect(m, x);
	else
		say_negative(m, x);
}

void openmetrics_render(struct openmetrics *m, enum openmetrics_format format,
			struct strbuf *page)
{
	m->format = format;
	m->page = page;
	strbuf_reset(page);
	strbuf_puts(page, "");
	consumer_each_value(m->consumer, take, m);
	end_family(m);
	if (format == OPENMETRICS_1)
		strbuf_puts(page, "# EOF\n");
}
