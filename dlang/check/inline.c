/* SPDX-License-Identifier: MIT */
/*
 * Inlines. A definition is checked once, with placeholders for the arguments. Each use
 * becomes a copy of the defining expression, which is checked where it is used, and
 * converted to the declared type. xlate.c uses the same functions for translators.
 *
 * The depth of a copy adds to that of the tree around it. So the depth of a definition,
 * after expansion of the inlines in it, is limited to AST_DEPTH_MAX.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/clone.h"
#include "dlang/check/fold.h"
#include "dlang/check/xlate.h"

struct ast_expr *expr_converted(struct dlang *d, struct ast_expr *e,
				const struct type *type)
{
	struct ast_expr *cast;

	if (type_is_same(type, e->type) || e->type->kind == TYPE_DYN)
		return e;
	cast = arena_alloc(&d->arena, sizeof(*cast));
	*cast = (struct ast_expr){.kind = EXPR_CAST,
				  .pos = e->pos,
				  .left = e,
				  .type = type,
				  .flags = EX_CHECKED,
				  .depth = e->depth + 1};
	if (expr_is_const(e) && type_is_scalar(type)) {
		cast->kind = EXPR_INT;
		cast->value = fold_cast(e->value, type);
		cast->left = NULL;
	}
	return cast;
}

/* Reports once for each declaration or clause: the rest of it is too large as well. */
int expr_too_big(struct dlang *d, const struct ast_pos *pos, const char *name)
{
	if (d->checker->expanded == UINT32_MAX)
		return STATUS_SYNTAX;
	d->checker->expanded = UINT32_MAX;
	return diag(d, pos, "D_UNKNOWN",
		    "%s stands for too large an expression: simplify it", name);
}

/* ---- definitions ---- */

static uint32_t expr_depth(const struct ast_expr *e)
{
	const struct ast_expr *children[] = {e->left, e->right, e->third};
	uint32_t most = 0, depth;

	for (size_t i = 0; i < ARRAY_LEN(children); i++) {
		depth = children[i] ? expr_depth(children[i]) : 0;
		most = depth > most ? depth : most;
	}
	for (const struct ast_expr *a = e->args; a; a = a->next) {
		depth = expr_depth(a);
		most = depth > most ? depth : most;
	}
	return most + 1;
}

struct ast_expr *check_definition(struct clone *c, const struct ast_expr *value,
				  const struct ast_pos *pos, const char *name)
{
	struct ast_expr *e = clone_expr(c, value);

	if (!e) {
		expr_too_big(c->d, pos, name);
		return NULL;
	}
	if (check_expr(c->d, e))
		return NULL;
	if (expr_depth(e) > AST_DEPTH_MAX) {
		expr_too_big(c->d, pos, name);
		return NULL;
	}
	return e;
}

static int check_parameter(struct dlang *d, const struct ast_inline *def,
			   struct ast_typename *p, uint32_t number)
{
	const char *name = p->declarator->name;

	if (!check_typename(d, p))
		return STATUS_SYNTAX;
	if (type_is_void(p->type) || type_is_float(p->type) ||
	    type_resolve(p->type)->kind == TYPE_FUNC)
		return bad_parameter(d, p, "array", number);
	if (!name)
		return diag(d, &p->pos, "D_DECL_PROTO_NAME",
			    "inline %s requires a name for each of its parameters",
			    def->what->declarator->name);
	for (const struct ast_typename *q = def->params->params; q != p; q = q->next)
		if (strcmp(q->declarator->name, name) == 0)
			return diag(d, &p->pos, "D_DECL_IDRED",
				    "identifier redeclared: %s is already a parameter "
				    "of inline %s",
				    name, def->what->declarator->name);
	return 0;
}

static int check_parameters(struct dlang *d, const struct ast_inline *def)
{
	uint32_t number = 0;

	if (!def->params)
		return 0;
	if (def->params->varargs)
		return diag(d, &def->params->pos, "D_DECL_PROTO_VARARGS",
			    "inline %s may not use a variable-length argument list",
			    def->what->declarator->name);
	for (struct ast_typename *p = def->params->params; p; p = p->next)
		if (check_parameter(d, def, p, ++number))
			return STATUS_SYNTAX;
	return 0;
}

static int check_name(struct dlang *d, const struct ast_inline *def)
{
	const char *name = def->what->declarator->name;
	const struct ident *id = scope_find(scope_of(d), AST_GLOBAL, name);

	if (id)
		return diag(d, &def->what->declarator->pos, "D_DECL_IDRED",
			    "identifier redefined: %s\n\t current: inline definition\n"
			    "\tprevious: %s%s",
			    name, ident_kind_name(id),
			    id->kind == IDENT_INLINE ? " inline" : "");
	return check_scope_limit(d, &def->what->declarator->pos, AST_GLOBAL, name);
}

