/* SPDX-License-Identifier: MIT */
/*
 * What the files of the compiler share: the state of one run, and the passes
 * in the order in which the driver (dlang.c) calls them for each external
 * declaration of a program:
 *
 *	parse -> [declaration] check_decl
 *	      -> [clause] env.probe for each specifier, check_clause, gen_clause
 *
 * A clause is checked also when an earlier one failed to check, but no code is
 * generated after the first error of a compilation, and nothing is checked after
 * a syntax error. Declarations, clauses and
 * programs are handled strictly in order, so each sees what came before.
 */
#ifndef DLANG_INTERNAL_H
#define DLANG_INTERNAL_H

#include "dlang/ast.h"
#include "dlang/diag.h"
#include "dlang/dlang.h"
#include "vm/base/host/arena.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

struct backend; /* types, scopes and generated code: backend.c */

struct diag_state {
	struct strbuf *messages; /* the caller's, for this compilation */
	uint32_t count;
	enum diag_part part;
	struct ast_pos last;
	char last_text[128];
};

struct dlang {
	struct dlang_env env;
	struct dlang_options options;
	struct arena arena;	 /* all nodes, strings and types, until dlang_free */
	struct strmap typenames; /* typename.def and typedefs: for the parser */
	const struct dlang_source *src; /* being compiled */
	struct diag_state diag;
	uint32_t nclauses;   /* of all programs so far */
	bool in_clause;	     /* while one is checked */
	uint32_t nunits;     /* programs and libraries so far, with the present one */
	bool has_standard;   /* the text of standard.c was compiled */
	struct strbuf trees; /* option tree */
	struct backend *backend;
};

/* standard.c: compiled before the first program that needs it. */
extern const char dlang_standard_text[];

/* A library reads like a script, whatever kind of program needs it. */
static inline bool dlang_is_file(const struct dlang *d)
{
	return d->src->is_file || d->src->library;
}

/* Makes the parser take name as a type from now on. */
void dlang_add_typename(struct dlang *d, const char *name);
bool dlang_is_typename(struct dlang *d, const char *name);
/* Is the name, which D does not know, a type of the traced program? */
bool dlang_is_target_type(struct dlang *d, const char *name);

/* dump_ast.c: the tree as text. */
void dump_clause(const struct ast_clause *c, bool typed, struct strbuf *out);
void dump_decl(const struct ast_decl *decl, bool typed, struct strbuf *out);
void dump_inline(const struct ast_inline *def, bool typed, struct strbuf *out);

/* ---- provided by the checker and generator ---- */

struct backend *backend_new(struct dlang *d);
void backend_free(struct backend *b);

/*
 * Each reports what is wrong through diag() and returns STATUS_SYNTAX then.
 * Requires: a tree as described in ast.h. Leaves true: every expression has
 * its type, every variable its ident; constants are folded in place.
 */
int check_decl(struct dlang *d, struct ast_decl *decl);
int check_inline(struct dlang *d, struct ast_inline *def);
int check_translator(struct dlang *d, struct ast_translator *def);
int check_provider(struct dlang *d, struct ast_provider *def);
int check_clause(struct dlang *d, struct ast_clause *c);
/* At the end of a program: the aggregations used before they were defined. */
int check_agg_uses(struct dlang *d);
/* Requires a clause that was checked without error. Appends to the backend. */
int gen_clause(struct dlang *d, struct ast_clause *c);
/* All clauses generated so far as one image. */
int image_link(struct dlang *d, void **image, size_t *size, struct err *e);

/* The D name of a type for the typed dump: "int", "char *", "string". */
void type_print(const struct type *t, struct strbuf *out);
/* Code of one generated clause, one instruction a line, for the code dump. */
void dump_code(struct dlang *d, const struct ast_clause *c, struct strbuf *out);

#endif
