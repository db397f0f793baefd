/* SPDX-License-Identifier: MIT */
/*
 * The checker's files among themselves. Each function returns 0, or
 * STATUS_SYNTAX after it reported what is wrong; an expression that failed
 * becomes EXPR_ERROR.
 */
#ifndef DLANG_CHECK_INTERNAL_H
#define DLANG_CHECK_INTERNAL_H

#include "dlang/base/diag.h"
#include "dlang/check/check.h"

struct clone; /* clone.h */

/* ---- expr.c ---- */

/* Leaves type, ident and flags; folds constants in place. */
int check_expr(struct dlang *d, struct ast_expr *e);
/* The same for something that must have a value: no void, no aggregation. */
int check_list(struct dlang *d, struct ast_expr *list);
/*
 * The target of an assignment. An unknown variable is made with type (what it
 * is assigned; already checked), its keys becoming the signature.
 */
int check_assignee(struct dlang *d, struct ast_expr *e, const struct type *type);
/* D_ID_OFLOW when the scope can take no further variable. */
int check_scope_limit(struct dlang *d, const struct ast_pos *pos, enum ast_scope where,
		      const char *name);
/* Is e a variable, or an element of an array, that does not exist yet? */
bool is_undefined_var(struct dlang *d, const struct ast_expr *e);
/* Arrays become pointers to their elements. */
const struct type *type_decay(struct dlang *d, const struct type *t);
bool expr_is_zero(const struct ast_expr *e);

/* e becomes a constant. */
void expr_make_int(struct ast_expr *e, uint64_t value, const struct type *type);

/* ---- member.c ---- */

/* The type of its value: arrays become pointers, to target memory if they are there. */
const struct type *expr_value_type(struct dlang *d, const struct ast_expr *e);
/* e is memory of type t with these expr_flags; pointers in target memory lead there. */
void set_lvalue(struct dlang *d, struct ast_expr *e, const struct type *t,
		uint32_t flags);
/* The expr_flags of what the pointer or array leads to. */
uint32_t pointee_flags(const struct ast_expr *pointer);
/* D_OP_INCOMPLETE if t is a struct or union of which only the tag is known. */
int check_complete(struct dlang *d, const struct ast_expr *e, const struct type *t);
/* Leaves the struct type_member in extra. */
int check_member(struct dlang *d, struct ast_expr *e);
int check_addr(struct dlang *d, struct ast_expr *e);
int check_sizeof(struct dlang *d, struct ast_expr *e);
int check_sizeof_type(struct dlang *d, struct ast_expr *e);
int check_offsetof(struct dlang *d, struct ast_expr *e);
/* A name of the target: scoped, or declared extern. */
int check_symbol(struct dlang *d, struct ast_expr *e);

/* ---- op.c ---- */

int check_binary(struct dlang *d, struct ast_expr *e);
int check_assign(struct dlang *d, struct ast_expr *e);
/* ++ and --, prefix and postfix. */
int check_incdec(struct dlang *d, struct ast_expr *e);
int check_cond(struct dlang *d, struct ast_expr *e);
/* Is e the call of an action or aggregating function? */
bool is_action_call(struct dlang *d, const struct ast_expr *e);
/* May from be assigned or passed where type to is wanted? */
bool is_compatible(struct dlang *d, const struct type *to, const struct ast_expr *from);
int incompatible(struct dlang *d, const struct ast_expr *e, const struct ast_expr *l,
		 const struct ast_expr *r);

/* ---- args.c ---- */

/* args[N]; id is that of args. */
int check_args(struct dlang *d, struct ast_expr *e, struct ident *id);

/* ---- call.c ---- */

/* A call inside an expression: subroutines only. */
int check_call(struct dlang *d, struct ast_expr *e);
/* The arguments of a subroutine whose name is resolved, and its type. */
int check_subr(struct dlang *d, struct ast_expr *e);
/* Resolves the called name; reports unknown and unsupported ones. */
int check_callee(struct dlang *d, struct ast_expr *e);
/* Reported under the tag unless least <= nargs <= most; the second: D_PROTO_LEN. */
int check_count(struct dlang *d, const struct ast_expr *e, const char *tag);
int check_arg_count(struct dlang *d, const struct ast_expr *e);
/*
 * Keys of an array or aggregation against its signature; the first use makes
 * the signature.
 */
int check_keys(struct dlang *d, const struct ast_expr *e, struct ast_expr *keys,
	       uint32_t nkeys, struct ident *id);
