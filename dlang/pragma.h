/* SPDX-License-Identifier: MIT */
/*
 * The files of the control lines among themselves.
 */
#ifndef DLANG_PRAGMA_H
#define DLANG_PRAGMA_H

#include "dlang/lex.h"

/* The rest of a control line, and the place of its #. */
struct line {
	const char *p, *end;
	struct ast_pos pos;
};

/* A word of the line; n is 0 at its end. */
struct slice {
	const char *s;
	size_t n;
};

struct slice pragma_next_word(struct line *l);
bool pragma_is_word(struct slice w, const char *text);

/* pragma_ident.c: #pragma D attributes, #pragma D binding. */
void pragma_attributes(struct lexer *lx, struct line *l);
void pragma_binding(struct lexer *lx, struct line *l);

#endif
