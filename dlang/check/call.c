/* SPDX-License-Identifier: MIT */
/*
 * Calls: the called name, the number and types of arguments; signatures of arrays and
 * aggregations.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/xlate.h"

const char *expr_type_name(const struct ast_expr *e)
{
	if (e->kind == EXPR_AGG)
		return "aggregation";
	if (xlate_is_pointer(e, NULL))
		return "pointer to translated data";
	return e->type ? e->type->name : "<unknown>";
}

int bad_argument(struct dlang *d, const struct ast_expr *arg, const char *func,
		 uint32_t number, const char *proto)
{
	return diag(d, &arg->pos, "D_PROTO_ARG",
		    "%s( ) argument #%u is incompatible with prototype:\n"
		    "\tprototype: %s\n\t argument: %s",
		    func, number, proto, expr_type_name(arg));
}

/* Resolves the called name. */
static int check_callee(struct dlang *d, struct ast_expr *e)
{
	const struct ast_expr *name = e->left;
	struct ident *id;

	if (name->kind == EXPR_ERROR)
		return STATUS_SYNTAX;
	id = scope_find_called(scope_of(d), name->text);
	if (!id)
		hint_function(d, name->text);
	if (!id)
		return diag(d, &e->pos, "D_FUNC_UNDEF", "undefined function name: %s",
			    name->text);
	if (!ident_is_func(id))
		hint_called(d, id);
	if (!ident_is_func(id))
		return diag(d, &e->pos, "D_FUNC_IDKIND",
			    "%s '%s' may not be referenced as a function",
			    ident_kind_name(id), id->name);
	e->ident = id;
	return stability_use_ident(d, &e->pos, id);
}

int check_count(struct dlang *d, const struct ast_expr *e, const char *tag)
{
	const struct ident *id = e->ident;
	uint32_t expected = e->nargs < id->least ? id->least : id->most;
	const char *bound = "";

	if (e->nargs >= id->least && e->nargs <= id->most)
		return 0;
	if (id->least != id->most)
		bound = e->nargs < id->least ? "at least " : "at most ";
	return diag(d, &e->pos, tag,
		    "%s( ) prototype mismatch: %u arg%s passed, %s%u expected",
		    id->name, e->nargs, e->nargs == 1 ? "" : "s", bound, expected);
}

int check_arg_count(struct dlang *d, const struct ast_expr *e)
{
	return check_count(d, e, "D_PROTO_LEN");
}

/*
 * Beyond is_compatible(): uintptr_t accepts any pointer, string a userland pointer
 * (which is copied in), void * a string, and "@" (no type) any value.
 */
bool fits_parameter(struct dlang *d, const struct type *param,
		    const struct ast_expr *arg)
{
	if (!param)
		return !type_is_void(arg->type) && arg->type->kind != TYPE_DYN;
	if (strcmp(param->name, "uintptr_t") == 0 && type_is_pointer(arg->type))
		return true;
	if (type_is_strcompat(param) && type_is_strcompat(arg->type))
		return true;
	if (type_resolve(param)->kind == TYPE_POINTER &&
	    type_is_void(type_resolve(param)->base) && type_is_string(arg->type))
		return true;
	return is_compatible(d, param, arg);
}

int check_subr(struct dlang *d, struct ast_expr *e)
{
	const struct ident *id = e->ident;
	const struct ast_expr *arg = e->args;
	int rc = check_list(d, e->args);

	if (!rc)
		rc = check_arg_count(d, e);
	for (uint32_t i = 0; arg && !rc; i++, arg = arg->next)
		if (!fits_parameter(d, id->params[i], arg))
			rc = bad_argument(d, arg, id->name, i + 1,
					  id->params[i] ? id->params[i]->name
							: "any type");
	/* The only parameter of all subroutines that must be constant. */
	arg = e->nargs > 1 ? e->args->next : NULL;
	if (!rc && id->number == SUBR_inet_ntoa6 && arg && !expr_is_const(arg))
		rc = bad_argument(d, arg, id->name, 2, "int");
	e->type = id->type;
	return rc;
}

int check_call(struct dlang *d, struct ast_expr *e)
{
	const struct ident *id;
	int rc = check_callee(d, e);

	if (rc)
		return rc;
	id = e->ident;
	if (ident_is_kernel_func(id))
		return check_kernel_call(d, e);
	if (id->kind == IDENT_ACTION || id->kind == IDENT_AGGFUNC)
		return check_action_call(d, e);
	if (id->flags & SUBR_LOCATION)
		return check_location(d, e);
	return check_subr(d, e);
}

/* ---- keys ---- */

int check_usable_keys(struct dlang *d, const struct ast_expr *keys,
		      enum ident_kind what)
{
	const struct ident of = {.kind = what};
	uint32_t number = 1;

	for (const struct ast_expr *key = keys; key; key = key->next, number++) {
		enum type_kind k = type_resolve(key->type)->kind;

		if (k == TYPE_VOID || k == TYPE_DYN || k == TYPE_FUNC ||
		    k == TYPE_FLOAT)
			return diag(d, &key->pos, "D_KEY_TYPE",
				    "%s expression may not be used as %s index: key "
				    "#%u",
				    expr_type_name(key), ident_kind_name(&of), number);
	}
	return 0;
}

/* Stacks of all kinds and depths are keys of one type, and so are symbols. */
static bool is_key_compatible(struct dlang *d, const struct ident *id, uint32_t i,
			      const struct ast_expr *key)
{
	return is_compatible(d, id->params[i], key) ||
	       type_is_like_location(id->params[i], key->type);
}

static void set_signature(struct dlang *d, struct ast_expr *keys, uint32_t nkeys,
			  struct ident *id)
{
	id->params = arena_alloc(&d->arena, (nkeys + 1) * sizeof(*id->params));
	id->nparams = nkeys;
	id->has_params = true;
	for (uint32_t i = 0; keys; i++, keys = keys->next)
		id->params[i] = keys->type;
}

int check_keys(struct dlang *d, const struct ast_expr *e, struct ast_expr *keys,
	       uint32_t nkeys, struct ident *id)
{
	const char *at = id->kind == IDENT_AGG ? "@" : "";
	const struct ast_expr *key;

	if (check_usable_keys(d, keys, id->kind))
		return STATUS_SYNTAX;
	if (!id->has_params) {
		set_signature(d, keys, nkeys, id);
		return 0;
	}
	if (nkeys != id->nparams)
		return diag(d, &e->pos, "D_PROTO_LEN",
			    "%s%s[ ] prototype mismatch: %u key%s passed, %u expected",
			    at, id->name, nkeys, nkeys == 1 ? "" : "s", id->nparams);
	key = keys;
	for (uint32_t i = 0; key; i++, key = key->next)
		if (!is_key_compatible(d, id, i, key))
			return diag(d, &key->pos, "D_PROTO_ARG",
				    "%s%s[ ] key #%u is incompatible with prototype:\n"
				    "\tprototype: %s\n\t      key: %s",
				    at, id->name, i + 1, id->params[i]->name,
				    key->type->name);
	return 0;
}
