/* SPDX-License-Identifier: MIT */
/*
 * The parser: text to tree, one declaration or clause at a time.
 */
#ifndef DLANG_PARSE_PARSE_H
#define DLANG_PARSE_PARSE_H

#include "dlang/base/ast.h"
#include "dlang/parse/lex.h"

struct strbuf;

struct parser {
	struct lexer lex;
	struct tok tok;	      /* the look-ahead */
	struct tok failed;    /* the token that TOK_ERROR hides */
	uint32_t depth;	      /* of recursion */
	bool has_errors;      /* in this program */
	bool has_args;	      /* args[] was named in this clause */
	bool needs_token;     /* the last token of an external is tok: read the next */
	struct strbuf *trace; /* the token dump, or NULL */
};

enum external_kind {
	EXTERNAL_END,
	EXTERNAL_BAD, /* its errors are reported; it is skipped */
	EXTERNAL_DECL,
	EXTERNAL_CLAUSE,
	EXTERNAL_INLINE,
	EXTERNAL_TRANSLATOR,
	EXTERNAL_PROVIDER,
};

/* One external declaration; the pointer that its kind names is set. */
struct external {
	enum external_kind kind;
	struct ast_decl *decl;
	struct ast_clause *clause;
	struct ast_inline *inlined;
	struct ast_translator *translator;
	struct ast_provider *provider;
};

/* Starts at the beginning of d->src. names and trace (NULL: none) are borrowed. */
void parse_begin(struct parser *p, struct dlang *d, const struct lex_names *names,
		 struct strbuf *trace);
/*
 * Parses the next declaration or clause, into the arena of d. One with syntax errors is
 * EXTERNAL_BAD.
 */
struct external parse_external(struct parser *p);
/* At the end of a program: reports the last operand if no $N used it. */
int parse_check_operands(struct parser *p);

#endif
