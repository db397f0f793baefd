/* SPDX-License-Identifier: MIT */
#include "cmd/diff_table.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/text/shown.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static char *text_of_keys(const json_t *keys)
{
	char *text = json_dumps(keys, JSON_COMPACT | JSON_ENSURE_ASCII);
	size_t n = text ? strlen(text) : 0;
	struct strbuf inner = {0};

	strbuf_puts(&inner, "");
	if (n > 2) /* without the brackets */
		strbuf_add(&inner, text + 1, n - 2);
	free(text);
	return inner.data;
}

static char *text_of_name(const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *function = json_string_value(json_object_get(row, "function"));
	struct strbuf text = {0};

	strbuf_printf(&text, "@%s, %s", strcmp(name, "_") ? name : "", function);
	return text.data;
}

static void add(struct diff_table *t, const json_t *row, int which, long long n)
{
	struct diff_row *new = vec_push(t);

	*new = (struct diff_row){.name = text_of_name(row),
				 .keys = text_of_keys(json_object_get(row, "keys")),
				 .lowest = LLONG_MIN,
				 .number = t->len};
	new->value[which] = (struct diff_value){true, n};
}

/* The bounds are included; null is none. */
static void add_bucket(struct diff_table *t, const json_t *row, int which,
		       const json_t *bucket)
{
	const json_t *min = json_object_get(bucket, "min");
	const json_t *max = json_object_get(bucket, "max");
	struct strbuf label = {0};
	struct diff_row *last;

	add(t, row, which, json_integer_value(json_object_get(bucket, "count")));
	last = &t->data[t->len - 1];
	if (json_is_integer(min)) {
		last->lowest = json_integer_value(min);
		strbuf_printf(&label, "%lld", last->lowest);
	} else {
		strbuf_printf(&label, "to %lld", json_integer_value(max));
	}
	last->label = label.data;
}

/* Before them a row without values: it tells that there may be none. */
static void add_buckets(struct diff_table *t, const json_t *row, int which,
			const json_t *buckets)
{
	const size_t first = t->len;

	add(t, row, which, 0);
	t->data[first].label = oom_strdup("");
	for (size_t i = 0; i < json_array_size(buckets); i++)
		add_bucket(t, row, which, json_array_get(buckets, i));
	for (size_t i = first; i < t->len; i++)
		t->data[i].print = first;
}

static bool is_row(const json_t *row)
{
	return json_is_string(json_object_get(row, "name")) &&
	       json_is_string(json_object_get(row, "function")) &&
	       json_is_array(json_object_get(row, "keys")) &&
	       (json_is_number(json_object_get(row, "value")) ||
		json_is_array(json_object_get(row, "buckets")));
}

/* False: it is no row of an aggregation as -O json prints it. */
static bool add_row(struct diff_table *t, const json_t *row, int which)
{
	const json_t *value = json_object_get(row, "value");
	const json_t *buckets = json_object_get(row, "buckets");

	if (!is_row(row))
		return false;
	if (value) {
		add(t, row, which, (long long)json_number_value(value));
		if (json_is_integer(value))
			t->data[t->len - 1].value[which].n = json_integer_value(value);
	}
	if (buckets)
		add_buckets(t, row, which, buckets);
	return true;
}

static bool add_line(struct diff_table *t, const char *line, int which)
{
	/* "%c" prints any character */
	json_t *object = json_loads(line, JSON_ALLOW_NUL, NULL);
	const char *type = json_string_value(json_object_get(object, "type"));
	bool is_good = type != NULL;

	if (is_good && strcmp(type, "aggregation") == 0)
		is_good = add_row(t, object, which);
	json_decref(object);
	return is_good;
}

int diff_table_read(struct diff_table *t, int which, FILE *file, struct strbuf *why)
{
	char *line = NULL;
	unsigned number = 0;
	size_t cap = 0;
	int rc = 0;

	while (!rc && getline(&line, &cap, file) > 0) {
		number++;
		if (add_line(t, line, which))
			continue;
		strbuf_printf(why, "line %u is not one of -O json", number);
		rc = -1;
	}
	if (!rc && !number) {
		strbuf_puts(why, "it is empty");
		rc = -1;
	}
	free(line);
	return rc;
}

/* ---- joining ---- */

static int compare_places(const struct diff_row *a, const struct diff_row *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = !a->label - !b->label;
	if (!order)
		order = strcmp(a->keys, b->keys);
	if (!order)
		order = (a->lowest > b->lowest) - (a->lowest < b->lowest);
	return order;
}

