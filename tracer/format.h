/* SPDX-License-Identifier: MIT */
/*
 * Formats of printf() and printa(): parsed once for each action, applied to
 * every record or element without allocating.
 */
#ifndef TRACER_FORMAT_H
#define TRACER_FORMAT_H

#include "tracer/out.h"
#include "vm/base/host/strbuf.h"
#include "vm/tuple.h"

struct ustack; /* ustack.h */

enum format_flag {
	FORMAT_LEFT = 1,   /* - */
	FORMAT_PLUS = 2,   /* + */
	FORMAT_SPACE = 4,  /* blank */
	FORMAT_ALT = 8,	   /* # */
	FORMAT_ZERO = 16,  /* 0 */
	FORMAT_GROUP = 32, /* ' */
	FORMAT_VALUE = 64, /* @: the aggregation's value, not a key */
	FORMAT_WIDE = 128, /* l or w before the letter */
};

/* Literal text (letter 0) or one conversion. */
struct format_item {
	char letter;
	uint8_t flags;
	bool has_width_arg, has_precision_arg; /* * */
	uint32_t width, precision;	       /* 0: none */
	const char *text;		       /* literal, in format.text */
	size_t len;
};

struct format {
	char *text;
	struct {
		struct format_item *data;
		size_t len, cap;
	} items;
};

/*
 * A conversion that does not parse stands for itself: the compiler has
 * refused those that a person wrote.
 */
void format_init(struct format *f, const char *text);
void format_release(struct format *f);

/* What a format is applied to: the values of a tuple, in order. */
struct format_args {
	const struct program_field *fields;
	uint32_t nfields;
	const void *data; /* the tuple, size bytes */
	size_t size;
	/* printa: prints the n-th value asked for with @, as item says. */
	void (*value)(void *ctx, uint32_t n, const struct format_item *item);
	void *ctx;
	struct strbuf *scratch; /* for escaped text; kept between calls */
	/* Names of addresses; ustack NULL: there are none. 0, 0 of a key. */
	struct ustack *ustack;
	uint64_t pid, time;
};

/* 0, or STATUS_BADFMT when the tuple holds less than the format asks for. */
int format_print(const struct format *f, const struct format_args *args, struct out *o);

/* The number that a value of SHOW_FLOAT is. */
long double format_float(const struct tuple_value *v);

/* One integer by a conversion: the low size bytes of v. */
void format_number(struct out *o, const struct format_item *item, uint64_t v,
		   const struct program_field *field);

#endif
