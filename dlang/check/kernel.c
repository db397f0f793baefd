/* SPDX-License-Identifier: MIT */
/*
 * Names of D that only a kernel can serve: KERNEL in action.def. A call is typed like
 * any other; if the whole program is right it is refused in the end.
 */
#include "dlang/check/internal.h"

#include <string.h>

/* One parameter type of a prototype such as "void *, int". */
struct param {
	const char *text;
	size_t len;
};

static struct param param_next(const char **proto)
{
	struct param p = {*proto, strcspn(*proto, ",")};

	*proto += p.len;
	*proto += strspn(*proto, ", ");
	return p;
}

/* "void *" takes any pointer, another pointer type those to structs and unions. */
static bool fits(struct dlang *d, const struct param *p, const struct ast_expr *arg)
{
	const struct type *t = type_resolve(arg->type), *to;

	if (p->text[p->len - 1] != '*')
		return type_is_int(t);
	if (expr_is_zero(arg))
		return true;
	to = type_is_pointer(t) ? type_pointee(types_of(d), t) : NULL;
	return to && (p->text[0] == 'v' || type_is_struct_or_union(to));
}

static int check_count_of(struct dlang *d, const struct ast_expr *e, const char *proto)
{
	uint32_t n = 0;

	while (*proto) {
		param_next(&proto);
		n++;
	}
	if (e->nargs == n)
		return 0;
	return diag(d, &e->pos, "D_PROTO_LEN",
		    "%s( ) prototype mismatch: %u arg%s passed, %u expected",
		    e->ident->name, e->nargs, e->nargs == 1 ? "" : "s", n);
}

static int check_params(struct dlang *d, const struct ast_expr *e)
{
	const char *proto = e->ident->proto;
	uint32_t number = 1;

	for (const struct ast_expr *a = e->args; a; a = a->next, number++) {
		struct param p = param_next(&proto);

		if (!fits(d, &p, a))
			return bad_argument(d, a, e->ident->name, number,
					    arena_strndup(&d->arena, p.text, p.len));
	}
	return 0;
}

/* In the definition of an inline or translator the name may never be used. */
static void refuse(struct dlang *d, const struct ast_expr *e, const char *tag,
		   const char *brackets)
{
	if (d->checker->in_clause)
		diag_late(d, &e->pos, tag, "%s%s has no meaning in user-mode tracing",
			  e->ident->name, brackets);
}

int check_kernel_call(struct dlang *d, struct ast_expr *e)
{
	int rc = check_list(d, e->args);

	if (!rc)
		rc = check_count_of(d, e, e->ident->proto);
	if (!rc)
		rc = check_params(d, e);
	if (rc)
		return rc;
	e->type = e->ident->type;
	refuse(d, e, "D_UNKNOWN", "( )");
	return 0;
}

int check_kernel_var(struct dlang *d, struct ast_expr *e)
{
	e->type = e->ident->type;
	e->flags |= EX_LVALUE;
	refuse(d, e, "D_VAR_UNSUP", "");
	return 0;
}
