/* SPDX-License-Identifier: MIT */
/*
 * args[]: the typed arguments of the probes of the clause. Each use becomes a tree of
 * other expressions, so the generator needs no code for it:
 *
 *	args[0]		(type)arg0, or *(userland type *)arg0, or an inline of the
 *			standard library, or *(double *)args_spill(uvectors[0]), or
 *			what locals.c makes of another place
 */
#include "dlang/check/internal.h"
#include "dlang/check/provider.h"
#include "dlang/check/xlate.h"

#include <string.h>

#include "dlang/typesrc.h"

static struct ast_expr *new_node(struct dlang *d, const struct ast_expr *at,
				 enum ast_expr_kind kind, const struct type *type)
{
	struct ast_expr *e = arena_alloc(&d->arena, sizeof(*e));

	e->kind = kind;
	e->pos = at->pos;
	e->depth = 1;
	e->type = type;
	e->flags = EX_CHECKED;
	return e;
}

static int check_arg_index(struct dlang *d, struct ast_expr *e)
{
	int rc = check_list(d, e->args);

	if (rc)
		return rc;
	if (e->nargs != 1)
		return diag(d, &e->pos, "D_PROTO_LEN",
			    "args[ ] prototype mismatch: %u keys passed, 1 expected",
			    e->nargs);
	if (!expr_is_const(e->args) || !type_is_int(e->args->type))
		return diag(d, &e->pos, "D_PROTO_ARG",
			    "args[ ] key #1 is incompatible with prototype:\n"
			    "\tprototype: integer constant\n\t      key: %s",
			    expr_type_name(e->args));
	return 0;
}

static struct ast_expr *builtin_variable(struct dlang *d, const struct ast_expr *at,
					 const char *name)
{
	struct ast_expr *e = new_node(d, at, EXPR_VAR, types_of(d)->t_int64);

	e->text = name;
	e->ident = scope_find(scope_of(d), AST_GLOBAL, e->text);
	e->flags |= EX_LVALUE;
	return e;
}

static struct ast_expr *raw_argument(struct dlang *d, const struct ast_expr *at,
				     uint32_t n)
{
	return builtin_variable(d, at, arena_printf(&d->arena, "arg%u", n));
}

/*
 * uvectors[n]: the low half of vector register n. Of a result it is (arg1, uvectors[n]),
 * which is a fault where arg1 is.
 */
static struct ast_expr *vector_argument(struct dlang *d, const struct ast_expr *at,
					const struct typesrc_argument *a)
{
	struct types *ts = types_of(d);
	struct ast_expr *comma;
	struct ast_expr *e = new_node(d, at, EXPR_INDEX, ts->t_int64);

	e->left = new_node(d, at, EXPR_VAR, ts->t_int64);
	e->left->text = "uvectors";
	e->ident = scope_find(scope_of(d), AST_GLOBAL, "uvectors");
	e->args = new_node(d, at, EXPR_INT, ts->t_int64);
	e->args->value = a->raw;
	e->nargs = 1;
	e->flags |= EX_LVALUE;
	if (!a->is_result)
		return e;
	comma = new_node(d, at, EXPR_COMMA, ts->t_int64);
	comma->op = AST_OP_COMMA;
	comma->left = raw_argument(d, at, 1);
	comma->right = e;
	return comma;
}

/* The raw value that args[] is made from. */
static struct ast_expr *raw_value(struct dlang *d, const struct ast_expr *at,
				  const struct typesrc_argument *a)
{
	if (a->is_record)
		return builtin_variable(d, at, "event_record");
	return a->is_vector ? vector_argument(d, at, a) : raw_argument(d, at, a->raw);
}

/* Makes e *(pointer)raw. */
static void make_deref(struct dlang *d, struct ast_expr *e, struct ast_expr *raw,
		       const struct type *pointer)
{
	struct ast_expr *address = new_node(d, e, EXPR_CAST, pointer);
	unsigned where = type_is_userland(pointer) ? EX_USER : 0;

	address->left = raw;
	e->kind = EXPR_UNARY;
	e->op = AST_OP_DEREF;
	e->left = address;
	set_lvalue(d, e, type_resolve(pointer)->base, EX_LVALUE | where);
}

/*
 * The address of a copy of raw and of those after it, n in all: the machine has
 * floating-point values and structs only in memory.
 */
static struct ast_expr *spilled(struct dlang *d, const struct ast_expr *at,
				struct ast_expr *raw, uint32_t n)
{
	struct ast_expr *e = new_node(d, at, EXPR_CALL, types_of(d)->t_int64);

	e->ident = scope_find(scope_of(d), AST_GLOBAL, "args_spill");
	e->left = new_node(d, at, EXPR_VAR, types_of(d)->t_int64);
	e->left->text = e->ident->name;
	e->args = raw;
	e->nargs = n;
	return e;
}

/* Replaces e by a use of the inline, which is missing with -x nolibs. */
static int use_inline(struct dlang *d, struct ast_expr *e, const char *name)
{
	struct ident *id = scope_find(scope_of(d), AST_GLOBAL, name);

	if (!id)
		return diag(d, &e->pos, "D_ARGS_XLATOR",
			    "translator for args[%llu] is not defined",
			    (unsigned long long)e->args->value);
	e->kind = EXPR_VAR;
	e->text = name;
	e->args = NULL;
	e->nargs = 0;
	return inline_expand(d, e, id);
}

