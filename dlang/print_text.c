/* SPDX-License-Identifier: MIT */
/* print(): the layout of the text, as DTrace has it. */
#include "dlang/print.h"

#include <ctype.h>

#define INDENT 4

static void indent(struct printer *p, uint32_t depth)
{
	strbuf_pad(p->out, ' ', (size_t)depth * INDENT);
}

static const char brackets[][2] = {
	[GROUP_MEMBERS] = {'{', '}'}, [GROUP_ARRAY] = {'[', ']'},
	[GROUP_CONTENT] = {'[', ']'}, [GROUP_PAIRS] = {'{', '}'},
	[GROUP_TUPLE] = {'(', ')'},   [GROUP_FIELDS] = {'{', '}'},
};

/* Whether blanks are inside of the brackets. */
static bool is_wide_group(const struct group *g)
{
	return !g->is_tall && g->kind != GROUP_TUPLE && g->kind != GROUP_FIELDS;
}

static void text_begin(struct printer *p, const struct group *g)
{
	strbuf_putc(p->out, brackets[g->kind][0]);
	if (g->is_tall && g->kind == GROUP_ARRAY)
		strbuf_putc(p->out, ' ');
	if (g->is_tall)
		strbuf_putc(p->out, '\n');
	else if (is_wide_group(g))
		strbuf_putc(p->out, ' ');
}

/* "TYPE NAME = "; no blank follows the star of a pointer. */
static void add_member_name(struct printer *p, const struct type_member *m)
{
	size_t n;

	print_type_name(p, m->type);
	n = p->out->len;
	if (m->name[0] && (n == 0 || p->out->data[n - 1] != '*'))
		strbuf_putc(p->out, ' ');
	strbuf_puts(p->out, m->name);
	if (m->nbits)
		strbuf_printf(p->out, " :%u", m->nbits);
	strbuf_puts(p->out, m->name[0] ? " = " : " ");
}

static void text_item(struct printer *p, struct group *g, const struct type_member *m,
		      const struct type *type)
{
	if (g->nitems++ && g->kind != GROUP_MEMBERS) {
		strbuf_putc(p->out, ',');
		if (!g->is_tall || g->kind == GROUP_ARRAY)
			strbuf_putc(p->out, ' ');
		if (g->is_tall)
			strbuf_putc(p->out, '\n');
	}
	if (g->is_tall)
		indent(p, g->depth + 1);
	if (g->kind == GROUP_MEMBERS) {
		add_member_name(p, m);
	} else if (g->kind == GROUP_FIELDS) {
		strbuf_puts(p->out, m->name);
		strbuf_puts(p->out, ": ");
	} else if (g->kind == GROUP_ARRAY && g->is_tall) {
		print_type_name(p, type);
		strbuf_putc(p->out, ' ');
	}
}

static void text_colon(struct printer *p)
{
	strbuf_puts(p->out, ": ");
}

static void text_item_end(struct printer *p, const struct group *g)
{
	if (g->kind == GROUP_MEMBERS)
		strbuf_putc(p->out, '\n');
}

static void text_end(struct printer *p, const struct group *g)
{
	if (g->is_tall) {
		if (g->kind != GROUP_MEMBERS)
			strbuf_putc(p->out, '\n');
		indent(p, g->depth);
	} else if (is_wide_group(g) && g->nitems) {
		strbuf_putc(p->out, ' ');
	}
	strbuf_putc(p->out, brackets[g->kind][1]);
}

static void text_variant(struct printer *p, const char *name, bool has_values)
{
	(void)has_values;
	strbuf_puts(p->out, name);
}

static void text_variant_end(struct printer *p, bool has_values)
{
	(void)p;
	(void)has_values;
}

static void text_pointee(struct printer *p, uint64_t address)
{
	strbuf_printf(p->out, "%#llx -> ", (unsigned long long)address);
}

static void text_leaf(struct printer *p, size_t from, bool is_number)
{
	(void)p;
	(void)from;
	(void)is_number;
}

/* DTrace does not escape quotes. */
static void text_text(struct printer *p, const unsigned char *bytes, size_t n,
		      bool is_cut)
{
	bool escapes = p->plan->is_wanted || p->is_natural;

	strbuf_putc(p->out, '"');
	for (size_t i = 0; i < n && !print_is_full(p); i++) {
		if (escapes && (bytes[i] == '"' || bytes[i] == '\\'))
			strbuf_printf(p->out, "\\%c", bytes[i]);
		else if (isprint(bytes[i]))
			strbuf_putc(p->out, (char)bytes[i]);
		else
			strbuf_printf(p->out, "\\%03o", bytes[i]);
	}
	strbuf_puts(p->out, is_cut ? "\"..." : "\"");
}

const struct print_form print_text_form = {
	.begin = text_begin,
	.item = text_item,
	.colon = text_colon,
	.item_end = text_item_end,
	.end = text_end,
	.variant = text_variant,
	.variant_end = text_variant_end,
	.pointee = text_pointee,
	.leaf = text_leaf,
	.text = text_text,
};
