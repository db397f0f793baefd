/* SPDX-License-Identifier: MIT */
/*
 * What the files of the parser share. The parser is a recursive descent with one token
 * of look-ahead. Each function has the name of its grammar symbol and its rule above it.
 *
 * Errors: the first unexpected token is reported and then hidden: TOK_ERROR replaces
 * it, which no rule accepts. So every function returns without further messages to a
 * place that can go on (the end of a statement, of a clause). No function returns NULL
 * where a node is promised.
 */
#ifndef DLANG_PARSE_INTERNAL_H
#define DLANG_PARSE_INTERNAL_H

#include "dlang/base/diag.h"
#include "dlang/parse/parse.h"

/* Recursion of the parser itself: about three calls for each pair of parentheses. */
#define PARSE_DEPTH_MAX 600

void *parse_alloc(struct parser *p, size_t n);
void parse_advance(struct parser *p);
/* Takes the token if it is of the kind. */
bool parse_accept(struct parser *p, enum tok_kind kind);
/* The same, an error if it is another. */
bool parse_expect(struct parser *p, enum tok_kind kind);
/* Reports at the look-ahead and hides it. Silent if it is hidden already. */
void parse_fail(struct parser *p, const char *tag, const char *fmt, ...)
	ATTR_PRINTF(3, 4);
/* "syntax error near" the look-ahead. */
void parse_unexpected(struct parser *p);
static inline bool parse_is_failed(const struct parser *p)
{
	return p->tok.kind == TOK_ERROR;
}
/* Around every function that can call itself: false if it must not go deeper. */
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);

/* Skips to behind the ";" of a failed statement, or to the "}" of its block. */
void parse_skip_statement(struct parser *p);
/* Skips to the "{" of a clause whose head failed; false at the end of input. */
bool parse_skip_to_body(struct parser *p);

struct ast_expr *parse_expression(struct parser *p);
struct ast_expr *parse_assignment(struct parser *p);
struct ast_expr *parse_conditional(struct parser *p);
/* Whether the look-ahead begins the type of a cast. */
bool parse_at_type(struct parser *p);
struct ast_typename *parse_type_name(struct parser *p);
struct ast_decl *parse_declaration(struct parser *p);
struct ast_specs *parse_specifiers(struct parser *p);
void parse_declarator(struct parser *p, struct ast_declarator *d);
/* tag.c: at "struct", "union" or "enum"; scope: "mod`" before it, or NULL. */
struct ast_tag *parse_tag(struct parser *p, enum ast_tag_kind kind, const char *scope);
/* The kind that a keyword begins; false: none. */
bool parse_tag_kind(enum tok_kind kind, enum ast_tag_kind *tag);
struct ast_clause *parse_clause(struct parser *p);
/* A type with a name, as in a parameter list and in definitions. */
struct ast_typename *parse_named_type(struct parser *p);
/* At the last token of an external declaration or clause. */
void parse_end_external(struct parser *p, enum tok_kind last);
/* The rest of "(" parameters ")" as DERIVE_FUNC. */
struct ast_derive *parse_parameters(struct parser *p);
/* xlate.c */
struct ast_translator *parse_translator(struct parser *p);
struct ast_provider *parse_provider(struct parser *p);
/* inline.c */
struct ast_inline *parse_inline(struct parser *p);
/* probedesc.c: one specifier; reports what is wrong with it. */
struct ast_probe *parse_probe(struct parser *p);

#endif
