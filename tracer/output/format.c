/* SPDX-License-Identifier: MIT */
/*
 * printf() in the consumer. It does not use printf(3): the size and sign of an integer
 * come from the record, a precision of 0 means none, and at a million records a second
 * formats must not be parsed again.
 */
#include "tracer/output/format.h"
#include "tracer/output/ustack.h"
#include "vm/base/fmt.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"
#include "vm/base/status.h"
#include "vm/tuple.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_SEC    1000000000
#define POINTER_WIDTH 16      /* the ? flag */
#define WIDTH_MAX     1000000 /* of *, whose value may come from the target */

/* The remaining arguments while one format is printed. */
struct cursor {
	const struct format_args *args;
	struct out *o;
	size_t pos;
	uint32_t field, nvalues;
};

/* ---- parsing ---- */

static uint8_t flag_of(char c)
{
	static const char letters[] = "-+ #0'@";
	const char *p = c ? strchr(letters, c) : NULL;

	return (uint8_t)(p ? 1u << (p - letters) : 0);
}

static const char *parse_flags(const char *p, struct format_item *item)
{
	for (;; p++) {
		if (*p == '?')
			item->width = POINTER_WIDTH;
		else if (flag_of(*p))
			item->flags |= flag_of(*p);
		else
			return p;
	}
}

/* A decimal number or * at p. */
static const char *parse_amount(const char *p, uint32_t *amount, bool *is_arg)
{
	if (*p == '*') {
		*is_arg = true;
		return p + 1;
	}
	if (isdigit((unsigned char)*p))
		*amount = 0;
	for (; isdigit((unsigned char)*p); p++)
		if (*amount <= INT32_MAX / 10 - 1)
			*amount = *amount * 10 + (uint32_t)(*p - '0');
	return p;
}

/* A width or precision, and the flags that may follow it. */
static const char *parse_part(const char *p, struct format_item *item, bool is_width)
{
	if (is_width)
		p = parse_amount(p, &item->width, &item->has_width_arg);
	else
		p = parse_amount(p, &item->precision, &item->has_precision_arg);
	return parse_flags(p, item);
}

/*
 * Parses the conversion at p, after a %. Returns what follows, NULL if it is no
 * conversion.
 */
static const char *parse_conversion(const char *p, struct format_item *item)
{
	*item = (struct format_item){0};
	p = parse_part(parse_flags(p, item), item, true);
	if (*p == '.')
		p = parse_part(p + 1, item, false);
	for (; *p && strchr("hlLw", *p); p++)
		if (*p == 'l' || *p == 'w')
			item->flags |= FORMAT_WIDE;
	if (!*p || !strchr("aAcCdeEfgGiokpqsSTuxXY", *p))
		return NULL;
	item->letter = *p;
	item->is_plain = strchr("diuxs", *p) && !(item->flags & ~FORMAT_WIDE) &&
			 !item->width && !item->precision && !item->has_width_arg &&
			 !item->has_precision_arg;
	return p + 1;
}

static void add_literal(struct format *f, const char *text, size_t len)
{
	if (len)
		*vec_push(&f->items) = (struct format_item){.text = text, .len = len};
}

void format_init(struct format *f, const char *text)
{
	const char *p, *start, *next;
	struct format_item item;
	size_t size = strlen(text) + 1;

	*f = (struct format){0};
	f->text = memcpy(oom_realloc(NULL, size), text, size);
	start = f->text;
	for (p = strchr(start, '%'); p; p = strchr(p, '%')) {
		if (p[1] == '%') {
			add_literal(f, start, (size_t)(p + 1 - start));
			start = p = p + 2;
			continue;
		}
		next = parse_conversion(p + 1, &item);
		if (next) {
			add_literal(f, start, (size_t)(p - start));
			*vec_push(&f->items) = item;
			start = next;
		}
		p = next ? next : p + 1;
	}
	add_literal(f, start, strlen(start));
}

void format_release(struct format *f)
{
	free(f->text);
	vec_release(&f->items);
	f->text = NULL;
}

bool format_has(const struct format *f, char letter)
{
	for (size_t i = 0; i < f->items.len; i++)
		if (f->items.data[i].letter == letter)
			return true;
	return false;
}

