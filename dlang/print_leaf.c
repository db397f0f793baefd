/* SPDX-License-Identifier: MIT */
/*
 * print(): values without parts. The classic text has all integers in hexadecimal; the
 * natural one has them in decimal with their sign, characters and truth values as such.
 */
#include "dlang/print.h"
#include "vm/base/text/decimal_point.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

uint64_t print_number_at(const struct subobject *at, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, at->bytes, size < sizeof(v) ? size : sizeof(v));
	return v;
}

/* ---- what integers stand for ---- */

bool print_is_char(const struct type *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT && t->size == 1 && t->is_signed;
}

/* Whether a type or one that it is a typedef of has one of the names. */
static bool is_called_any(const struct type *t, const char *const *names)
{
	for (;; t = t->base) {
		for (size_t i = 0; names[i]; i++)
			if (strcmp(t->name, names[i]) == 0)
				return true;
		if (t->kind != TYPE_ALIAS)
			return false;
	}
}

static bool is_truth(const struct type *t)
{
	static const char *const names[] = {"bool", "_Bool", NULL};

	return is_called_any(t, names);
}

/* A small number, of a type that shares its size with char. */
static bool is_small_number(const struct type *t)
{
	static const char *const names[] = {"signed char", "int8_t", "__int8_t", "i8",
					    "int8",	   "s8",     NULL};

	return is_called_any(t, names);
}

static bool is_wide_char(const struct type *t)
{
	static const char *const wide[] = {"char8_t", "char16_t", "char32_t", "wchar_t",
					   NULL};
	static const char *const rust[] = {"char", NULL};

	return is_called_any(t, wide) ||
	       (type_resolve(t)->size == 4 && is_called_any(t, rust));
}

/* The alias that makes bytes an integer of 16 bytes; NULL: none. */
static const struct type *find_wide(const struct type *t)
{
	while (t->kind == TYPE_ALIAS && !t->is_wide)
		t = t->base;
	return t->is_wide ? t : NULL;
}

/* ---- integers ---- */

static void print_char(struct printer *p, uint32_t c)
{
	if (c == '\0')
		strbuf_puts(p->out, "'\\0'");
	else if (c < 0x80 && isprint((int)c))
		strbuf_printf(p->out, "'%c'", (char)c);
	else if (c <= 0xff)
		strbuf_printf(p->out, "'\\%03o'", c);
	else
		strbuf_printf(p->out, "'\\u{%x}'", c);
}

/* bits from the lowest on; the type is an integer or an enum. */
static int64_t extended(uint64_t v, unsigned bits, bool is_signed)
{
	unsigned shift = bits && bits < 64 ? 64 - bits : 0;

	return is_signed ? (int64_t)(v << shift) >> shift
			 : (int64_t)(v << shift >> shift);
}

static void print_decimal(struct printer *p, uint64_t v, unsigned bits, bool is_signed)
{
	int64_t wide = extended(v, bits, is_signed);

	if (is_signed)
		strbuf_printf(p->out, "%lld", (long long)wide);
	else
		strbuf_printf(p->out, "%llu", (unsigned long long)wide);
}

/* An integer of so many bits, of the type as it was declared. True: a number. */
static bool print_natural(struct printer *p, const struct type *named, uint64_t v,
			  unsigned bits)
{
	const struct type *t = type_resolve(named);

	if (is_truth(named) && v <= 1) {
		strbuf_puts(p->out, v ? "true" : "false");
		return true;
	}
	if (is_wide_char(named)) {
		print_char(p, (uint32_t)v);
		return false;
	}
	if (print_is_char(t) && bits == 8 && !is_small_number(named)) {
		print_char(p, (unsigned char)v);
		return false;
	}
	print_decimal(p, v, bits, t->is_signed);
	return true;
}

static bool print_int(struct printer *p, const struct subobject *at)
{
	uint64_t v = print_number_at(at, at->n);

	if (p->is_natural)
		return print_natural(p, at->named, v, 8 * (unsigned)at->n);
	if (print_is_char(at->type)) {
		print_char(p, (unsigned char)v);
		return false;
	}
	strbuf_printf(p->out, "%#llx", (unsigned long long)v);
	return true;
}

static void print_wide_decimal(struct printer *p, uint128 v)
{
	char digits[40];
	size_t n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	strbuf_add(p->out, digits + n, sizeof(digits) - n);
}

/* An integer of 16 bytes. */
static void print_wide(struct printer *p, const struct subobject *at, bool is_signed)
{
	uint128 v;

	memcpy(&v, at->bytes, sizeof(v));
	if (!p->is_natural) {
		if (v >> 64)
			strbuf_printf(p->out, "%#llx%016llx",
				      (unsigned long long)(v >> 64),
				      (unsigned long long)v);
		else
			strbuf_printf(p->out, "%#llx", (unsigned long long)v);
		return;
	}
	if (is_signed && v >> 127) {
		strbuf_putc(p->out, '-');
		v = -v;
	}
	print_wide_decimal(p, v);
}

