/* SPDX-License-Identifier: MIT */
/*
 * Translators. A definition is checked once, with a placeholder for the operand.
 * "xlate<T>(e).m" and "xlate<T *>(e)->m" become a copy of the conversion of m, with e in
 * place of the input. Only a whole translated struct exists in memory (gen/xlate.c).
 */
#include "dlang/check/xlate.h"

#include <string.h>

#include "dlang/check/internal.h"
#include "dlang/check/clone.h"

/* ---- finding ---- */

static bool gives(const struct translator *x, const struct type *out)
{
	return type_resolve(x->out) == type_resolve(out);
}

/* The translator from exactly the type in to out; NULL: none. */
static struct translator *find_exact(struct dlang *d, const struct type *out,
				     const struct type *in)
{
	for (struct translator *x = d->checker->translators; x; x = x->next)
		if (gives(x, out) && type_is_same(x->in, in))
			return x;
	return NULL;
}

const struct translator *xlate_find(struct dlang *d, const struct type *out,
				    const struct ast_expr *from)
{
	struct translator *x = find_exact(d, out, from->type);

	if (x)
		return x;
	for (x = d->checker->translators; x; x = x->next)
		if (gives(x, out) && is_compatible(d, x->in, from))
			return x;
	return NULL;
}

/* The last conversion of the member. */
static const struct ast_conversion *find_member(const struct translator *x,
						const char *name)
{
	const struct ast_conversion *found = NULL;

	for (const struct ast_conversion *c = x->def->members; c; c = c->next)
		if (strcmp(c->name, name) == 0)
			found = c;
	return found;
}

/* ---- definitions ---- */

/* Whether e may be the value of the member: also a string for an array of char. */
static bool fits(struct dlang *d, const struct type *member, const struct ast_expr *e)
{
	if (type_is_strcompat(member) && type_is_string(e->type))
		return true;
	return is_compatible(d, member, e) || xlate_is_pointer(e, member);
}

static int check_conversion(struct dlang *d, const struct translator *x,
			    const struct ast_conversion *c)
{
	struct ast_expr *input = expr_placeholder(d, x->def->in);
	const char *name = input->text;
	struct clone copy = {.d = d,
			     .pos = c->value->pos,
			     .names = &name,
			     .values = &input,
			     .count = 1};
	struct type_member m;
	struct ast_expr *e;

	if (!type_member(types_of(d), x->out, c->name, &m))
		return diag(d, &c->pos, "D_XLATE_MEMB",
			    "translator member %s is not a member of %s", c->name,
			    x->out->name);
	e = check_definition(&copy, c->value, &c->pos, c->name);
	if (!e)
		return STATUS_SYNTAX;
	if (!fits(d, m.type, e))
		return diag(d, &c->value->pos, "D_XLATE_INCOMPAT",
			    "translator member %s definition uses incompatible types: "
			    "\"%s\" = \"%s\"",
			    c->name, m.type->name, expr_type_name(e));
	return 0;
}

static int check_types(struct dlang *d, const struct ast_translator *def,
		       struct translator *x)
{
	x->out = check_typename(d, def->out);
	x->in = x->out ? check_typename(d, def->in) : NULL;
	if (!x->in)
		return STATUS_SYNTAX;
	if (!type_is_struct_or_union(x->out))
		return diag(d, &def->out->pos, "D_XLATE_SOU",
			    "translator output type must be a struct or union");
	if (!type_complete(types_of(d), x->out))
		return diag(d, &def->out->pos, "D_XLATE_SOU",
			    "incomplete struct/union/enum %s",
			    type_resolve(x->out)->name);
	if (type_is_void(x->in) || type_resolve(x->in)->kind == TYPE_FUNC)
		return diag(d, &def->in->pos, "D_DECL_VOIDOBJ",
			    "translator input may not be of type %s", x->in->name);
	if (find_exact(d, x->out, x->in))
		return diag(d, &def->pos, "D_XLATE_REDECL",
			    "translator from %s to %s has already been declared",
			    x->in->name, x->out->name);
	return 0;
}

int check_translator(struct dlang *d, struct ast_translator *def)
{
	struct translator *x = arena_alloc(&d->arena, sizeof(*x));
	int rc;

	check_begin(d);
	x->def = def;
	def->version = d->options.version;
	rc = check_types(d, def, x);
	if (rc)
		return rc;
	for (const struct ast_conversion *c = def->members; c; c = c->next)
		if (check_conversion(d, x, c))
			rc = STATUS_SYNTAX;
	if (rc)
		return rc;
	x->next = d->checker->translators;
	d->checker->translators = x;
	return 0;
}