/* ---- integers ---- */

static uint64_t zero_extend(uint64_t v, uint32_t size)
{
	return size >= 8 ? v : v & ((UINT64_C(1) << size * 8) - 1);
}

static int64_t sign_extend(uint64_t v, uint32_t size)
{
	unsigned shift = size >= 8 ? 0 : 64 - size * 8;

	return (int64_t)(v << shift) >> shift;
}

static unsigned base_of(char letter)
{
	switch (letter) {
	case 'o':
		return 8;
	case 'x':
	case 'X':
	case 'p':
		return 16;
	default:
		return 10;
	}
}

static const char *prefix_of(const struct format_item *item, bool is_negative,
			     uint64_t v)
{
	if (is_negative)
		return "-";
	if (item->letter == 'i')
		return item->flags & FORMAT_PLUS    ? "+"
		       : item->flags & FORMAT_SPACE ? " "
						    : "";
	if (!(item->flags & FORMAT_ALT) || !v || base_of(item->letter) == 10)
		return "";
	return item->letter == 'o' ? "0" : item->letter == 'X' ? "0X" : "0x";
}

/* Writes the digits of v into buf, grouped by the locale if asked for. */
static size_t make_digits(char *buf, size_t cap, const struct format_item *item,
			  uint64_t v)
{
	size_t n;

	if (item->flags & FORMAT_GROUP && base_of(item->letter) == 10)
		return (size_t)snprintf(buf, cap, "%'" PRIu64, v);
	n = fmt_u64(buf, v, base_of(item->letter));
	if (item->letter == 'X')
		for (size_t i = 0; i < n; i++)
			buf[i] = (char)toupper((unsigned char)buf[i]);
	return n;
}

static void put_integer(struct out *o, const struct format_item *item,
			uint64_t magnitude, bool is_negative)
{
	char digits[FMT_MAX * 2];
	const char *prefix = prefix_of(item, is_negative, magnitude);
	size_t nprefix = strlen(prefix);
	size_t n = make_digits(digits, sizeof(digits), item, magnitude);
	size_t zeros = item->precision > n ? item->precision - n : 0;
	size_t total, blanks;

	if (*prefix == '0' && item->letter == 'o' && zeros)
		zeros--;
	total = nprefix + zeros + n;
	blanks = item->width > total ? item->width - total : 0;
	if (item->flags & FORMAT_ZERO && !(item->flags & FORMAT_LEFT) &&
	    !item->precision) {
		zeros += blanks;
		blanks = 0;
	}
	if (blanks && !(item->flags & FORMAT_LEFT))
		out_pad(o, ' ', blanks);
	out_write(o, prefix, nprefix);
	if (zeros)
		out_pad(o, '0', zeros);
	out_write(o, digits, n);
	if (blanks && item->flags & FORMAT_LEFT)
		out_pad(o, ' ', blanks);
}

/* ---- text ---- */

void format_text(struct out *o, const struct format_item *item, const char *s, size_t n)
{
	if (item->precision && item->precision < n)
		n = item->precision;
	if (item->flags & FORMAT_ALT)
		out_name(o, s, n, item->width, item->flags & FORMAT_LEFT);
	else if (item->width > n)
		out_field(o, s, n, item->width, item->flags & FORMAT_LEFT);
	else
		out_write(o, s, n);
}

