/* SPDX-License-Identifier: MIT */
#include "dlang/check/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "dlang/base/version.h"
#include "vm/base/host/vec.h"
#include "vm/builtin.h"

/* The letters in the contexts columns of the tables. */
enum {
	F = CONTEXT_FRONT,
	K = CONTEXT_KEEPER,
	R = CONTEXT_RESIDENT,
};

static const struct {
	const char *name, *type;
	uint32_t contexts;
} builtins[] = {
#define BUILTIN(name, type, contexts, source) {#name, type, contexts},
#include "vm/builtin.def"
#undef BUILTIN
};

static const struct {
	const char *name, *result, *proto;
	uint32_t least, most, contexts, flags;
} subrs[] = {
#define SUBR(name, result, proto, least, most, contexts, flags)                        \
	{#name, result, proto, least, most, contexts, SUBR_##flags},
#include "vm/subr.def"
#undef SUBR
};

static const struct {
	const char *name;
	enum ident_kind kind;
	uint32_t number, least, most, contexts, flags;
	const char *result, *proto; /* of the kernel's; else NULL */
} callables[] = {
#define ACTION(name, least, most, contexts, flags)                                     \
	{#name, IDENT_ACTION, ACTION_##name, least, most, contexts, flags, NULL, NULL},
#define AGGFUNC(name, least, most)                                                     \
	{#name, IDENT_AGGFUNC, AGG_##name, least, most, CONTEXT_ALL, 0, NULL, NULL},
#define KERNEL(name, kind, result, proto, flags)                                       \
	{#name, IDENT_KERNEL_##kind, 0, 0, 0, 0, flags, result, proto},
#include "dlang/check/action.def"
#undef ACTION
#undef AGGFUNC
#undef KERNEL
};

static struct ident *find_in(const struct strmap *m, const char *name)
{
	uint64_t v;

	return strmap_get(m, name, &v) ? (struct ident *)(uintptr_t)v : NULL;
}

/* Applies the pragmas that preceded the definition of the name. */
static void apply_pragmas(struct scope *s, struct ident *id)
{
	for (struct ident_pragma *p = s->pragmas; p; p = p->next) {
		if (p->is_used || p->is_provider || strcmp(p->name, id->name) != 0)
			continue;
		p->is_used = true;
		if (p->has_attr && !id->has_attr) {
			id->has_attr = true;
			id->attr = p->attr;
		}
		if (p->since > id->since)
			id->since = p->since;
	}
}

static struct ident *ident_new(struct scope *s, struct strmap *in, const char *name,
			       enum ident_kind kind)
{
	struct ident *id = arena_alloc(s->types->arena, sizeof(*id));

	id->name = arena_strdup(s->types->arena, name);
	id->kind = kind;
	id->contexts = CONTEXT_ALL;
	id->unit = s->unit;
	if (in == &s->global)
		apply_pragmas(s, id);
	strmap_set(in, name, (uint64_t)(uintptr_t)id);
	return id;
}

static void set_prototype(struct scope *s, struct ident *id, const char *proto)
{
	id->params = arena_alloc(s->types->arena, 8 * sizeof(*id->params));
	id->has_params = true;
	while (*proto) {
		size_t n = strcspn(proto, ",");
		bool is_any = proto[0] == '@';

		id->params[id->nparams++] =
			is_any ? NULL : type_parse(s->types, proto, n);
		proto += n;
		proto += strspn(proto, ", ");
	}
}

static void add_builtins(struct scope *s)
{
	struct ident *id;

	for (uint32_t i = 0; i < ARRAY_LEN(builtins); i++) {
		bool is_array = builtin_source((enum builtin)i) == SOURCE_INDEXED;

		id = ident_new(s, &s->global, builtins[i].name,
			       is_array ? IDENT_BUILTIN_ARRAY : IDENT_BUILTIN);
		id->number = i;
		id->type = type_find(s->types, builtins[i].type);
		id->contexts = builtins[i].contexts;
	}
	ident_new(s, &s->global, "args", IDENT_ARGS)->type = s->types->t_dyn;
	id = ident_new(s, &s->global, "NULL", IDENT_NULL);
	id->type = s->types->t_int;
}

static void add_functions(struct scope *s)
{
	struct ident *id;

	for (uint32_t i = 0; i < ARRAY_LEN(subrs); i++) {
		id = ident_new(s, &s->global, subrs[i].name, IDENT_SUBR);
		id->number = i;
		id->type =
			type_parse(s->types, subrs[i].result, strlen(subrs[i].result));
		id->least = subrs[i].least;
		id->most = subrs[i].most;
		id->contexts = subrs[i].contexts;
		id->flags = subrs[i].flags;
		set_prototype(s, id, subrs[i].proto);
	}
	for (uint32_t i = 0; i < ARRAY_LEN(callables); i++) {
		bool is_keyword = !(callables[i].flags & ACT_NO_KEYWORD);

		id = ident_new(s, is_keyword ? &s->global : &s->called,
			       callables[i].name, callables[i].kind);
		id->number = callables[i].number;
		id->least = callables[i].least;
		id->most = callables[i].most;
		id->contexts = callables[i].contexts;
		id->flags = callables[i].flags;
		id->proto = callables[i].proto;
		if (callables[i].result)
			id->type = type_parse(s->types, callables[i].result,
					      strlen(callables[i].result));
	}
}

static void set_versions(struct scope *s)
{
	static const struct {
		const char *name;
		uint32_t since;
	} names[] = {
#define INTRODUCED(name, major, minor, micro) {#name, VERSION(major, minor, micro)},
#include "dlang/check/introduced.def"
#undef INTRODUCED
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct ident *id = find_in(&s->global, names[i].name);

		if (id)
			id->since = names[i].since;
	}
}

/* All other subroutines are Stable. */
static void set_attributes(struct scope *s)
{
	static const char names[][8] = {"htonl", "htonll", "htons",
					"ntohl", "ntohll", "ntohs"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct ident *id = find_in(&s->global, names[i]);

		if (!id)
			continue;
		id->has_attr = true;
		id->attr = (struct stability){LEVEL_EVOLVING, LEVEL_EVOLVING,
					      CLASS_COMMON};
	}
}

void scope_init(struct scope *s, struct types *types, const uint32_t *version)
{
	*s = (struct scope){.types = types, .version = version};
	add_builtins(s);
	add_functions(s);
	set_versions(s);
	set_attributes(s);
}

void scope_release(struct scope *s)
{
	strmap_release(&s->global);
	strmap_release(&s->self);
	strmap_release(&s->this);
	strmap_release(&s->agg);
	strmap_release(&s->called);
	vec_release(&s->vars);
	vec_release(&s->aggs);
}

static struct strmap *names_of(struct scope *s, enum ast_scope where)
{
	if (where == AST_SELF)
		return &s->self;
	return where == AST_THIS ? &s->this : &s->global;
}

size_t scope_count(const struct scope *s, enum ast_scope where)
{
	if (where == AST_SELF)
		return s->self.len;
	return where == AST_THIS ? s->this.len : s->global.len;
}

/* Adds the constant of constant.def called name to the scope. NULL: there is none. */
static struct ident *find_constant(const struct scope *s, const char *name)
{
	static const struct {
		const char *name;
		int64_t value;
	} constants[] = {
#define CONSTANT(name, value) {#name, value},
#include "dlang/check/constant.def"
#undef CONSTANT
	};
	/* adding a constant lazily is not a visible change */
	struct scope *own = (struct scope *)(uintptr_t)s;
	struct ident *id;

	for (size_t i = 0; i < ARRAY_LEN(constants); i++) {
		if (strcmp(constants[i].name, name) != 0)
			continue;
		id = ident_new(own, &own->global, constants[i].name, IDENT_CONST);
		id->type = s->types->t_int;
		id->value = constants[i].value;
		id->unit = 0;
		return id;
	}
	return NULL;
}

struct ident *scope_find(const struct scope *s, enum ast_scope where, const char *name)
{
	struct ident *id;

	if (where == AST_SELF)
		return find_in(&s->self, name);
	if (where == AST_THIS)
		return find_in(&s->this, name);
	id = find_in(&s->global, name);
	if (!id && s->has_constants)
		id = find_constant(s, name);
	return id && *s->version && id->since > *s->version ? NULL : id;
}

struct ident *scope_find_called(const struct scope *s, const char *name)
{
	struct ident *id = find_in(&s->called, name);

	return id ? id : scope_find(s, AST_GLOBAL, name);
}

struct ident *scope_find_agg(const struct scope *s, const char *name)
{
	return find_in(&s->agg, name);
}

struct ident *scope_add_var(struct scope *s, enum ast_scope where, const char *name,
			    enum ident_kind kind, const struct type *type)
{
	static const enum program_scope scopes[][2] = {
		[AST_GLOBAL] = {SCOPE_GLOBAL, SCOPE_ARRAY},
		[AST_SELF] = {SCOPE_SELF, SCOPE_SELF_ARRAY},
		[AST_THIS] = {SCOPE_THIS, SCOPE_THIS},
	};
	struct ident *id = ident_new(s, names_of(s, where), name, kind);

	id->type = type;
	id->scope = scopes[where][kind == IDENT_ARRAY];
	id->number = (uint32_t)s->vars.len;
	if (where == AST_THIS)
		id->storage = s->nlocals++;
	*vec_push(&s->vars) = id;
	return id;
}

struct ident *scope_add_inline(struct scope *s, const char *name,
			       const struct type *type)
{
	struct ident *id = ident_new(s, &s->global, name, IDENT_INLINE);

	id->type = type;
	return id;
}

struct ident *scope_add_enumerator(struct scope *s, const char *name,
				   const struct type *type, int64_t value)
{
	struct ident *id = ident_new(s, &s->global, name, IDENT_ENUMERATOR);

	id->type = type;
	id->value = value;
	return id;
}

struct ident *scope_add_extern(struct scope *s, const char *name,
			       const struct type *type)
{
	struct ident *id = ident_new(s, &s->global, name, IDENT_EXTERN);

	id->type = type;
	return id;
}

struct ident *scope_add_agg(struct scope *s, const char *name, struct ast_pos where)
{
	struct ident *id = ident_new(s, &s->agg, name, IDENT_AGG);

	id->type = s->types->t_dyn;
	id->number = (uint32_t)s->aggs.len;
	id->where = where;
	*vec_push(&s->aggs) = id;
	return id;
}

/* Whether values of both types are the same key: alike in size and in how they print. */
static bool is_same_key(const struct type *a, const struct type *b)
{
	if (type_is_location(a) || type_is_location(b))
		return type_is_same(a, b);
	return !type_is_int(a) || !type_is_int(b) ||
	       type_resolve(a)->size == type_resolve(b)->size;
}

static bool has_keys(const struct ident *agg, const struct type *const *keys)
{
	for (uint32_t i = 0; i < agg->nparams; i++)
		if (!is_same_key(agg->params[i], keys[i]))
			return false;
	return true;
}

struct ident *scope_agg_variant(struct scope *s, struct ident *agg,
				const struct type *const *keys)
{
	struct ident *v = agg;

	while (v && !has_keys(v, keys))
		v = v->variants;
	if (v)
		return v;
	v = arena_alloc(s->types->arena, sizeof(*v));
	*v = *agg;
	v->primary = agg;
	v->number = (uint32_t)s->aggs.len;
	v->params = arena_alloc(s->types->arena, (agg->nparams + 1) * sizeof(*keys));
	/* What converts to the first use's type does so here as well. */
	for (uint32_t i = 0; i < agg->nparams; i++)
		v->params[i] =
			is_same_key(agg->params[i], keys[i]) ? agg->params[i] : keys[i];
	agg->variants = v;
	*vec_push(&s->aggs) = v;
	return v;
}

const char *ident_kind_name(const struct ident *id)
{
	static const char names[][32] = {
		[IDENT_SCALAR] = "scalar",
		[IDENT_ARRAY] = "associative array",
		[IDENT_AGG] = "aggregation",
		[IDENT_BUILTIN] = "scalar",
		[IDENT_BUILTIN_ARRAY] = "associative array",
		[IDENT_ARGS] = "probe argument array",
		[IDENT_NULL] = "scalar",
		[IDENT_ENUMERATOR] = "enumerator",
		[IDENT_EXTERN] = "external symbol reference",
		[IDENT_CONST] = "scalar",
		[IDENT_INLINE] = "scalar",
		[IDENT_SUBR] = "function",
		[IDENT_ACTION] = "tracing function",
		[IDENT_AGGFUNC] = "aggregating function",
		[IDENT_KERNEL_ACTION] = "tracing function",
		[IDENT_KERNEL_SUBR] = "function",
		[IDENT_KERNEL_VAR] = "scalar",
	};

	if (id->kind == IDENT_SUBR && id->flags & SUBR_STATEMENT)
		return names[IDENT_ACTION];
	if (id->kind == IDENT_INLINE && id->has_params)
		return "associative array";
	return names[id->kind];
}

bool ident_is_var(const struct ident *id)
{
	return id->kind == IDENT_SCALAR || id->kind == IDENT_ARRAY;
}

bool ident_is_func(const struct ident *id)
{
	return id->kind == IDENT_SUBR || id->kind == IDENT_ACTION ||
	       id->kind == IDENT_AGGFUNC || ident_is_kernel_func(id);
}

bool ident_is_kernel_func(const struct ident *id)
{
	return id->kind == IDENT_KERNEL_ACTION || id->kind == IDENT_KERNEL_SUBR;
}

bool ident_is_action(const struct ident *id)
{
	return id->kind == IDENT_ACTION || id->kind == IDENT_KERNEL_ACTION ||
	       (id->kind == IDENT_SUBR && id->flags & SUBR_STATEMENT);
}
