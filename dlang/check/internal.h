/* SPDX-License-Identifier: MIT */
/*
 * What the files of the checker share. Functions that return int return 0, or
 * STATUS_SYNTAX after they reported an error; an expression with an error becomes
 * EXPR_ERROR.
 */
#ifndef DLANG_CHECK_INTERNAL_H
#define DLANG_CHECK_INTERNAL_H

#include "dlang/base/diag.h"
#include "dlang/check/check.h"

struct clone; /* clone.h */

/* ---- expr.c ---- */

/* Sets type, ident and flags of the whole tree; folds constants in place. */
int check_expr(struct dlang *d, struct ast_expr *e);
/* check_expr() of each expression in a list. */
int check_list(struct dlang *d, struct ast_expr *list);
/*
 * Checks the left side of an assignment. An undefined variable is created with the type,
 * that of the assigned value; the keys of an array become its signature.
 */
int check_assignee(struct dlang *d, struct ast_expr *e, const struct type *type);
/* Reports D_ID_OFLOW if the scope has the maximum number of variables. */
int check_scope_limit(struct dlang *d, const struct ast_pos *pos, enum ast_scope where,
		      const char *name);
/* Whether e is a variable, or an element of an array, that is not defined yet. */
bool is_undefined_var(struct dlang *d, const struct ast_expr *e);
/* The type of a pointer to the elements, for an array; else t. */
const struct type *type_decay(struct dlang *d, const struct type *t);
bool expr_is_zero(const struct ast_expr *e);

/* Turns e into a constant. */
void expr_make_int(struct ast_expr *e, uint64_t value, const struct type *type);

/* ---- hint.c: each prepares the hint of the error that is reported next, or none ---- */

/* An unknown variable, or an unknown function. */
void hint_variable(struct dlang *d, const char *name);
void hint_function(struct dlang *d, const char *name);
/* What has the name is no variable, or no function. */
void hint_reference(struct dlang *d, const struct ident *id);
void hint_called(struct dlang *d, const struct ident *id);
/* An aggregation that is used, but was never assigned. */
void hint_aggregation(struct dlang *d, const char *name);
/* A value for %s that is no string. e: NULL if there is only its type. */
void hint_text(struct dlang *d, const struct ast_expr *e, const struct type *t);

/* ---- member.c ---- */

/* The type of the value of e: arrays decay to pointers, userland if in the target. */
const struct type *expr_value_type(struct dlang *d, const struct ast_expr *e);
/* Makes e an lvalue of type t with these expr_flags; EX_USER: pointers are userland. */
void set_lvalue(struct dlang *d, struct ast_expr *e, const struct type *t,
		uint32_t flags);
/* The expr_flags of the object that a pointer or array designates. */
uint32_t pointee_flags(const struct ast_expr *pointer);
/* Reports D_OP_INCOMPLETE if t is a struct or union without a definition. */
int check_complete(struct dlang *d, const struct ast_expr *e, const struct type *t);
/* Stores the struct type_member in e->extra. */
int check_member(struct dlang *d, struct ast_expr *e);
int check_addr(struct dlang *d, struct ast_expr *e);
int check_sizeof(struct dlang *d, struct ast_expr *e);
int check_sizeof_type(struct dlang *d, struct ast_expr *e);
int check_offsetof(struct dlang *d, struct ast_expr *e);
/* A symbol of the target: a scoped name, or one declared extern. */
int check_symbol(struct dlang *d, struct ast_expr *e);

/* ---- op.c ---- */

int check_binary(struct dlang *d, struct ast_expr *e);
int check_assign(struct dlang *d, struct ast_expr *e);
/* ++ and --, prefix and postfix. */
int check_incdec(struct dlang *d, struct ast_expr *e);
int check_cond(struct dlang *d, struct ast_expr *e);
/*
 * While e is a "?:" with a constant condition: replaces it by the selected branch, which
 * may be an action or an aggregation. The other branch is never checked.
 */
void expr_select(struct dlang *d, struct ast_expr *e);
/* Whether the checked e calls an action or aggregating function. */
bool is_action_call(const struct ast_expr *e);
/* Whether from may be assigned or passed where type to is expected. */
bool is_compatible(struct dlang *d, const struct type *to, const struct ast_expr *from);
int incompatible(struct dlang *d, const struct ast_expr *e, const struct ast_expr *l,
		 const struct ast_expr *r);