/* UTF-8 of a wide character; U+FFFD for an invalid one. */
static size_t encode_wide(char *buf, uint32_t c)
{
	if (c < 0x80) {
		buf[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		buf[0] = (char)(0xc0 | c >> 6);
		buf[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x10000) {
		buf[0] = (char)(0xe0 | c >> 12);
		buf[1] = (char)(0x80 | (c >> 6 & 0x3f));
		buf[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	buf[0] = (char)(0xf0 | c >> 18);
	buf[1] = (char)(0x80 | (c >> 12 & 0x3f));
	buf[2] = (char)(0x80 | (c >> 6 & 0x3f));
	buf[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void put_char(struct out *o, const struct format_item *item, uint64_t v)
{
	char buf[4];
	size_t n = 1;

	buf[0] = (char)v;
	if (item->flags & FORMAT_WIDE)
		n = encode_wide(buf, (uint32_t)v);
	out_field(o, buf, n, item->width, item->flags & FORMAT_LEFT);
}

/* One byte as a C string literal shows it. */
static size_t escape_byte(char *buf, unsigned char c)
{
	static const char special[] = "\a\b\f\n\r\t\v\"\\";
	static const char letters[] = "abfnrtv\"\\";
	const char *p = c ? strchr(special, c) : NULL;

	if (p || !c) {
		buf[0] = '\\';
		buf[1] = p ? letters[p - special] : '0';
		return 2;
	}
	if (c >= 0x20 && c < 0x7f) {
		buf[0] = (char)c;
		return 1;
	}
	buf[0] = '\\';
	buf[1] = (char)('0' + (c >> 6));
	buf[2] = (char)('0' + (c >> 3 & 7));
	buf[3] = (char)('0' + (c & 7));
	return 4;
}

/* The characters packed into an integer, most significant first: 'ab' is 0x6162. */
static void put_escaped_chars(struct out *o, const struct format_item *item, uint64_t v,
			      uint32_t size)
{
	char text[8 * 4];
	size_t n = 0;

	v = zero_extend(v, size);
	for (int shift = 56; shift >= 0; shift -= 8)
		if (v >> shift || shift == 0)
			n += escape_byte(text + n, (unsigned char)(v >> shift));
	format_text(o, item, text, n);
}

static void put_escaped_text(struct out *o, const struct format_item *item,
			     struct strbuf *scratch, const struct tuple_value *v)
{
	char one[4];

	strbuf_reset(scratch);
	for (uint32_t i = 0; i < v->len; i++)
		strbuf_add(scratch, one, escape_byte(one, (unsigned char)v->bytes[i]));
	format_text(o, item, scratch->data, scratch->len);
}

/*
 * One word for a shell: in single quotes nothing has a meaning but the quote, which is
 * written as '\''. A precision counts bytes of the text, so that the quotes stay.
 */
static void put_quoted_text(struct out *o, const struct format_item *item,
			    struct strbuf *scratch, const struct tuple_value *v)
{
	uint32_t n = v->len;

	if (item->precision)
		n = min_u32(n, item->precision);
	strbuf_reset(scratch);
	strbuf_putc(scratch, '\'');
	for (uint32_t i = 0; i < n; i++) {
		if (v->bytes[i] == '\'')
			strbuf_puts(scratch, "'\\'");
		strbuf_putc(scratch, v->bytes[i]);
	}
	strbuf_putc(scratch, '\'');
	out_field(o, scratch->data, scratch->len, item->width,
		  item->flags & FORMAT_LEFT);
}

/* The second that the time lies in, also before 1970. */
static time_t seconds_of(int64_t ns)
{
	return ns / NS_PER_SEC - (ns % NS_PER_SEC < 0);
}

static void put_time(struct out *o, const struct format_item *item, uint64_t ns)
{
	time_t seconds = seconds_of((int64_t)ns);
	char text[128];
	struct tm tm;
	size_t n;

	localtime_r(&seconds, &tm);
	if (item->letter == 'Y')
		n = strftime(text, sizeof(text), "%Y %b %e %T", &tm);
	else
		n = strftime(text, sizeof(text), "%a, %d %b %G %T %Z", &tm);
	format_text(o, item, text, n);
}

/* Without names of addresses: prints the address itself. */
static void put_address(struct out *o, const struct format_item *item, uint64_t v)
{
	char text[FMT_MAX + 2] = "0x";
	size_t n = 2 + fmt_u64(text + 2, v, 16);

	format_text(o, item, text, n);
}

/* ---- floating point ---- */

bool format_is_real(const struct format_item *item)
{
	return item->letter && strchr("eEfgG", item->letter);
}

long double format_float(const struct tuple_value *v)
{
	long double wide = 0;
	double d;
	float f;

	switch (v->len) {
	case sizeof(f):
		memcpy(&f, v->bytes, sizeof(f));
		return (long double)f;
	case sizeof(d):
		memcpy(&d, v->bytes, sizeof(d));
		return (long double)d;
	case sizeof(wide):
		memcpy(&wide, v->bytes, sizeof(wide));
		return wide;
	default:
		return 0;
	}
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the conversion is made here */

/* Uses printf(3), but a precision of 0 means none, as everywhere in D. */
void format_real(struct out *o, const struct format_item *item, struct strbuf *scratch,
		 long double x)
{
	static const char flags[] = "-+ #0'";
	char conversion[16] = "%", *p = conversion + 1;
	int width = (int)item->width, precision = (int)item->precision;

	for (size_t i = 0; flags[i]; i++)
		if (item->flags & 1u << i)
			*p++ = flags[i];
	*p++ = '*';
	if (precision) {
		*p++ = '.';
		*p++ = '*';
	}
	*p++ = 'L';
	*p++ = item->letter;
	*p = '\0';
	strbuf_reset(scratch);
	if (precision)
		strbuf_printf(scratch, conversion, width, precision, x);
	else
		strbuf_printf(scratch, conversion, width, x);
	out_write(o, scratch->data, scratch->len);
}

#pragma GCC diagnostic pop

/* ---- conversions ---- */

/* %d of an unsigned type is %u, which has no sign flags. */
static void put_number(struct out *o, const struct format_item *item, uint64_t v,
		       const struct program_field *field)
{
	int64_t i = sign_extend(v, field->size);
	struct format_item own = *item;

	if (own.letter == 'd')
		own.letter = field->is_signed ? 'i' : 'u';
	if (own.letter != 'i')
		put_integer(o, &own, zero_extend(v, field->size), false);
	else
		put_integer(o, &own, i < 0 ? -(uint64_t)i : (uint64_t)i, i < 0);
}

void format_number(struct out *o, const struct format_item *item, uint64_t v,
		   const struct program_field *field)
{
	uint64_t u = zero_extend(v, field->size);

	switch (item->letter) {
	case 'c':
		put_char(o, item, v);
		break;
	case 'C':
		put_escaped_chars(o, item, v, field->size);
		break;
	case 'T':
	case 'Y':
		put_time(o, item, u);
		break;
	case 'a':
	case 'A':
	case 'q':
	case 's':
	case 'S':
		put_address(o, item, u);
		break;
	default:
		put_number(o, item, v, field);
	}
}

/* An array of wchar_t, up to its first 0. */
void format_wide(struct strbuf *to, const struct tuple_value *v)
{
	char one[4];
	uint32_t c;

	for (size_t i = 0; i + sizeof(c) <= v->len; i += sizeof(c)) {
		memcpy(&c, v->bytes + i, sizeof(c));
		if (!c)
			break;
		strbuf_add(to, one, encode_wide(one, c));
	}
}

static void put_wide_text(struct out *o, const struct format_item *item,
			  struct strbuf *scratch, const struct tuple_value *v)
{
	strbuf_reset(scratch);
	format_wide(scratch, v);
	format_text(o, item, scratch->data, scratch->len);
}

static bool is_wide(const struct format_item *item, const struct tuple_value *v)
{
	return item->flags & FORMAT_WIDE && v->field->kind == KIND_BYTES &&
	       v->field->show == SHOW_WIDE;
}

static void put_value(struct cursor *c, const struct format_item *item,
		      const struct tuple_value *v)
{
	struct tuple_value text = *v;

	if (c->args->ustack && strchr("aAk", item->letter)) {
		const struct ustack_place place = {c->args->pid, c->args->time};

		ustack_format(c->args->ustack, c->o, item, v, &place);
		return;
	}
	if (v->field->show == SHOW_FLOAT && v->bytes) {
		format_real(c->o, item, c->args->scratch, format_float(v));
		return;
	}
	if (is_wide(item, v)) {
		put_wide_text(c->o, item, c->args->scratch, v);
		return;
	}
	if (v->field->kind == KIND_INT) {
		format_number(c->o, item, v->number, v->field);
		return;
	}
	text.len = (uint32_t)strnlen(v->bytes, v->len);
	if (item->letter == 'S')
		put_escaped_text(c->o, item, c->args->scratch, &text);
	else if (item->letter == 'q')
		put_quoted_text(c->o, item, c->args->scratch, &text);
	else
		format_text(c->o, item, text.bytes, text.len);
}

static int next_value(struct cursor *c, struct tuple_value *v)
{
	const struct format_args *a = c->args;

	if (c->field >= a->nfields)
		return STATUS_BADFMT;
	return tuple_next(a->data, a->size, &c->pos, &a->fields[c->field++], v);
}

/* A * amount: the next value, an int. Negative widths justify left. */
static int next_amount(struct cursor *c, struct format_item *item, bool is_width)
{
	struct tuple_value v;
	int rc = next_value(c, &v);
	int64_t n;

	if (rc)
		return rc;
	n = v.field->kind == KIND_INT ? (int32_t)v.number : 0;
	if (!is_width) {
		item->precision = n < 0 ? 0 : (uint32_t)min_u64((uint64_t)n, WIDTH_MAX);
		return 0;
	}
	if (n < 0)
		item->flags |= FORMAT_LEFT;
	item->width = (uint32_t)min_u64((uint64_t)(n < 0 ? -n : n), WIDTH_MAX);
	return 0;
}

static int print_conversion(struct cursor *c, const struct format_item *fixed)
{
	struct format_item item = *fixed;
	struct tuple_value v;
	int rc = 0;

	if (item.has_width_arg)
		rc = next_amount(c, &item, true);
	if (!rc && item.has_precision_arg)
		rc = next_amount(c, &item, false);
	if (rc)
		return rc;
	if (item.flags & FORMAT_VALUE && c->args->value) {
		c->args->value(c->args->ctx, c->nvalues++, &item);
		return 0;
	}
	rc = next_value(c, &v);
	if (!rc)
		put_value(c, &item, &v);
	return rc;
}

static void put_plain_number(struct out *o, char *to, char letter, uint64_t v,
			     const struct program_field *field)
{
	if (letter == 'i' || (letter == 'd' && field->is_signed))
		out_add(o, fmt_i64(to, sign_extend(v, field->size)));
	else
		out_add(o, fmt_u64(to, zero_extend(v, field->size), base_of(letter)));
}

/* The value is a string, of which the length is there. False: nothing was done. */
static bool print_plain_text(struct cursor *c)
{
	const char *data = (const char *)c->args->data + c->pos;
	uint64_t size;
	uint32_t n;

	memcpy(&n, data, sizeof(n));
	size = align_up(sizeof(n) + (uint64_t)n, 8);
	if (size > c->args->size - c->pos)
		return false;
	c->pos += size;
	c->field++;
	data += sizeof(n);
	out_write(c->o, data, strnlen(data, n));
	return true;
}

/*
 * A plain conversion of a number, or of a string by %s, which most are. False: nothing
 * was done.
 */
static bool print_plain(struct cursor *c, const struct format_item *item)
{
	const struct format_args *a = c->args;
	const struct program_field *field = &a->fields[c->field];
	char *to = out_room(c->o, FMT_MAX + 1);
	uint64_t v;

	if (!to || c->field >= a->nfields || c->pos + sizeof(v) > a->size)
		return false;
	if (item->letter == 's')
		return field->kind == KIND_STR && print_plain_text(c);
	if (field->kind != KIND_INT || !field->size)
		return false;
	memcpy(&v, (const char *)a->data + c->pos, sizeof(v));
	c->pos += sizeof(v);
	c->field++;
	put_plain_number(c->o, to, item->letter, v, field);
	return true;
}

/* Where the conversion, whose value is the last one taken, has put its text. */
static void add_span(const struct format_args *args, const struct cursor *c,
		     size_t from)
{
	bool is_own = c->field - 1 < 64 && args->literals >> (c->field - 1) & 1;

	if (!is_own)
		*vec_push(args->spans) = (struct path_span){from, c->o->len};
}

int format_print(const struct format *f, const struct format_args *args, struct out *o)
{
	struct cursor c = {.args = args, .o = o};
	int rc = 0;

	for (size_t i = 0; i < f->items.len && !rc; i++) {
		const struct format_item *item = &f->items.data[i];
		size_t from = o->len;

		if (!item->letter) {
			out_write(o, item->text, item->len);
			continue;
		}
		if (!item->is_plain || !print_plain(&c, item))
			rc = print_conversion(&c, item);
		if (args->spans)
			add_span(args, &c, from);
	}
	return rc;
}