/* ---- uses ---- */

int check_xlate(struct dlang *d, struct ast_expr *e)
{
	const struct type *to = check_typename(d, e->tname), *out;
	struct xlation *made;
	const struct translator *x;

	if (check_expr(d, e->left) || !to)
		return STATUS_SYNTAX;
	out = type_resolve(to)->kind == TYPE_POINTER ? type_resolve(to)->base : to;
	if (!type_is_struct_or_union(out))
		return diag(d, &e->pos, "D_XLATE_SOU",
			    "operator xlate requires a struct, a union or a pointer to "
			    "one: %s",
			    to->name);
	x = xlate_find(d, out, e->left);
	if (!x)
		return diag(d, &e->pos, "D_XLATE_NONE",
			    "cannot translate from \"%s\" to \"%s\"",
			    expr_type_name(e->left), to->name);
	made = arena_alloc(&d->arena, sizeof(*made));
	made->translator = x;
	made->is_pointer = out != to;
	e->extra = made;
	e->type = made->is_pointer ? types_of(d)->t_dyn : to;
	e->left = expr_converted(d, e->left, x->in);
	return 0;
}

static const struct xlation *xlation_of(const struct ast_expr *e)
{
	return e->kind == EXPR_XLATE ? e->extra : NULL;
}

bool xlate_is_pointer(const struct ast_expr *e, const struct type *to)
{
	const struct xlation *x = xlation_of(e);

	if (!x || !x->is_pointer)
		return false;
	return !to || (type_resolve(to)->kind == TYPE_POINTER &&
		       gives(x->translator, type_resolve(to)->base));
}

struct ast_expr *xlate_conversion(struct dlang *d, const struct ast_expr *e,
				  const char *name)
{
	const struct translator *x = xlation_of(e)->translator;
	const struct ast_conversion *c = find_member(x, name);
	const char *input = x->def->in->declarator->name;
	struct clone copy = {
		.d = d, .pos = e->pos, .names = &input, .values = &e->left, .count = 1};
	struct ast_expr *value = clone_expr(&copy, c->value);
	struct type_member m;

	if (!value) {
		expr_too_big(d, &e->pos, name);
		return NULL;
	}
	if (check_copy(d, value, x->def->version))
		return NULL;
	type_member(types_of(d), x->out, name, &m);
	/* the value of an array of char stays a string */
	if (!type_is_strcompat(m.type))
		value = expr_converted(d, value, m.type);
	value->flags &= ~(uint32_t)EX_WRITABLE;
	return value;
}

int xlate_member(struct dlang *d, struct ast_expr *e)
{
	const struct xlation *x = xlation_of(e->left);
	struct ast_expr *value;
	struct type_member m;

	if (x->is_pointer && e->op == AST_OP_DOT)
		return diag(d, &e->pos, "D_OP_SOU",
			    "operator . cannot be applied to type \"%s *\"; must be "
			    "applied to a struct or union",
			    x->translator->out->name);
	if (!x->is_pointer && e->op == AST_OP_ARROW)
		return diag(d, &e->pos, "D_OP_PTR",
			    "operator -> must be applied to a pointer");
	if (!type_member(types_of(d), x->translator->out, e->text, &m))
		return diag(d, &e->pos, "D_TYPE_MEMBER", "%s is not a member of %s",
			    e->text, x->translator->out->name);
	if (!find_member(x->translator, e->text))
		return diag(d, &e->pos, "D_XLATE_NOCONV",
			    "translator does not define conversion for member: %s",
			    e->text);
	value = xlate_conversion(d, e->left, e->text);
	if (!value)
		return STATUS_SYNTAX;
	expr_replace(e, value);
	e->declared = m.type;
	return 0;
}

int xlate_deref(struct dlang *d, struct ast_expr *e)
{
	const struct xlation *x = xlation_of(e->left);
	struct xlation *made = arena_alloc(&d->arena, sizeof(*made));
	struct ast_expr *inner = e->left;

	made->translator = x->translator;
	inner->extra = made;
	inner->type = x->translator->out;
	expr_replace(e, inner);
	return 0;
}

int xlate_refuse(struct dlang *d, const struct ast_expr *e)
{
	if (!xlate_is_pointer(e, NULL))
		return 0;
	return diag(d, &e->pos, "D_CG_DYN",
		    "expression cannot evaluate to result of a translated pointer");
}
