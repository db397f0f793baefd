/* SPDX-License-Identifier: MIT */
/*
 * Formats of printf() and printa() at compile time: the conversions and what
 * values they want. Formatting itself happens in the consumer.
 */
#ifndef DLANG_CHECK_PRINTF_H
#define DLANG_CHECK_PRINTF_H

#include "dlang/base/session.h"

struct printf_conv {
	char name[8]; /* prefix and letter: "lld" */
	bool has_agg; /* flag @ */
	bool star_width, star_precision;
	struct printf_conv *next;
};

struct printf_format {
	struct printf_conv *convs;
	uint32_t nconvs;
};

/* NULL when the format was reported as wrong. */
struct printf_format *printf_parse(struct dlang *d, const struct ast_expr *text);

/* %s and the like: the value is recorded as text, also where it is a char *. */
bool printf_is_text(const struct printf_conv *c);
/* %p and the like: of an array its address is recorded. */
bool printf_is_address(const struct printf_conv *c);

/*
 * Types of values against conversions. For printf the values are the call's
 * arguments behind the format; for printa the keys of the aggregations.
 */
struct printf_values {
	const char *func;
	const struct ast_pos *pos;
	const struct type **types;
	uint32_t count;
	uint32_t first; /* number of the first value in messages */
	bool has_aggs;
};
int printf_check(struct dlang *d, const struct printf_format *f,
		 const struct printf_values *v);

#endif