/* Of rows of the same place the later one is behind. */
static int compare_rows(const void *x, const void *y)
{
	const struct diff_row *a = x, *b = y;
	int order = compare_places(a, b);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool is_same_histogram(const struct diff_row *a, const struct diff_row *b)
{
	return a->label && b->label && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->keys, b->keys) == 0;
}

/* Of n rows, which are one histogram, those that its last print does not have. */
static void forget_earlier(struct diff_row *rows, size_t n)
{
	for (int which = 0; which < DIFF_FILES; which++) {
		size_t last = 0;

		for (size_t i = 0; i < n; i++)
			if (rows[i].value[which].is_there)
				last = max_u64(last, rows[i].print);
		for (size_t i = 0; i < n; i++)
			if (rows[i].print < last || !*rows[i].label)
				rows[i].value[which] = (struct diff_value){0};
	}
}

/* Buckets that clear() has emptied before a histogram was printed again. */
static void forget_emptied(struct diff_table *t)
{
	for (size_t i = 0, n; i < t->len; i += n) {
		n = 1;
		while (i + n < t->len &&
		       is_same_histogram(&t->data[i], &t->data[i + n]))
			n++;
		if (t->data[i].label)
			forget_earlier(&t->data[i], n);
	}
}

static void release_row(struct diff_row *r)
{
	free(r->name);
	free(r->keys);
	free(r->label);
}

/* Rows of the same place become one; of each file the last value counts. */
static void join(struct diff_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->len; i++) {
		struct diff_row *row = &t->data[i];

		if (n == 0 || compare_places(&t->data[n - 1], row) != 0) {
			t->data[n++] = *row;
			continue;
		}
		for (int which = 0; which < DIFF_FILES; which++)
			if (row->value[which].is_there)
				t->data[n - 1].value[which] = row->value[which];
		release_row(row);
	}
	t->len = n;
}

/* Rows without any value go. */
static void drop_empty(struct diff_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->len; i++)
		if (t->data[i].value[0].is_there || t->data[i].value[1].is_there)
			t->data[n++] = t->data[i];
		else
			release_row(&t->data[i]);
	t->len = n;
}

static unsigned long long change_of(const struct diff_row *r)
{
	unsigned long long a = (unsigned long long)r->value[0].n;
	unsigned long long b = (unsigned long long)r->value[1].n;

	return r->value[0].n > r->value[1].n ? a - b : b - a;
}

static int compare_changes(const void *x, const void *y)
{
	const struct diff_row *a = x, *b = y;
	unsigned long long p = change_of(a), q = change_of(b);
	int order = strcmp(a->name, b->name);

	if (order || a->label || b->label)
		return order ? order : compare_rows(x, y);
	if (p != q)
		return p < q ? 1 : -1;
	return strcmp(a->keys, b->keys);
}

void diff_table_join(struct diff_table *t)
{
	if (!t->len)
		return;
	qsort(t->data, t->len, sizeof(*t->data), compare_rows);
	forget_emptied(t);
	join(t);
	drop_empty(t);
	if (t->len)
		qsort(t->data, t->len, sizeof(*t->data), compare_changes);
}

/* ---- printing ---- */

static void print_value(const struct diff_value *v, FILE *out)
{
	if (v->is_there)
		fprintf(out, " %16lld", v->n);
	else
		fprintf(out, " %16s", "-");
}

static void print_row(const struct diff_row *r, FILE *out)
{
	char change[32];

	snprintf(change, sizeof(change), "%s%llu",
		 r->value[0].n == r->value[1].n	 ? ""
		 : r->value[0].n > r->value[1].n ? "-"
						 : "+",
		 change_of(r));
	print_value(&r->value[0], out);
	print_value(&r->value[1], out);
	shown_printf(out, " %16s  %s\n", change, r->label ? r->label : r->keys);
}

void diff_table_print(const struct diff_table *t, FILE *out)
{
	const struct diff_row *before = NULL;

	for (size_t i = 0; i < t->len; i++) {
		const struct diff_row *r = &t->data[i];
		bool is_new = !before || strcmp(before->name, r->name) != 0;

		if (is_new)
			fprintf(out, "%s%s\n %16s %16s %16s\n", before ? "\n" : "",
				r->name, "A", "B", "CHANGE");
		if (r->label && *r->keys &&
		    (is_new || strcmp(before->keys, r->keys) != 0))
			shown_printf(out, "%54s%s\n", "", r->keys);
		print_row(r, out);
		before = r;
	}
}

void diff_table_release(struct diff_table *t)
{
	for (size_t i = 0; i < t->len; i++)
		release_row(&t->data[i]);
	vec_release(t);
}
