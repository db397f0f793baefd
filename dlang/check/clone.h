/* SPDX-License-Identifier: MIT */
/*
 * Copies of expressions. Each use of an inline or translator becomes a copy of the
 * defining expression, with the arguments in place of the parameters.
 */
#ifndef DLANG_CHECK_CLONE_H
#define DLANG_CHECK_CLONE_H

#include "dlang/base/ast.h"

struct dlang;

struct clone {
	struct dlang *d;
	/* The position of all nodes of the copy, except arguments: the definition may
	 * be in another text. */
	struct ast_pos pos;
	const char *const *names;	/* parameters */
	struct ast_expr *const *values; /* arguments, checked; each use gets a copy */
	uint32_t count;
	bool is_too_big; /* EXPANDED_MAX was reached */
};

/* A copy in the arena; NULL: is_too_big. */
struct ast_expr *clone_expr(struct clone *c, const struct ast_expr *e);

#endif
