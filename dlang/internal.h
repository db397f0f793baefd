/* SPDX-License-Identifier: MIT */
/*
 * What the files of the driver share: the text of the standard library and the dumps
 * of the passes.
 */
#ifndef DLANG_INTERNAL_H
#define DLANG_INTERNAL_H

#include "dlang/base/session.h"

/* standard.c: D text that is compiled before the first program that needs it. */
extern const char dlang_standard_text[];

/* dump_ast.c: appends the tree as text; typed: with the types that the checker found. */
void dump_clause(const struct ast_clause *c, bool typed, struct strbuf *out);
void dump_decl(const struct ast_decl *decl, bool typed, struct strbuf *out);
void dump_inline(const struct ast_inline *def, bool typed, struct strbuf *out);
/* dump_code.c: appends the code of a generated clause, one instruction a line. */
void dump_code(struct dlang *d, const struct ast_clause *c, struct strbuf *out);

#endif
