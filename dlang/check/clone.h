/* SPDX-License-Identifier: MIT */
/*
 * Copies of expressions: what an inline or a translator stands for is copied
 * to every use, the parameters replaced by the arguments.
 */
#ifndef DLANG_CHECK_CLONE_H
#define DLANG_CHECK_CLONE_H

#include "dlang/base/ast.h"

struct dlang;

struct clone {
	struct dlang *d;
	/* Of every new node but those of the arguments: the definition may stand in
	 * another text. */
	struct ast_pos pos;
	const char *const *names;	/* parameters */
	struct ast_expr *const *values; /* checked; copied to each use */
	uint32_t count;
	bool is_too_big; /* the limit on copied nodes was met */
};

/* A copy in the arena; NULL once is_too_big. */
struct ast_expr *clone_expr(struct clone *c, const struct ast_expr *e);

#endif
