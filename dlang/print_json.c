/* SPDX-License-Identifier: MIT */
/*
 * print(): a value as JSON. Structs are objects, arrays and containers are arrays, a map
 * is an array of [key, value]. A variant is an object of one member, or its name if it
 * has no values. Bytes that are no valid text become \xNN, as in all JSON of dtrace.
 */
#include "dlang/print.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/text/utf8.h"

static bool is_object(const struct group *g)
{
	return g->kind == GROUP_MEMBERS || g->kind == GROUP_FIELDS;
}

static void add_char(struct strbuf *out, char c)
{
	if (c == '"' || c == '\\')
		strbuf_putc(out, '\\');
	if ((unsigned char)c < 0x20)
		strbuf_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
	else
		strbuf_putc(out, c);
}

static void add_quoted(struct strbuf *out, const char *s, size_t n)
{
	strbuf_putc(out, '"');
	while (n) {
		uint32_t c;
		size_t len = utf8_decode(s, n, &c);

		if (len > 1)
			strbuf_add(out, s, len);
		else if (!len || (n > 1 && s[0] == '\\' && s[1] == 'x'))
			strbuf_printf(out, "\\\\x%02x", (unsigned)(unsigned char)s[0]);
		else
			add_char(out, s[0]);
		len = len ? len : 1;
		s += len;
		n -= len;
	}
	strbuf_putc(out, '"');
}

/* Quotes what was added from `from` on. */
static void quote_from(struct strbuf *out, size_t from)
{
	struct strbuf plain = {0};

	strbuf_add(&plain, out->data + from, out->len - from);
	strbuf_cut(out, from);
	add_quoted(out, plain.data, plain.len);
	strbuf_release(&plain);
}

static void json_begin(struct printer *p, const struct group *g)
{
	strbuf_putc(p->out, is_object(g) ? '{' : '[');
}

/* A base class has the name of its type. */
static void add_key(struct printer *p, const struct type_member *m)
{
	static const char word[] = "struct ";
	size_t from = p->out->len;

	if (m->name[0]) {
		add_quoted(p->out, m->name, strlen(m->name));
	} else {
		const char *name = m->type->name;

		if (strncmp(name, word, sizeof(word) - 1) == 0)
			name += sizeof(word) - 1;
		strbuf_puts(p->out, name);
		quote_from(p->out, from);
	}
	strbuf_putc(p->out, ':');
}

static void json_item(struct printer *p, struct group *g, const struct type_member *m,
		      const struct type *type)
{
	(void)type;
	if (g->nitems++)
		strbuf_putc(p->out, ',');
	if (is_object(g))
		add_key(p, m);
	else if (g->kind == GROUP_PAIRS)
		strbuf_putc(p->out, '[');
}

static void json_colon(struct printer *p)
{
	strbuf_putc(p->out, ',');
}

static void json_item_end(struct printer *p, const struct group *g)
{
	if (g->kind == GROUP_PAIRS)
		strbuf_putc(p->out, ']');
}

static void json_end(struct printer *p, const struct group *g)
{
	strbuf_putc(p->out, is_object(g) ? '}' : ']');
}

static void json_variant(struct printer *p, const char *name, bool has_values)
{
	if (has_values)
		strbuf_putc(p->out, '{');
	add_quoted(p->out, name, strlen(name));
	if (has_values)
		strbuf_putc(p->out, ':');
}

static void json_variant_end(struct printer *p, bool has_values)
{
	if (has_values)
		strbuf_putc(p->out, '}');
}

static void json_pointee(struct printer *p, uint64_t address)
{
	(void)p;
	(void)address;
}

/* What reads JSON has signed numbers of 8 bytes: an unsigned one may not fit. */
static bool is_too_large(const char *digits)
{
	return digits[0] != '-' && strlen(digits) >= strlen("9223372036854775808") &&
	       !strpbrk(digits, ".e") && strtoull(digits, NULL, 10) > INT64_MAX;
}

static void json_leaf(struct printer *p, size_t from, bool is_number)
{
	if (!is_number || is_too_large(p->out->data + from))
		quote_from(p->out, from);
}

static void json_text(struct printer *p, const unsigned char *bytes, size_t n,
		      bool is_cut)
{
	size_t from = p->out->len;

	strbuf_add(p->out, bytes, n);
	if (is_cut)
		strbuf_puts(p->out, "...");
	quote_from(p->out, from);
}

const struct print_form print_json_form = {
	.flattens = true,
	.begin = json_begin,
	.item = json_item,
	.colon = json_colon,
	.item_end = json_item_end,
	.end = json_end,
	.variant = json_variant,
	.variant_end = json_variant_end,
	.pointee = json_pointee,
	.leaf = json_leaf,
	.text = json_text,
};
