/* SPDX-License-Identifier: MIT */
/*
 * Translators of one run, and what the checker asks of them.
 */
#ifndef DLANG_CHECK_XLATE_H
#define DLANG_CHECK_XLATE_H

#include "dlang/check/check.h"

struct translator {
	const struct ast_translator *def;
	const struct type *out, *in;
	struct translator *next; /* newest first */
};

/* EXPR_XLATE's extra. Its left is of the translator's input type. */
struct xlation {
	const struct translator *translator;
	bool is_pointer; /* xlate<T *>: usable by -> and * only */
};

/* The translator of from's type, or of one that it fits, to out; NULL: none. */
const struct translator *xlate_find(struct dlang *d, const struct type *out,
				    const struct ast_expr *from);
/* EXPR_XLATE: type and extra. */
int check_xlate(struct dlang *d, struct ast_expr *e);
/* Is e a translated pointer, usable as one of type to (NULL: of any)? */
bool xlate_is_pointer(const struct ast_expr *e, const struct type *to);
/* e, a member of an EXPR_XLATE (its left, checked), becomes what stands for it. */
int xlate_member(struct dlang *d, struct ast_expr *e);
/* The same for * of a translated pointer. */
int xlate_deref(struct dlang *d, struct ast_expr *e);
/* D_CG_DYN if e is a translated pointer, where a value is wanted. */
int xlate_refuse(struct dlang *d, const struct ast_expr *e);
/* What stands for a member of the EXPR_XLATE e that has a conversion; NULL: reported. */
struct ast_expr *xlate_conversion(struct dlang *d, const struct ast_expr *e,
				  const char *name);

#endif
