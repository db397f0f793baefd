/* SPDX-License-Identifier: MIT */
/*
 * What the files of the parser share. It is a recursive-descent parser with one token of
 * look-ahead. Each function has the name of its grammar symbol; the rule is above it.
 *
 * Errors: the first unexpected token is reported and hidden: TOK_ERROR replaces it,
 * which no rule accepts. So all functions return, without further messages, to one that
 * can recover (at the end of a statement or clause). They return a node even then.
 */
#ifndef DLANG_PARSE_INTERNAL_H
#define DLANG_PARSE_INTERNAL_H

#include "dlang/base/diag.h"
#include "dlang/parse/parse.h"

/* Limit of the recursion: two levels for each pair of parentheses. */
#define PARSE_DEPTH_MAX 2400
/* Pointers, arrays and functions in one declarator: later passes recurse over them. */
#define PARSE_DERIVE_MAX 256

void *parse_alloc(struct parser *p, size_t n);
void parse_advance(struct parser *p);
/* Consumes the look-ahead if it is of the kind; else returns false. */
bool parse_accept(struct parser *p, enum tok_kind kind);
/* The same; any other token is an error. */
bool parse_expect(struct parser *p, enum tok_kind kind);
/* Reports an error at the look-ahead and hides it. No message if it is hidden. */
void parse_fail(struct parser *p, const char *tag, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
/* Reports "syntax error near" the look-ahead. */
void parse_unexpected(struct parser *p);
static inline bool parse_is_failed(const struct parser *p)
{
	return p->tok.kind == TOK_ERROR;
}
/* Around each recursive function. False: too deep, which is reported. */
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);

/* Skips a failed statement, its ";" included, or up to the "}" of its block. */
void parse_skip_statement(struct parser *p);
/* After an error before the "{" of a clause: skips up to it. False: end of input. */
bool parse_skip_to_body(struct parser *p);

struct ast_expr *parse_expression(struct parser *p);
struct ast_expr *parse_assignment(struct parser *p);
struct ast_expr *parse_conditional(struct parser *p);
/* Whether the look-ahead begins a type, as in a cast. */
bool parse_at_type(struct parser *p);
struct ast_typename *parse_type_name(struct parser *p);
struct ast_decl *parse_declaration(struct parser *p);
struct ast_specs *parse_specifiers(struct parser *p);
void parse_declarator(struct parser *p, struct ast_declarator *d);
/* tag.c. The look-ahead is "struct", "union" or "enum". scope: "mod`", or NULL. */
struct ast_tag *parse_tag(struct parser *p, enum ast_tag_kind kind, const char *scope);
/* The kind of tag that a keyword begins; false: none. */
bool parse_tag_kind(enum tok_kind kind, enum ast_tag_kind *tag);
struct ast_clause *parse_clause(struct parser *p);
/* A type with a name, as in the definition of an inline. */
struct ast_typename *parse_named_type(struct parser *p);
/* Expects the last token of an external declaration, which it does not consume. */
void parse_end_external(struct parser *p, enum tok_kind last);
/* parameters ")" as DERIVE_FUNC; the "(" is consumed. */
struct ast_derive *parse_parameters(struct parser *p);
/* xlate.c */
struct ast_translator *parse_translator(struct parser *p);
struct ast_provider *parse_provider(struct parser *p);
/* inline.c */
struct ast_inline *parse_inline(struct parser *p);
/* probedesc.c: one probe description. Reports its errors. */
struct ast_probe *parse_probe(struct parser *p);

#endif
