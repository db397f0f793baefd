/* SPDX-License-Identifier: MIT */
/*
 * The checker: tree to checked tree. Its state for one run of the command, and what the
 * driver and the generator ask of it.
 *
 * Each check_ function reports what is wrong through diag() and returns STATUS_SYNTAX
 * then. It requires a tree as described in ast.h and leaves true: every expression has
 * its type, every variable its ident; constants are folded in place.
 */
#ifndef DLANG_CHECK_CHECK_H
#define DLANG_CHECK_CHECK_H

#include "dlang/base/session.h"
#include "dlang/base/stability.h"
#include "dlang/check/scope.h"
#include "dlang/type.h"

/* Nodes that inlines and translators may add to one declaration or clause. */
#define EXPANDED_MAX 500000

/* Of one clause. */
struct stability_pair {
	struct stability description, statement;
};

struct checker {
	struct types types;
	struct scope scope;
	bool in_clause;	       /* while one is checked */
	struct stability used; /* what the present clause used so far, at the least */
	uint32_t hidden;       /* stability_hide_begin() without end */
	struct stability_fields *declared;
	struct translator *translators;
	struct declared_provider *providers;
	uint32_t expanded; /* nodes so far in the present declaration or clause */
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

/* Another program or library begins. */
void check_begin_unit(struct dlang *d);
int check_decl(struct dlang *d, struct ast_decl *decl);
int check_inline(struct dlang *d, struct ast_inline *def);
int check_translator(struct dlang *d, struct ast_translator *def);
int check_provider(struct dlang *d, struct ast_provider *def);
int check_clause(struct dlang *d, struct ast_clause *c);
/* At the end of a program: the aggregations used before they were defined. */
int check_agg_uses(struct dlang *d);
/* At the end of a program: reports a pragma about a name that was never defined. */
void check_pragmas_used(struct dlang *d);

/* ---- what the parser asks: as in struct lex_names ---- */

bool check_is_scoped_type(struct dlang *d, const char *name);
bool check_is_target_type(struct dlang *d, const char *name);
void check_pragma_attributes(struct dlang *d, const struct ast_pos *pos,
			     const char *name, struct stability s);
void check_pragma_provider(struct dlang *d, const struct ast_pos *pos,
			   const char *provider, const char *field, struct stability s);
void check_pragma_binding(struct dlang *d, const struct ast_pos *pos, const char *name,
			  uint32_t version);

/* Between these the stability of what a clause uses does not count. They nest. */
void stability_hide_begin(struct dlang *d);
void stability_hide_end(struct dlang *d);

/* ---- checked expressions ---- */

/* ast_expr.flags of the checker. */
enum expr_flag {
	EX_CHECKED = 1,
	EX_LVALUE = 2,
	EX_WRITABLE = 4,
	EX_STRCMP = 8,	/* comparison of contents */
	EX_USER = 16,	/* the lvalue is in the target's memory */
	EX_SYMBOL = 32, /* EXPR_VAR that is a symbol of the target: value its address */
	EX_LOCATION = 64, /* may be a stack or symbol: what uses it takes those */
};

bool expr_is_const(const struct ast_expr *e);
/* A pointer to target memory, or an array there. */
bool expr_is_userland(const struct ast_expr *e);
/* How many arguments stand before the increment of an aggregating function. */
static inline uint32_t agg_increment_at(enum agg_func func)
{
	return func == AGG_quantize ? 1 : func == AGG_lquantize ? 4 : 5;
}

#endif