/* ---- args.c ---- */

/* args[N]; id is the ident of args. */
int check_args(struct dlang *d, struct ast_expr *e, struct ident *id);
/*
 * args[N].member: a value of which a part is nowhere may have the member. Either this
 * becomes what it is, or it stays EXPR_MEMBER.
 */
int check_args_member(struct dlang *d, struct ast_expr *e);

/* ---- locals.c ---- */

/* Whether it is locals.NAME, and no variable is called locals. */
bool is_local(struct dlang *d, const struct ast_expr *e);
int check_local(struct dlang *d, struct ast_expr *e);
/*
 * locals.NAME.member. Either this becomes what the member is, or only its left side is
 * checked (then this is still EXPR_MEMBER).
 */
int check_local_member(struct dlang *d, struct ast_expr *e);
struct typesrc_argument;
/* Makes e, an args[N], the value, which has a.where. */
int check_where(struct dlang *d, struct ast_expr *e, const struct typesrc_argument *a);
/* Makes e, an args[N].member, the value of the member; leaves it if it has none. */
int check_where_member(struct dlang *d, struct ast_expr *e,
		       const struct typesrc_argument *a);

/* ---- call.c ---- */

/* A call: its name, number and types of arguments. That of an action is void. */
int check_call(struct dlang *d, struct ast_expr *e);
/* Whether the argument may be passed for a parameter of type param; NULL: of any. */
bool fits_parameter(struct dlang *d, const struct type *param,
		    const struct ast_expr *arg);
/* Checks the arguments of a subroutine, and sets the type. */
int check_subr(struct dlang *d, struct ast_expr *e);
/* Reports, under the tag or D_PROTO_LEN, unless least <= nargs <= most. */
int check_count(struct dlang *d, const struct ast_expr *e, const char *tag);
int check_arg_count(struct dlang *d, const struct ast_expr *e);
/* Reports D_KEY_TYPE for values that cannot be keys of an array or aggregation. */
int check_usable_keys(struct dlang *d, const struct ast_expr *keys,
		      enum ident_kind what);
/*
 * Checks keys against the signature of an array or aggregation. The first use sets the
 * signature.
 */
int check_keys(struct dlang *d, const struct ast_expr *e, struct ast_expr *keys,
	       uint32_t nkeys, struct ident *id);
/* Reports D_PROTO_ARG, in three lines. */
int bad_argument(struct dlang *d, const struct ast_expr *arg, const char *func,
		 uint32_t number, const char *proto);
/* "unsigned int"; "aggregation" for an aggregation. */
const char *expr_type_name(const struct ast_expr *e);

/* ---- location.c ---- */

/* Permits calls of stack(), usym() and the like as expressions of the list. */
void check_takes_locations(struct ast_expr *list);
/* A call of stack(), usym() and the like, after check_callee(). */
int check_location(struct dlang *d, struct ast_expr *e);

/* ---- action.c, record.c, agg.c, printf.c ---- */

/* A call of the action or aggregating function e->ident: types of its arguments. */
int check_action_call(struct dlang *d, struct ast_expr *e);
/* The rules of the action that a statement calls, all of whose arguments are typed. */
int check_action(struct dlang *d, struct ast_expr *e);
/* The same for an action that records values or text. */
int check_record(struct dlang *d, struct ast_expr *e);
/* The statement @a[keys] = f(args): types. */
int check_aggregate(struct dlang *d, struct ast_expr *e);
/* The parameters of its function. */
int check_aggregate_rules(struct dlang *d, struct ast_expr *e);
/* An argument that must be an aggregation, which may be defined later. */
struct agg_arg {
	uint32_t number;
	const char *tag_kind, *tag_unknown; /* it is none; it is never defined */
};
int check_agg_arg(struct dlang *d, struct ast_expr *call, struct ast_expr *arg,
		  const struct agg_arg *want);
/* Checks keys and format of printa(), whose aggregations are all defined. */
int check_printa_keys(struct dlang *d, const struct ast_expr *e);

