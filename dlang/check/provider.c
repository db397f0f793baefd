/* SPDX-License-Identifier: MIT */
/*
 * Provider declarations: names, arguments, and the translation of native arguments to
 * output arguments.
 */
#include "dlang/check/provider.h"

#include <ctype.h>
#include <string.h>

#include "dlang/check/internal.h"
#include "dlang/check/xlate.h"

#define NAME_LENGTH_MAX 63
#define ARGS_MAX	255

const char *provider_probe_name(struct dlang *d, const char *written)
{
	char *name = arena_strdup(&d->arena, written), *to = name;

	for (const char *from = written; *from; from++) {
		if (from[0] == '_' && from[1] == '_') {
			*to++ = '-';
			from++;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return name;
}

/* ---- names ---- */

static int check_provider_name(struct dlang *d, const struct ast_provider *p)
{
	size_t n = strlen(p->name);

	if (n > NAME_LENGTH_MAX)
		return diag(d, &p->pos, "D_PROV_BADNAME",
			    "provider name may not exceed %d characters: %s",
			    NAME_LENGTH_MAX, p->name);
	if (strchr(p->name, '`'))
		return diag(d, &p->pos, "D_PROV_BADNAME",
			    "provider name may not contain scoping operator: %s",
			    p->name);
	if (n > 0 && isdigit((unsigned char)p->name[n - 1]))
		return diag(d, &p->pos, "D_PROV_BADNAME",
			    "provider name may not end with a digit: %s", p->name);
	return 0;
}

static int check_probe_name(struct dlang *d, const struct ast_provider *p,
			    const struct ast_probe_def *v)
{
	const char *name = provider_probe_name(d, v->name);

	if (strchr(name, '`'))
		return diag(d, &v->pos, "D_PROV_BADNAME",
			    "probe name may not contain scoping operator: %s", name);
	if (strlen(name) > NAME_LENGTH_MAX)
		return diag(d, &v->pos, "D_PROV_BADNAME",
			    "probe name may not exceed %d characters: %s",
			    NAME_LENGTH_MAX, name);
	for (const struct ast_probe_def *q = p->probes; q != v; q = q->next)
		if (strcmp(provider_probe_name(d, q->name), name) == 0)
			return diag(d, &v->pos, "D_PROV_PRDUP",
				    "probe redeclared: %s:::%s", p->name, name);
	return 0;
}

/* ---- arguments ---- */

/* The parameter called name, among those before end (NULL: among all). */
static struct ast_typename *find_parameter(const struct ast_derive *list,
					   const struct ast_typename *end,
					   const char *name)
{
	for (struct ast_typename *p = list->params; p && p != end; p = p->next)
		if (p->declarator->name && strcmp(p->declarator->name, name) == 0)
			return p;
	return NULL;
}

static int check_void(struct dlang *d, const struct ast_derive *list,
		      const struct ast_typename *p)
{
	if (p->declarator->name)
		return diag(d, &p->pos, "D_DECL_PROTO_NAME",
			    "void parameter may not have a name: %s",
			    p->declarator->name);
	if (list->nparams > 1)
		return diag(d, &p->pos, "D_DECL_PROTO_VOID",
			    "void must be the sole parameter of a probe");
	return 0;
}

/* Checks one list of parameters. */
static int check_list_of(struct dlang *d, const struct ast_derive *list,
			 const char *probe)
{
	bool is_named = list->params && list->params->declarator->name;

	if (list->varargs)
		return diag(d, &list->pos, "D_DECL_PROTO_VARARGS",
			    "probe %s may not use a variable-length argument list",
			    probe);
	if (list->nparams > ARGS_MAX)
		return diag(d, &list->pos, "D_PROV_PRARGLEN",
			    "probe %s has more than %d arguments", probe, ARGS_MAX);
	for (struct ast_typename *p = list->params; p; p = p->next) {
		const struct type *t = check_typename(d, p);

		if (!t)
			return STATUS_SYNTAX;
		if (type_is_void(t)) {
			if (check_void(d, list, p))
				return STATUS_SYNTAX;
			continue;
		}
		if (type_resolve(t)->kind == TYPE_FUNC)
			return diag(
				d, &p->pos, "D_DECL_PROTO_TYPE",
				"%s may not be used as a parameter type of probe %s",
				t->name, probe);
		if ((p->declarator->name != NULL) != is_named)
			return diag(
				d, &p->pos, "D_DECL_PROTO_NAME",
				"parameters of probe %s must all have a name or all "
				"have none",
				probe);
	}
	return 0;
}

static bool is_empty(const struct ast_derive *list)
{
	return !list->params || type_is_void(list->params->type);
}

/* The native argument for output argument number i. */
static struct ast_typename *native_of(const struct ast_probe_def *v,
				      const struct ast_typename *p, uint32_t i)
{
	struct ast_typename *q = v->native->params;

	if (p->declarator->name)
		return find_parameter(v->native, NULL, p->declarator->name);
	while (q && i-- > 0)
		q = q->next;
	return q;
}

static bool can_translate(struct dlang *d, const struct type *to,
			  struct ast_typename *native)
{
	const struct ast_expr *from = expr_placeholder(d, native);
	const struct type *t = type_resolve(to);

	if (type_is_same(to, native->type))
		return true;
	if (t->kind == TYPE_POINTER)
		t = t->base;
	return type_is_struct_or_union(t) && xlate_find(d, t, from);
}

static int check_output(struct dlang *d, const struct ast_probe_def *v,
			const char *probe)
{
	uint32_t i = 0;

	if (is_empty(v->output))
		return 0;
	for (const struct ast_typename *p = v->output->params; p; p = p->next, i++) {
		struct ast_typename *native = native_of(v, p, i);

		if (!native || type_is_void(native->type))
			return diag(d, &p->pos, "D_DECL_PROTO_FORM",
				    "argument #%u%s%s of the output of probe %s is not "
				    "among its native arguments",
				    i + 1, p->declarator->name ? " " : "",
				    p->declarator->name ? p->declarator->name : "",
				    probe);
		if (!can_translate(d, p->type, native))
			return diag(
				d, &p->pos, "D_PROV_PRXLATOR",
				"translator from %s to %s undefined for argument #%u "
				"of probe %s",
				native->type->name, p->type->name, i + 1, probe);
	}
	return 0;
}

static int check_probe(struct dlang *d, const struct ast_provider *p,
		       const struct ast_probe_def *v)
{
	const char *name = provider_probe_name(d, v->name);
	const struct ast_derive *in = v->native;

	if (check_probe_name(d, p, v) || check_list_of(d, in, name))
		return STATUS_SYNTAX;
	for (const struct ast_typename *q = in->params; q; q = q->next)
		if (q->declarator->name && find_parameter(in, q, q->declarator->name))
			return diag(d, &q->pos, "D_DECL_PROTO_FORM",
				    "argument %s of probe %s is declared twice",
				    q->declarator->name, name);
	if (!v->output)
		return 0;
	if (check_list_of(d, v->output, name))
		return STATUS_SYNTAX;
	return check_output(d, v, name);
}

/* ---- declared again ---- */

static bool is_same_list(const struct ast_derive *a, const struct ast_derive *b)
{
	const struct ast_typename *p, *q;

	if (!a || !b)
		return a == b;
	if (is_empty(a) || is_empty(b))
		return is_empty(a) && is_empty(b);
	for (p = a->params, q = b->params; p && q; p = p->next, q = q->next)
		if (!type_is_same(p->type, q->type))
			return false;
	return !p && !q;
}

static bool is_same_provider(struct dlang *d, const struct ast_provider *a,
			     const struct ast_provider *b)
{
	const struct ast_probe_def *v, *w;

	for (v = a->probes, w = b->probes; v && w; v = v->next, w = w->next)
		if (strcmp(provider_probe_name(d, v->name),
			   provider_probe_name(d, w->name)) != 0 ||
		    !is_same_list(v->native, w->native) ||
		    !is_same_list(v->output, w->output))
			return false;
	return !v && !w;
}

/* Marks the pragmas about the provider that preceded its declaration as used. */
static void note_pragmas(struct dlang *d, const char *name)
{
	for (struct ident_pragma *p = scope_of(d)->pragmas; p; p = p->next)
		if (p->is_provider && strcmp(p->name, name) == 0)
			p->is_used = true;
}

static struct declared_provider **find_declared(struct dlang *d, const char *name)
{
	struct declared_provider **at = &d->checker->providers;

	while (*at && strcmp((*at)->def->name, name) != 0)
		at = &(*at)->next;
	return at;
}

int check_provider(struct dlang *d, struct ast_provider *p)
{
	struct declared_provider **at = find_declared(d, p->name);
	int rc = check_provider_name(d, p);

	check_begin(d);
	for (const struct ast_probe_def *v = p->probes; v && !rc; v = v->next)
		rc = check_probe(d, p, v);
	if (rc)
		return rc;
	if (stability_is_built_in(p->name) ||
	    (*at && !is_same_provider(d, (*at)->def, p)))
		return diag(d, &p->pos, "D_PROV_INCOMPAT",
			    "provider %s is already declared with other probes",
			    p->name);
	note_pragmas(d, p->name);
	if (*at)
		return 0;
	*at = arena_alloc(&d->arena, sizeof(**at));
	(*at)->def = p;
	(*at)->is_library = d->src->library != NULL;
	return 0;
}

bool provider_is_declared(struct dlang *d, const char *name)
{
	return *find_declared(d, name) != NULL;
}

/* ---- uses ---- */

/* The declared provider that "shop123" or "shop*" means. */
static const struct declared_provider *find_used(struct dlang *d, const char *field)
{
	size_t n = strlen(field);
	const struct declared_provider *p = d->checker->providers;

	while (n > 0 && (isdigit((unsigned char)field[n - 1]) || field[n - 1] == '*'))
		n--;
	if (!field[n])
		return NULL;
	while (p && (strlen(p->def->name) != n || memcmp(p->def->name, field, n) != 0))
		p = p->next;
	return p;
}

static const struct ast_probe_def *find_probe(struct dlang *d, const char *provider,
					      const char *probe)
{
	const struct declared_provider *p = find_used(d, provider);
	const char *name = p ? provider_probe_name(d, probe) : NULL;

	for (const struct ast_probe_def *v = p ? p->def->probes : NULL; v; v = v->next)
		if (strcmp(provider_probe_name(d, v->name), name) == 0)
			return v;
	return NULL;
}

/* All probes of the clause; NULL if one is not declared, or another than the rest. */
static const struct ast_probe_def *find_probe_of_clause(struct dlang *d)
{
	const struct ast_probe *first = d->checker->clause->probes;
	const struct ast_probe_def *v = NULL;

	if (first)
		v = find_probe(d, first->field[0], first->field[3]);
	for (const struct ast_probe *p = first; p && v; p = p->next)
		if (find_probe(d, p->field[0], p->field[3]) != v)
			return NULL;
	return v;
}

static uint32_t index_of(const struct ast_probe_def *v, const struct ast_typename *p)
{
	uint32_t i = 0;

	for (const struct ast_typename *q = v->native->params; q && q != p; q = q->next)
		i++;
	return i;
}

/* What args[n] is declared as, or NULL. */
static struct ast_typename *argument_of(const struct ast_probe_def *v, uint32_t n)
{
	const struct ast_derive *list = v->output ? v->output : v->native;
	struct ast_typename *p = is_empty(list) ? NULL : list->params;

	for (uint32_t i = 0; p && i < n; i++)
		p = p->next;
	return p;
}

int dlang_declared_argument(struct dlang *d, const char *provider, const char *probe,
			    uint32_t n, const char **type)
{
	const struct ast_probe_def *v = find_probe(d, provider, probe);
	const struct ast_typename *p = v ? argument_of(v, n) : NULL;

	*type = p ? p->type->name : NULL;
	if (!v)
		return STATUS_NOENT;
	return p ? 0 : STATUS_RANGE;
}

int provider_argument(struct dlang *d, uint32_t n, struct declared_argument *out)
{
	const struct ast_probe_def *v = find_probe_of_clause(d);
	struct ast_typename *p;

	if (!v)
		return STATUS_NOENT;
	p = argument_of(v, n);
	if (!p)
		return STATUS_RANGE;
	*out = (struct declared_argument){.native = p};
	if (v->output)
		out->native = native_of(v, p, n);
	out->index = index_of(v, out->native);
	if (!type_is_same(p->type, out->native->type))
		out->output = p;
	return 0;
}
