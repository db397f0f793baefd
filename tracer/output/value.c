/* SPDX-License-Identifier: MIT */
/*
 * Default layouts. Integers have the sign of their static type. A string is text by its
 * type; other bytes are text only if they look like it.
 */
#include "tracer/output/value.h"
#include "tracer/output/format.h"

#include <ctype.h>

#define TRACE_TEXT_WIDTH  33
#define KEY_TEXT_WIDTH	  50
#define NARROW_TEXT_WIDTH 16
#define DUMP_COLUMNS	  16

/* Columns of an integer of this size in a default layout: 3, 5, 8 or 16. */
static unsigned width_of(uint32_t size)
{
	switch (size) {
	case 1:
		return 3;
	case 2:
		return 5;
	case 4:
		return 8;
	default:
		return 16;
	}
}

/* An integer of a default layout, with the sign of its type; width 0: bare. */
static void print_int(struct out *o, const struct tuple_value *v, size_t width)
{
	if (v->field->is_signed)
		out_int(o, (int64_t)v->number, width);
	else
		out_unsigned(o, v->number, width);
}

static void dump_line(struct out *o, const unsigned char *p, size_t n, size_t offset)
{
	out_printf(o, "     %5zx:", offset);
	for (size_t i = 0; i < n; i++)
		out_printf(o, " %02x", p[i]);
	out_pad(o, ' ', (DUMP_COLUMNS - n) * 3 + 2);
	for (size_t i = 0; i < n; i++)
		out_putc(o, p[i] >= 0x20 && p[i] <= 0x7e ? (char)p[i] : '.');
	out_putc(o, '\n');
}

void value_dump(struct out *o, const char *bytes, size_t n)
{
	if (!n)
		return;
	out_puts(o, "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  "
		    "0123456789abcdef\n");
	for (size_t i = 0; i < n; i += DUMP_COLUMNS)
		dump_line(o, (const unsigned char *)bytes + i,
			  min_u64(n - i, DUMP_COLUMNS), i);
}

static bool is_text_byte(unsigned char c)
{
	return isprint(c) || isspace(c) || c == '\b' || c == '\a';
}

/* The length of the text, if the bytes are text; else false. */
static bool bytes_are_text(const char *p, size_t n, size_t *len)
{
	size_t i = 0;

	while (i < n && is_text_byte((unsigned char)p[i]))
		i++;
	*len = i;
	if (n == 0 || i == n)
		return true;
	if (i == 0)
		return false;
	while (i < n && p[i] == '\0')
		i++;
	return i == n;
}

/* Text in "  %-WIDTHs", or bare when width is 0. */
static void print_text(struct out *o, const char *s, size_t n, size_t width)
{
	if (width)
		out_pad(o, ' ', 2);
	out_text(o, s, n, width, true);
}

static void print_bytes(struct out *o, const struct tuple_value *v, size_t width,
			bool raw)
{
	size_t n;

	if (v->field->kind == KIND_STR && !raw)
		print_text(o, v->bytes, strnlen(v->bytes, v->len), width);
	else if (!raw && bytes_are_text(v->bytes, v->len, &n))
		print_text(o, v->bytes, n, n == v->len && n ? TRACE_TEXT_WIDTH : width);
	else
		value_dump(o, v->bytes, v->len);
}

/* A floating-point number is as wide as a 64-bit integer. */
static void print_float(struct out *o, const struct tuple_value *v, bool is_bare)
{
	if (is_bare)
		out_printf(o, "%Lg", format_float(v));
	else
		out_printf(o, " %16Lg", format_float(v));
}

void value_print(struct out *o, const struct tuple_value *v, const struct options *opt)
{
	if (v->field->show == SHOW_FLOAT && v->bytes) {
		print_float(o, v, opt->quiet != 0);
		return;
	}
	if (v->field->kind != KIND_INT) {
		print_bytes(o, v, opt->quiet ? 0 : TRACE_TEXT_WIDTH, opt->rawbytes);
		return;
	}
	if (!opt->quiet)
		out_putc(o, ' ');
	print_int(o, v, opt->quiet ? 0 : width_of(v->field->size));
}

void value_print_key(struct out *o, const struct tuple_value *v,
		     const struct options *opt)
{
	size_t n = 0;

	if (v->field->kind == KIND_INT) {
		out_putc(o, ' ');
		print_int(o, v, width_of(v->field->size));
	} else if (v->field->kind == KIND_STR && !opt->rawbytes) {
		print_text(o, v->bytes, strnlen(v->bytes, v->len), KEY_TEXT_WIDTH);
	} else if (!opt->rawbytes && bytes_are_text(v->bytes, v->len, &n)) {
		print_text(o, v->bytes, n, KEY_TEXT_WIDTH);
	} else {
		value_dump(o, v->bytes, v->len);
	}
}

unsigned value_narrow_width(const struct program_field *f)
{
	return f->kind == KIND_INT ? width_of(f->size) : NARROW_TEXT_WIDTH;
}

void value_print_narrow_key(struct out *o, const struct tuple_value *v,
			    const struct options *opt)
{
	if (v->field->kind != KIND_STR) {
		value_print_key(o, v, opt);
		return;
	}
	out_putc(o, ' ');
	out_text(o, v->bytes, strnlen(v->bytes, v->len), NARROW_TEXT_WIDTH, false);
}