/* Three-line D_PROTO_ARG. */
int bad_argument(struct dlang *d, const struct ast_expr *arg, const char *func,
		 uint32_t number, const char *proto);
/* "unsigned int", or "aggregation" for one. */
const char *expr_type_name(const struct ast_expr *e);

/* ---- location.c ---- */

/* The expressions of the list may be calls of stack(), usym() and the like. */
void check_takes_locations(struct ast_expr *list);
/* The call of one whose ident is known; of stacks the arguments, too. */
int check_location(struct dlang *d, struct ast_expr *e);

/* ---- action.c, record.c, agg.c, printf.c ---- */

/* A statement that calls the action e->ident. */
int check_action(struct dlang *d, struct ast_expr *e);
/* One of those that record values or text; the number of arguments is right. */
int check_record(struct dlang *d, struct ast_expr *e);
/* @a[keys] = f(args) as a statement. */
int check_aggregate(struct dlang *d, struct ast_expr *e);
/* An action's argument, which must be an aggregation; it may be defined later. */
struct agg_arg {
	uint32_t number;
	const char *tag_kind, *tag_unknown; /* for the two ways it can be wrong */
};
int check_agg_arg(struct dlang *d, struct ast_expr *call, struct ast_expr *arg,
		  const struct agg_arg *want);
/* Keys and format of printa(), whose aggregations are all defined. */
int check_printa_keys(struct dlang *d, const struct ast_expr *e);

/* ---- inline.c ---- */

/* e, a use of the inline id, becomes what that stands for, checked. */
int inline_expand(struct dlang *d, struct ast_expr *e, struct ident *id);
/* A checked node around a checked one: (type)e, or e itself if it is of the type. */
struct ast_expr *expr_converted(struct dlang *d, struct ast_expr *e,
				const struct type *type);
/* e becomes by; its place in a list stays its own. */
void expr_replace(struct ast_expr *e, const struct ast_expr *by);
/* Stands for the argument of a parameter, whose type is checked, in a definition. */
struct ast_expr *expr_placeholder(struct dlang *d, const struct ast_typename *param);
/* check_expr() of a copy, with the names of the version its definition was made in. */
int check_copy(struct dlang *d, struct ast_expr *e, uint32_t version);
/*
 * Checks a copy of value, which defines name, with placeholders for the parameters.
 * Returns the copy; NULL when reported.
 */
struct ast_expr *check_definition(struct clone *c, const struct ast_expr *value,
				  const struct ast_pos *pos, const char *name);
/* What name stands for met EXPANDED_MAX or AST_DEPTH_MAX. */
int expr_too_big(struct dlang *d, const struct ast_pos *pos, const char *name);

/* ---- decl.c ---- */

/* The type of the words and of one declarator after them; NULL when reported. */
const struct type *check_declared_type(struct dlang *d, struct ast_specs *s,
				       const struct ast_derive *derive);
/* The type a cast, sizeof, key list or prototype names; NULL when reported. */
const struct type *check_typename(struct dlang *d, struct ast_typename *t);

/* ---- order.c ---- */

/* What may follow what in the body of a clause, whose statements are all right. */
int check_order(struct dlang *d, const struct ast_stmt *body);

/* ---- llquantize.c ---- */

/* Parameters of llquantize(), against those of the aggregation's first use. */
int check_llquantize(struct dlang *d, const struct ast_expr *call, struct ident *agg);

/* ---- tag.c ---- */

/* The struct, union or enum of BASE_TAGGED, defined if it has a body. */
const struct type *check_tag(struct dlang *d, struct ast_specs *s);
/* Reports "struct " name, whose last part nobody knows. */
int unknown_type(struct dlang *d, const struct ast_pos *pos, const char *word,
		 const char *name);

/* ---- stability.c ---- */

/*
 * The present clause uses something that is as stable as s: D_ATTR_MIN when that
 * is below what the option amin asks for.
 */
int stability_use(struct dlang *d, const struct ast_pos *pos, const char *name,
		  struct stability s);
int stability_use_ident(struct dlang *d, const struct ast_pos *pos,
			const struct ident *id);
/* Is it a provider of dtrace itself, whose stability is fixed? None can be declared. */
bool stability_is_built_in(const char *provider);
/* #pragma D attributes on a field of a provider ("provider" ... "args"): INVAL
 * for another word. */
int stability_set_provider(struct dlang *d, const char *provider, const char *field,
			   struct stability s);
/* Around the check of a clause: keeps what its description and its statements have. */
void stability_begin_clause(struct dlang *d);
void stability_end_clause(struct dlang *d, const struct ast_clause *c);

#endif
