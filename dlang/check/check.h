/* SPDX-License-Identifier: MIT */
/*
 * The checker: tree to checked tree. This is its state for one run of the command, and
 * its interface to the driver and the generator.
 *
 * A pass requires a tree as ast.h describes it, without syntax errors. Afterwards each
 * expression has its type, each variable its ident, and constants are folded in place.
 * Errors are reported through diag(); the pass then returns STATUS_SYNTAX.
 */
#ifndef DLANG_CHECK_CHECK_H
#define DLANG_CHECK_CHECK_H

#include "dlang/base/session.h"
#include "dlang/base/stability.h"
#include "dlang/check/scope.h"
#include "dlang/type.h"

/* Limit on the nodes that inlines and translators add to one declaration or clause. */
#define EXPANDED_MAX 500000

/* Of one clause. */
struct stability_pair {
	struct stability description, statement;
};

struct checker {
	struct types types;
	struct scope scope;
	bool in_clause;			 /* a clause is being checked */
	const struct ast_clause *clause; /* then: that one */
	struct stability used; /* the minimum over what the current clause uses */
	uint32_t hidden;       /* depth of stability_hide_begin() */
	struct stability_fields *declared; /* by #pragma D attributes, of providers */
	struct translator *translators;
	struct declared_provider *providers;
	uint32_t expanded; /* nodes counted against EXPANDED_MAX */
	struct {
		struct stability_pair *data; /* by clause number */
		size_t len, cap;
	} stability;
};

static inline struct types *types_of(struct dlang *d)
{
	return &d->checker->types;
}

static inline struct scope *scope_of(struct dlang *d)
{
	return &d->checker->scope;
}

/* Once for a run; the result lies in the arena of d. */
struct checker *checker_new(struct dlang *d);
void checker_free(struct checker *k);
/* Before each declaration or clause: the limit of expansion and the option strsize. */
void check_begin(struct dlang *d);

/* ---- passes ---- */

/* At the beginning of a program or library. */
void check_begin_unit(struct dlang *d);
int check_decl(struct dlang *d, struct ast_decl *decl);
int check_inline(struct dlang *d, struct ast_inline *def);
int check_translator(struct dlang *d, struct ast_translator *def);
int check_provider(struct dlang *d, struct ast_provider *def);
int check_clause(struct dlang *d, struct ast_clause *c);
/* After it: passes the processes that the predicate names to dlang_env.process(). */
int check_processes(struct dlang *d, const struct ast_clause *c);
/* At the end of a program: checks the uses of aggregations before their definition. */
int check_agg_uses(struct dlang *d);
/* At the end of a program: reports pragmas about names that it does not define. */
void check_pragmas_used(struct dlang *d);

/* ---- callbacks of the parser: struct lex_names describes them ---- */

bool check_is_scoped_type(struct dlang *d, const char *name);
bool check_is_target_type(struct dlang *d, const char *name);
bool check_is_defined_tag(struct dlang *d, enum ast_tag_kind kind, const char *name);
void check_pragma_attributes(struct dlang *d, const struct ast_pos *pos,
			     const char *name, struct stability s);
void check_pragma_provider(struct dlang *d, const struct ast_pos *pos,
			   const char *provider, const char *field, struct stability s);
void check_pragma_binding(struct dlang *d, const struct ast_pos *pos, const char *name,
			  uint32_t version);

/* Between these two, uses do not affect the stability of the clause. They nest. */
void stability_hide_begin(struct dlang *d);
void stability_hide_end(struct dlang *d);

/* ---- checked expressions ---- */

/* Bits of ast_expr.flags. */
enum expr_flag {
	EX_CHECKED = 1,
	EX_LVALUE = 2,
	EX_WRITABLE = 4,
	EX_STRCMP = 8,	  /* a comparison of the contents of strings */
	EX_USER = 16,	  /* the lvalue is in memory of the target */
	EX_SYMBOL = 32,	  /* EXPR_VAR is a symbol of the target; value is its address */
	EX_LOCATION = 64, /* its user accepts stacks and symbols */
	EX_ADDRESSED = 128, /* the operand of unary & */
};

bool expr_is_const(const struct ast_expr *e);
/* Whether it is a pointer to memory of the target, or an array there. */
bool expr_is_userland(const struct ast_expr *e);
/* The number of arguments of an aggregating function before its increment. */
static inline uint32_t agg_increment_at(enum agg_func func)
{
	return func == AGG_quantize ? 1 : func == AGG_lquantize ? 4 : 5;
}

#endif
