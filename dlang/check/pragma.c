/* SPDX-License-Identifier: MIT */
/*
 * Pragmas about names: their stability, and the version that introduced them. A name
 * that is not defined yet gets these properties when it is (scope.c).
 */
#include "dlang/check/internal.h"
#include "dlang/check/provider.h"

static struct ident_pragma *add(struct dlang *d, const struct ast_pos *pos,
				const char *name)
{
	struct scope *s = scope_of(d);
	struct ident_pragma *p = arena_alloc(&d->arena, sizeof(*p));

	p->name = name;
	p->pos = *pos;
	p->next = s->pragmas;
	s->pragmas = p;
	return p;
}

/*
 * Finds the global name of the pragma, NULL if it is not defined yet. False: the name is
 * not of the current program, which is reported.
 */
static bool find(struct dlang *d, const struct ast_pos *pos, const char *pragma,
		 const char *name, struct ident **out)
{
	struct scope *s = scope_of(d);

	*out = scope_find(s, AST_GLOBAL, name);
	if (!*out || (*out)->unit == s->unit)
		return true;
	diag(d, pos, "D_PRAGMA_SCOPE",
	     "#pragma %s cannot modify %s: it is defined outside of this program",
	     pragma, name);
	return false;
}

void check_pragma_provider(struct dlang *d, const struct ast_pos *pos,
			   const char *provider, const char *field, struct stability s)
{
	if (stability_is_built_in(provider))
		diag(d, pos, "D_PRAGMA_SCOPE",
		     "#pragma attributes cannot modify provider %s: it is "
		     "defined outside of this program",
		     provider);
	else if (stability_set_provider(d, provider, field, s))
		diag(d, pos, "D_PRAGMA_INVAL",
		     "invalid component \"%s\" in attribute #pragma for provider %s",
		     field, provider);
	else if (!provider_is_declared(d, provider))
		add(d, pos, provider)->is_provider = true;
}

void check_pragma_attributes(struct dlang *d, const struct ast_pos *pos,
			     const char *name, struct stability s)
{
	struct ident_pragma *p;
	struct ident *id;

	if (!find(d, pos, "attributes", name, &id))
		return;
	if (id) {
		id->attr = s;
		id->has_attr = true;
		return;
	}
	p = add(d, pos, name);
	p->attr = s;
	p->has_attr = true;
}

void check_pragma_binding(struct dlang *d, const struct ast_pos *pos, const char *name,
			  uint32_t version)
{
	struct ident *id;

	if (!find(d, pos, "binding", name, &id))
		return;
	if (id)
		id->since = version;
	else
		add(d, pos, name)->since = version;
}

void check_pragmas_used(struct dlang *d)
{
	for (const struct ident_pragma *p = scope_of(d)->pragmas; p; p = p->next)
		if (!p->is_used && diag_count(d) == 0)
			diag(d, &p->pos, "D_PRAGMA_UNUSED", "unused #pragma %s",
			     p->has_attr || p->is_provider ? "attributes" : "binding");
	scope_of(d)->pragmas = NULL;
}