/* ---- inline.c ---- */

/* Replaces e, a use of the inline id, by a checked copy of its definition. */
int inline_expand(struct dlang *d, struct ast_expr *e, struct ident *id);
/* (type)e as a checked node; e itself if it has the type. */
struct ast_expr *expr_converted(struct dlang *d, struct ast_expr *e,
				const struct type *type);
/* Turns e into by. e stays where it is in its list. */
void expr_replace(struct ast_expr *e, const struct ast_expr *by);
/* A placeholder for the argument, of the checked type of the parameter. */
struct ast_expr *expr_placeholder(struct dlang *d, const struct ast_typename *param);
/* check_expr() of a copy, with the names of the version of its definition. */
int check_copy(struct dlang *d, struct ast_expr *e, uint32_t version);
/*
 * Checks a copy of value, the definition of name, with placeholders for the parameters.
 * Returns the copy; NULL: an error is reported.
 */
struct ast_expr *check_definition(struct clone *c, const struct ast_expr *value,
				  const struct ast_pos *pos, const char *name);
/* Reports that the expansion of name exceeds EXPANDED_MAX or AST_DEPTH_MAX. */
int expr_too_big(struct dlang *d, const struct ast_pos *pos, const char *name);

/* ---- decl.c ---- */

/* The type that specifiers and a declarator declare. NULL: an error is reported. */
const struct type *check_declared_type(struct dlang *d, struct ast_specs *s,
				       const struct ast_derive *derive);
/* The type that a cast, sizeof, key list or prototype names. NULL: as above. */
const struct type *check_typename(struct dlang *d, struct ast_typename *t);

/* Reports D_DECL_INCOMPLETE if t is a struct or union without a definition. */
int check_defined(struct dlang *d, const struct ast_pos *pos, const struct type *t,
		  const char *name);
/* Reports D_DECL_PROTO_TYPE for a parameter, by its number, of "array" or "function".
 * Without a type it is an associative array. */
int bad_parameter(struct dlang *d, const struct ast_typename *p, const char *prototype,
		  uint32_t number);

/* ---- order.c ---- */

/* The order of speculations and records in the body of a clause without errors. */
int check_order(struct dlang *d, const struct ast_stmt *body);

/* ---- context.c ---- */

/* Report D_CG_EXPR for actions that a predicate, or a part of a statement, calls. */
int check_predicate_context(struct dlang *d, const struct ast_expr *predicate);
int check_body_context(struct dlang *d, const struct ast_stmt *body);

/* ---- kernel.c ---- */

/* A call, and a use, of a name that only a kernel can serve. */
int check_kernel_call(struct dlang *d, struct ast_expr *e);
int check_kernel_var(struct dlang *d, struct ast_expr *e);

/* ---- llquantize.c ---- */

/* The parameters of llquantize(), also against those of the first use. */
int check_llquantize(struct dlang *d, const struct ast_expr *call, struct ident *agg);

/* ---- tag.c ---- */

/* The struct, union or enum of BASE_TAGGED, which a body defines. NULL: as above. */
const struct type *check_tag(struct dlang *d, struct ast_specs *s);
/* Reports that word ("struct " or "") and name designate no type. */
int unknown_type(struct dlang *d, const struct ast_pos *pos, const char *word,
		 const char *name);

/* ---- stability.c ---- */

/*
 * Records that the current clause uses name, of stability s. Reports D_ATTR_MIN if s is
 * below the option amin.
 */
int stability_use(struct dlang *d, const struct ast_pos *pos, const char *name,
		  struct stability s);
int stability_use_ident(struct dlang *d, const struct ast_pos *pos,
			const struct ident *id);
/* Whether it is a provider of dtrace itself: its stability is fixed, and no program can
 * declare it. */
bool stability_is_built_in(const char *provider);
/* Sets the stability of a field of a provider. INVAL: the field is not "provider",
 * "module", "function", "name" or "args". */
int stability_set_provider(struct dlang *d, const char *provider, const char *field,
			   struct stability s);
/* Around the check of a clause: the second stores its stability. */
void stability_begin_clause(struct dlang *d);
void stability_end_clause(struct dlang *d, const struct ast_clause *c);

#endif
