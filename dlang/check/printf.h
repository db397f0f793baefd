/* SPDX-License-Identifier: MIT */
/*
 * Formats of printf() and printa() at compile time: parses them, and checks the types of
 * the values. The consumer does the formatting.
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

/* Parses a string literal. NULL: an error is reported. */
struct printf_format *printf_parse(struct dlang *d, const struct ast_expr *text);

/* Whether the value is recorded as text, even if it is a char *: %s. */
bool printf_is_text(const struct printf_conv *c);
/* Whether the address of an array is recorded: %p, %a. */
bool printf_is_address(const struct printf_conv *c);

/*
 * The values of a format: of printf() the arguments after the format, of printa() the
 * keys of the aggregations.
 */
struct printf_values {
	const char *func;
	const struct ast_pos *pos;
	const struct type **types;
	const struct ast_expr *values; /* a list as long as types; NULL: keys */
	uint32_t count;
	uint32_t first;		     /* number of the first value in messages */
	const struct ast_expr *aggs; /* of printa(), a list; NULL: of another action */
};
/* Checks their number and types against the conversions. */
int printf_check(struct dlang *d, const struct printf_format *f,
		 const struct printf_values *v);

#endif