#define RAW_MAX 10 /* arg0 ... arg9 */

/* A call of a subroutine with one argument. */
static struct ast_expr *call_of(struct dlang *d, const struct ast_expr *at,
				const char *name, struct ast_expr *arg,
				const struct type *result)
{
	struct ast_expr *e = spilled(d, at, arg, 1);

	e->ident = scope_find(scope_of(d), AST_GLOBAL, name);
	e->left->text = e->ident->name;
	e->type = result;
	return e;
}

/* Makes e what the probe passes: an address of text, the bits of a float, a value. */
static void make_native(struct dlang *d, struct ast_expr *e,
			const struct declared_argument *a)
{
	const struct type *t = a->native->type;
	struct ast_expr *raw = raw_argument(d, e, a->index);

	if (type_is_string(t)) {
		struct ast_expr *next = e->next;

		*e = *call_of(d, e, "copyinstr", raw, t);
		e->next = next;
	} else if (type_is_float(t)) {
		make_deref(d, e, spilled(d, e, raw, 1), type_pointer(types_of(d), t));
	} else {
		e->kind = EXPR_CAST;
		e->left = raw;
		e->type = a->output ? t : type_userland(types_of(d), t);
	}
}

/* args[] of a probe that a program declares. STATUS_NOENT: it is of none. */
static int check_declared(struct dlang *d, struct ast_expr *e)
{
	struct declared_argument a;
	uint64_t n = e->args->value;
	int rc = provider_argument(d, n > UINT32_MAX ? UINT32_MAX : (uint32_t)n, &a);
	struct ast_expr *native;

	if (rc == STATUS_NOENT)
		return rc;
	if (rc || a.index >= RAW_MAX || type_is_void(a.native->type))
		return diag(d, &e->pos, "D_ARGS_IDX",
			    "index %lld is out of range for args[ ]", (long long)n);
	e->args = NULL;
	e->nargs = 0;
	if (!a.output) {
		make_native(d, e, &a);
		return 0;
	}
	native = new_node(d, e, EXPR_CAST, a.native->type);
	make_native(d, native, &a);
	e->kind = EXPR_XLATE;
	e->left = native;
	e->tname = a.output;
	return check_xlate(d, e);
}

/* What the tracer knows of args[N]. */
static int get_argument(struct dlang *d, const struct ast_expr *e,
			struct typesrc_argument *out)
{
	const struct typesrc *src = d->env.types;
	struct err err = {0};

	if (!src || !src->argument || e->args->value > UINT32_MAX)
		return diag(d, &e->pos, "D_ARGS_IDX",
			    "index %lld is out of range for args[ ]",
			    (long long)e->args->value);
	if (src->argument(src->ctx, types_of(d), (uint32_t)e->args->value, out, &err)) {
		diag_err(d, &e->pos, &err);
		return STATUS_SYNTAX;
	}
	return 0;
}

int check_args_member(struct dlang *d, struct ast_expr *e)
{
	struct ast_expr *left = e->left;
	const struct ident *id;
	struct typesrc_argument a = {0};
	struct declared_argument declared;

	if (left->kind != EXPR_INDEX || left->left->kind != EXPR_VAR ||
	    left->left->scope != AST_GLOBAL || strcmp(left->left->text, "args") != 0 ||
	    !d->checker->in_clause)
		return 0;
	id = scope_find(scope_of(d), AST_GLOBAL, "args");
	if (!id || id->kind != IDENT_ARGS)
		return 0;
	if (check_arg_index(d, left))
		return STATUS_SYNTAX;
	if (provider_argument(d, (uint32_t)left->args->value, &declared) !=
	    STATUS_NOENT)
		return 0;
	if (get_argument(d, left, &a))
		return STATUS_SYNTAX;
	return a.where ? check_where_member(d, e, &a) : 0;
}

int check_args(struct dlang *d, struct ast_expr *e, struct ident *id)
{
	struct typesrc_argument a = {0};
	const struct type *pointer;
	struct ast_expr *raw;
	int rc = check_arg_index(d, e);

	if (rc)
		return rc;
	if (!d->checker->in_clause)
		return diag(d, &e->pos, "D_ARGS_NONE",
			    "args[ ] may not be referenced outside of a probe clause");
	rc = check_declared(d, e);
	if (rc != STATUS_NOENT)
		return rc;
	rc = get_argument(d, e, &a);
	if (rc)
		return rc;
	if (a.inlined)
		return use_inline(d, e, a.inlined);
	if (a.where)
		return check_where(d, e, &a);
	raw = raw_value(d, e, &a);
	e->args = NULL;
	pointer = type_pointer(types_of(d), a.type);
	if (a.is_address) {
		make_deref(d, e, raw, type_userland(types_of(d), pointer));
		return 0;
	}
	if (type_is_float(a.type)) {
		make_deref(d, e, spilled(d, e, raw, 1), pointer);
		return 0;
	}
	e->kind = EXPR_CAST;
	e->left = raw;
	e->ident = id;
	e->type = a.type;
	e->flags |= EX_LVALUE;
	return 0;
}