/* The declared type; NULL: an error is reported. */
static const struct type *check_type(struct dlang *d, const struct ast_inline *def)
{
	const struct ast_declarator *v = def->what->declarator;
	const struct type *t;

	if (def->what->specs->storage != STORAGE_NONE) {
		diag(d, &def->what->pos, "D_DECL_BADCLASS",
		     "specified storage class not appropriate in D");
		return NULL;
	}
	if (v->derive && v->derive->kind == DERIVE_ARRAY) {
		diag(d, &v->pos, "D_DECL_ARRNULL",
		     "inline declaration requires array tuple signature: %s", v->name);
		return NULL;
	}
	t = check_typename(d, def->what);
	if (t && (type_is_void(t) || type_resolve(t)->kind == TYPE_FUNC)) {
		diag(d, &v->pos, "D_DECL_VOIDOBJ", "cannot declare inline: %s",
		     v->name);
		return NULL;
	}
	return t;
}

struct ast_expr *expr_placeholder(struct dlang *d, const struct ast_typename *p)
{
	struct ast_expr *e = arena_alloc(&d->arena, sizeof(*e));

	*e = (struct ast_expr){.kind = EXPR_PARAM,
			       .pos = p->pos,
			       .text = p->declarator->name,
			       .type = p->type,
			       .flags = EX_CHECKED,
			       .depth = 1};
	return e;
}

/* The names of the parameters. values, unless NULL, gets a placeholder for each. */
static const char **parameter_names(struct dlang *d, const struct ast_inline *def,
				    struct ast_expr **values)
{
	uint32_t n = def->params ? def->params->nparams : 0, i = 0;
	const char **names = arena_alloc(&d->arena, (n + 1) * sizeof(*names));

	for (const struct ast_typename *p = def->params ? def->params->params : NULL; p;
	     p = p->next, i++) {
		names[i] = p->declarator->name;
		if (values)
			values[i] = expr_placeholder(d, p);
	}
	return names;
}

static int check_value(struct dlang *d, const struct ast_inline *def)
{
	const char *name = def->what->declarator->name;
	uint32_t n = def->params ? def->params->nparams : 0;
	struct ast_expr **values =
		arena_alloc(&d->arena, (n + 1) * sizeof(struct ast_expr *));
	struct clone c = {.d = d, .values = values, .count = n, .pos = def->value->pos};
	struct ast_expr *e;

	c.names = parameter_names(d, def, values);
	e = check_definition(&c, def->value, &def->pos, name);
	if (!e)
		return STATUS_SYNTAX;
	if (!is_compatible(d, def->what->type, e) &&
	    !xlate_is_pointer(e, def->what->type))
		return diag(d, &def->value->pos, "D_OP_INCOMPAT",
			    "inline %s definition uses incompatible types: \"%s\" = "
			    "\"%s\"",
			    name, def->what->type->name, expr_type_name(e));
	return 0;
}

int check_inline(struct dlang *d, struct ast_inline *def)
{
	const struct type *type;
	struct ident *id;
	uint32_t i = 0;

	if (def->what->declarator->is_bad || def->what->specs->is_bad)
		return STATUS_SYNTAX;
	check_begin(d);
	type = check_type(d, def);
	if (!type || check_name(d, def) || check_parameters(d, def) ||
	    check_value(d, def))
		return STATUS_SYNTAX;
	def->version = d->options.version;
	id = scope_add_inline(scope_of(d), def->what->declarator->name, type);
	id->def = def;
	if (!def->params)
		return 0;
	id->has_params = true;
	id->nparams = def->params->nparams;
	id->params = arena_alloc(&d->arena, (id->nparams + 1) * sizeof(*id->params));
	for (const struct ast_typename *p = def->params->params; p; p = p->next)
		id->params[i++] = p->type;
	return 0;
}

/* ---- uses ---- */

int check_copy(struct dlang *d, struct ast_expr *e, uint32_t version)
{
	uint32_t now = d->options.version;
	int rc;

	d->options.version = version;
	rc = check_expr(d, e);
	d->options.version = now;
	return rc;
}

static struct ast_expr **arguments(struct dlang *d, struct ast_expr *e,
				   const struct ident *id)
{
	struct ast_expr **values =
		arena_alloc(&d->arena, (id->nparams + 1) * sizeof(struct ast_expr *));
	struct ast_expr *a = e->args, *next;

	for (uint32_t i = 0; a; i++, a = next) {
		next = a->next;
		values[i] = expr_converted(d, a, id->params[i]);
	}
	return values;
}

void expr_replace(struct ast_expr *e, const struct ast_expr *by)
{
	struct ast_expr *next = e->next;

	*e = *by;
	e->next = next;
	e->is_paren = true;
}

int inline_expand(struct dlang *d, struct ast_expr *e, struct ident *id)
{
	struct clone c = {.d = d, .pos = e->pos};
	struct ast_expr *copy;
	int rc;

	if (e->kind == EXPR_INDEX) {
		if (check_list(d, e->args) || check_keys(d, e, e->args, e->nargs, id))
			return STATUS_SYNTAX;
		c.names = parameter_names(d, id->def, NULL);
		c.values = arguments(d, e, id);
		c.count = id->nparams;
	}
	copy = clone_expr(&c, id->def->value);
	if (!copy)
		return expr_too_big(d, &e->pos, id->name);
	/* its own stability replaces that of the names in its definition */
	if (id->has_attr)
		stability_hide_begin(d);
	rc = check_copy(d, copy, id->def->version);
	if (id->has_attr)
		stability_hide_end(d);
	if (rc)
		return rc;
	expr_replace(e, expr_converted(d, copy, id->type));
	return 0;
}
