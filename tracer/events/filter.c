/* SPDX-License-Identifier: MIT */
#include "tracer/events/filter.h"
#include "vm/base/host/vec.h"

#include <inttypes.h>
#include <string.h>

#define TERMS_MAX 256
#define TESTS_MAX 64   /* of a filter: each takes time in the kernel */
#define BYTES_MAX 4000 /* of its text: the kernel takes less than a page */
#define QUOTE_MAX 200  /* of a text in it: 255 */

/* ---- making ---- */

void filter_release(struct filter *f)
{
	vec_release(&f->terms);
	f->passes_all = false;
}

void filter_pass_all(struct filter *f)
{
	filter_release(f);
	f->passes_all = true;
}

/* The same but for is_not. */
static bool is_about_same(const struct filter_test *a, const struct filter_test *b)
{
	return strcmp(a->field, b->field) == 0 && a->op == b->op &&
	       a->value == b->value && !a->text == !b->text &&
	       (!a->text || strcmp(a->text, b->text) == 0);
}

static const struct filter_test *find(const struct filter_term *t,
				      const struct filter_test *test)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (is_about_same(&t->tests[i], test))
			return &t->tests[i];
	return NULL;
}

/* Two values of one field. */
static bool is_contradiction(const struct filter_test *a, const struct filter_test *b)
{
	return strcmp(a->field, b->field) == 0 && a->op == FILTER_EQ &&
	       b->op == FILTER_EQ && !a->is_not && !b->is_not && a->value != b->value;
}

bool filter_term_add(struct filter_term *t, const struct filter_test *test)
{
	const struct filter_test *same = find(t, test);

	if (same)
		return same->is_not == test->is_not;
	for (uint32_t i = 0; i < t->n; i++)
		if (is_contradiction(&t->tests[i], test))
			return false;
	if (t->n < FILTER_TERM_MAX)
		t->tests[t->n++] = *test;
	return true;
}

/* Whether t has each test of of, except may be one. */
static bool has_all(const struct filter_term *t, const struct filter_term *of,
		    const struct filter_test *except)
{
	for (uint32_t i = 0; i < of->n; i++) {
		const struct filter_test *test = &of->tests[i], *same = find(t, test);

		if (test != except && (!same || same->is_not != test->is_not))
			return false;
	}
	return true;
}

static bool has_weaker(const struct filter *f, const struct filter_term *t)
{
	for (size_t i = 0; i < f->terms.len; i++)
		if (has_all(t, &f->terms.data[i], NULL))
			return true;
	return false;
}

void filter_add(struct filter *f, const struct filter_term *t)
{
	if (f->passes_all || has_weaker(f, t))
		return;
	if (t->n == 0 || f->terms.len >= TERMS_MAX)
		filter_pass_all(f);
	else
		*vec_push(&f->terms) = *t;
}

/* ---- simplifying ---- */

/* a && x || b && !x, where b has all of a: b needs no !x. */
static bool is_needless(const struct filter *f, size_t b,
			const struct filter_test * not )
{
	const struct filter_term *term = &f->terms.data[b];

	for (size_t a = 0; a < f->terms.len; a++) {
		const struct filter_test *x = find(&f->terms.data[a], not );

		if (a != b && x && x->is_not != not ->is_not &&
		    has_all(term, &f->terms.data[a], x))
			return true;
	}
	return false;
}

static bool drop_test(struct filter *f, size_t b)
{
	struct filter_term *t = &f->terms.data[b];

	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_needless(f, b, &t->tests[i]))
			continue;
		memmove(&t->tests[i], &t->tests[i + 1],
			(--t->n - i) * sizeof(*t->tests));
		return true;
	}
	return false;
}

/* a || a && b is a. */
static bool drop_term(struct filter *f, size_t b)
{
	for (size_t a = 0; a < f->terms.len; a++) {
		if (a == b || !has_all(&f->terms.data[b], &f->terms.data[a], NULL))
			continue;
		memmove(&f->terms.data[b], &f->terms.data[b + 1],
			(--f->terms.len - b) * sizeof(*f->terms.data));
		return true;
	}
	return false;
}

static void simplify(struct filter *f)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		for (size_t i = 0; i < f->terms.len; i++)
			while (drop_test(f, i))
				has_changed = true;
		for (size_t i = f->terms.len; i-- > 0;)
			has_changed |= drop_term(f, i);
	}
	for (size_t i = 0; i < f->terms.len; i++)
		if (f->terms.data[i].n == 0) {
			filter_pass_all(f);
			return;
		}
}

/* ---- text ---- */

bool filter_can_quote(const char *text)
{
	size_t n = 0;

	for (; text[n]; n++)
		if (text[n] < ' ' || text[n] > '~' || strchr("\"*?[]\\!", text[n]))
			return false;
	return n > 0 && n <= QUOTE_MAX;
}

static void put_value(const struct filter_test *t, struct strbuf *out)
{
	if (t->is_signed)
		strbuf_printf(out, "%" PRId64, (int64_t)t->value);
	else
		strbuf_printf(out, "%" PRIu64, t->value);
}

static void put_test(const struct filter_test *t, struct strbuf *out)
{
	static const char *const words[2][FILTER_BITS] = {
		{"==", "<", "<="},
		{"!=", ">=", ">"},
	};

	switch (t->op) {
	case FILTER_TEXT:
		strbuf_printf(out, "%s %s \"%s\"", t->field,
			      t->is_not ? "!=" : "==", t->text);
		return;
	case FILTER_PART:
		strbuf_printf(out, t->is_not ? "!(%s ~ \"*%s*\")" : "%s ~ \"*%s*\"",
			      t->field, t->text);
		return;
	case FILTER_BITS:
		strbuf_printf(out, t->is_not ? "!(%s & " : "%s & ", t->field);
		put_value(t, out);
		strbuf_puts(out, t->is_not ? ")" : "");
		return;
	default:
		strbuf_printf(out, "%s %s ", t->field, words[t->is_not][t->op]);
		put_value(t, out);
	}
}

static void put_term(const struct filter_term *t, bool is_alone, struct strbuf *out)
{
	bool has_parentheses = t->n > 1 && !is_alone;

	strbuf_puts(out, has_parentheses ? "(" : "");
	for (uint32_t i = 0; i < t->n; i++) {
		strbuf_puts(out, i ? " && " : "");
		put_test(&t->tests[i], out);
	}
	strbuf_puts(out, has_parentheses ? ")" : "");
}

bool filter_text(struct filter *f, struct strbuf *out)
{
	struct strbuf text = {0};
	size_t ntests = 0;
	bool is_taken;

	if (!f->passes_all)
		simplify(f);
	if (f->passes_all || f->terms.len == 0)
		return false;
	for (size_t i = 0; i < f->terms.len; i++) {
		ntests += f->terms.data[i].n;
		strbuf_puts(&text, i ? " || " : "");
		put_term(&f->terms.data[i], f->terms.len == 1, &text);
	}
	is_taken = ntests <= TESTS_MAX && text.len <= BYTES_MAX;
	if (is_taken)
		strbuf_puts(out, text.data);
	strbuf_release(&text);
	return is_taken;
}
