/* SPDX-License-Identifier: MIT */
/*
 * Formats of printf() and printa(): parsed once for each action, applied to
 * every record or element without allocating.
 */
#ifndef TRACER_OUTPUT_FORMAT_H
#define TRACER_OUTPUT_FORMAT_H

#include "tracer/output/format_item.h"
#include "tracer/output/out.h"
#include "tracer/trust/path_check.h"
#include "vm/base/host/strbuf.h"
#include "vm/tuple.h"

struct ustack; /* ustack.h */

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

/* Whether a conversion has this letter. */
bool format_has(const struct format *f, char letter);

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
	/* Not NULL: gets what conversions have printed, as positions in out.buffer of an
	 * out with is_text, without that of the fields whose bit of literals is set. */
	struct path_spans *spans;
	uint64_t literals;
};

/* 0, or STATUS_BADFMT when the tuple holds less than the format asks for. */
int format_print(const struct format *f, const struct format_args *args, struct out *o);

/* The number that a value of SHOW_FLOAT is. */
long double format_float(const struct tuple_value *v);

/* Appends the text of a value of SHOW_WIDE, as UTF-8. */
void format_wide(struct strbuf *to, const struct tuple_value *v);

/* Whether a conversion shows a floating-point number. */
bool format_is_real(const struct format_item *item);
/* A floating-point number by such a conversion; scratch: as of struct format_args. */
void format_real(struct out *o, const struct format_item *item, struct strbuf *scratch,
		 long double x);
/* Text by a conversion of any letter: its width, its precision. */
void format_text(struct out *o, const struct format_item *item, const char *s,
		 size_t n);

/* One integer by a conversion: the low size bytes of v. */
void format_number(struct out *o, const struct format_item *item, uint64_t v,
		   const struct program_field *field);

#endif