/* ---- floating point ---- */

static long double float_at(const struct subobject *at)
{
	long double wide;
	double d;
	float f;

	if (at->n >= 16) {
		memcpy(&wide, at->bytes, sizeof(wide));
		return wide;
	}
	if (at->n >= 8) {
		memcpy(&d, at->bytes, sizeof(d));
		return (long double)d;
	}
	memcpy(&f, at->bytes, sizeof(f));
	return (long double)f;
}

static void print_classic_float(struct printer *p, long double v, size_t size)
{
	if (size >= 16)
		strbuf_printf(p->out, "%+.16LE", v);
	else
		strbuf_printf(p->out, "%+.7e", (double)v);
}

static bool is_exact(const char *digits, long double v, size_t size)
{
	if (size >= 16)
		return strtold(digits, NULL) == v;
	if (size >= 8)
		return strtod(digits, NULL) == (double)v;
	return strtof(digits, NULL) == (float)v;
}

/* The fewest digits that tell the value from all others of its type, with a point. */
static bool print_float(struct printer *p, const struct subobject *at)
{
	const long double v = float_at(at);
	char digits[64];

	if (!p->is_natural) {
		print_classic_float(p, v, at->n);
		return false;
	}
	for (int precision = 6; precision <= 21; precision++) {
		snprintf(digits, sizeof(digits), "%.*Lg", precision, v);
		if (!isfinite(v) || is_exact(digits, v, at->n))
			break;
	}
	decimal_point_set(digits);
	strbuf_puts(p->out, digits);
	return isfinite(v);
}

/* ---- enums and pointers ---- */

/* True: a number, as no enumerator has it. */
static bool print_enumerator(struct printer *p, const struct type *t, uint64_t raw,
			     unsigned bits)
{
	int64_t v = extended(raw, bits, t->is_signed);

	for (const struct type_member *m = t->members; m; m = m->next) {
		if (m->value == v) {
			strbuf_puts(p->out, m->name);
			return false;
		}
	}
	strbuf_printf(p->out, "%lld", (long long)v);
	return true;
}

static void print_pointer(struct printer *p, const struct subobject *at)
{
	const struct dlang_value *v = p->value;
	uint64_t address = print_number_at(at, at->n);

	if (type_resolve(at->type->base)->kind == TYPE_FUNC && v->symbol &&
	    v->symbol(v->ctx, address, p->out))
		return;
	strbuf_printf(p->out, "%#llx", (unsigned long long)address);
}

/* ---- any ---- */

static void print_string(struct printer *p, const struct subobject *at)
{
	p->form->text(p, at->bytes, strnlen((const char *)at->bytes, at->n), false);
}

void print_leaf(struct printer *p, const struct subobject *at)
{
	const struct type *wide = find_wide(at->named);
	size_t from = p->out->len;
	bool is_number = false;

	if (wide && at->n >= 16) {
		print_wide(p, at, wide->is_signed);
		/* a string, as what reads JSON has numbers of 8 bytes at most */
		p->form->leaf(p, from, false);
		return;
	}
	switch (at->type->kind) {
	case TYPE_STRING:
		print_string(p, at);
		return;
	case TYPE_ENUM:
		is_number = print_enumerator(p, at->type,
					     at->n ? print_number_at(at, at->n) : 0,
					     8 * (unsigned)min_u64(at->n, 8));
		break;
	case TYPE_VOID: /* the unit of Rust, which has no bytes */
		strbuf_puts(p->out, p->is_natural ? "()" : "0");
		break;
	case TYPE_FLOAT:
		is_number = print_float(p, at);
		break;
	case TYPE_POINTER:
		print_pointer(p, at);
		break;
	default:
		is_number = print_int(p, at);
	}
	p->form->leaf(p, from, is_number);
}

void print_bits(struct printer *p, const struct type_member *m,
		const struct subobject *at)
{
	const struct type *t = type_resolve(m->type);
	uint64_t v = print_number_at(at, at->n) >> m->bit;
	size_t from = p->out->len;
	bool is_number = true;

	v = (uint64_t)extended(v, m->nbits, false);
	if (!p->is_natural)
		strbuf_printf(p->out, "%#llx", (unsigned long long)v);
	else if (t->kind == TYPE_ENUM)
		is_number = print_enumerator(p, t, v, m->nbits);
	else
		is_number = print_natural(p, m->type, v, m->nbits);
	p->form->leaf(p, from, is_number);
}
