/* SPDX-License-Identifier: MIT */
/*
 * Translators, and the expressions that use them.
 */
#ifndef DLANG_CHECK_XLATE_H
#define DLANG_CHECK_XLATE_H

#include "dlang/check/check.h"

struct translator {
	const struct ast_translator *def;
	const struct type *out, *in;
	struct translator *next; /* newest first */
};

/* The extra of EXPR_XLATE, whose left has the input type of the translator. */
struct xlation {
	const struct translator *translator;
	bool is_pointer; /* xlate<T *>: only -> and * may use it */
};

/* The translator to out from the type of from, or a compatible one. NULL: none. */
const struct translator *xlate_find(struct dlang *d, const struct type *out,
				    const struct ast_expr *from);
/* Checks EXPR_XLATE: sets type and extra. */
int check_xlate(struct dlang *d, struct ast_expr *e);
/* Whether e is a translated pointer of type to (NULL: of any type). */
bool xlate_is_pointer(const struct ast_expr *e, const struct type *to);
/* Replaces e, a member of the checked EXPR_XLATE e->left, by its conversion. */
int xlate_member(struct dlang *d, struct ast_expr *e);
/* Replaces e, a dereferenced EXPR_XLATE, by the translated struct. */
int xlate_deref(struct dlang *d, struct ast_expr *e);
/* Reports D_CG_DYN if e is a translated pointer, where a value is required. */
int xlate_refuse(struct dlang *d, const struct ast_expr *e);
/* A checked copy of the conversion of a member of the EXPR_XLATE e. The translator has
 * one. NULL: an error is reported. */
struct ast_expr *xlate_conversion(struct dlang *d, const struct ast_expr *e,
				  const char *name);

#endif
