/* SPDX-License-Identifier: MIT */
/*
 * Definitions and uses of structs, unions and enums.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/typename.h"

#define STRUCT_SIZE_MAX INT32_MAX
#define DUPLICATE	"Duplicate member or variable name"

static const struct {
	const char *word;
	enum type_kind kind;
} tags[] = {
	[TAG_STRUCT] = {"struct ", TYPE_STRUCT},
	[TAG_UNION] = {"union ", TYPE_UNION},
	[TAG_ENUM] = {"enum ", TYPE_ENUM},
};

/* The parser itself reports this for declarators. */
static int scoped_definition(struct dlang *d, const struct ast_pos *pos,
			     const char *name)
{
	return diag(d, pos, "D_DECL_SCOPE",
		    "D scoping operator may not be used in a declaration name (%s)",
		    name);
}

/* ---- members ---- */

static int check_width(struct dlang *d, const struct ast_declarator *m,
		       struct type_member *out)
{
	struct ast_expr *w = m->width;

	if (check_expr(d, w))
		return STATUS_SYNTAX;
	if (!expr_is_const(w) || !type_is_int(w->type) || (int64_t)w->value <= 0)
		return diag(d, &w->pos, "D_DECL_BFCONST",
			    "positive integral constant expression expected as "
			    "bit-field size");
	if (!type_is_int(out->type))
		return diag(d, &m->pos, "D_DECL_BFTYPE",
			    "invalid type for bit-field: %s",
			    m->name ? m->name : "(anon)");
	if (w->value > type_size(types_of(d), out->type) * 8)
		return diag(d, &w->pos, "D_DECL_BFSIZE",
			    "bit-field too big for type: %s",
			    m->name ? m->name : "(anon)");
	out->nbits = (uint8_t)w->value;
	return 0;
}

/* Rejects types that a member cannot have. */
static int check_member_type(struct dlang *d, const struct ast_declarator *m,
			     const struct type *t)
{
	if (type_is_void(t) || type_resolve(t)->kind == TYPE_FUNC)
		return diag(d, &m->pos, "D_DECL_VOIDOBJ", "cannot have void member: %s",
			    m->name ? m->name : "(anon)");
	return check_defined(d, &m->pos, t, m->name);
}

/*
 * Notes the name. False: a member before has it. Types that D defines have no anonymous
 * members.
 */
static bool is_new(struct strmap *names, const char *name)
{
	if (strmap_get(names, name, NULL))
		return false;
	strmap_set(names, name, 1);
	return true;
}

static int add_member(struct dlang *d, struct type *t, struct ast_specs *specs,
		      const struct ast_declarator *m, struct strmap *names)
{
	struct type_member out = {.name = m->name};

	if (m->is_bad)
		return STATUS_SYNTAX;
	if (m->derive && m->derive->kind == DERIVE_ASSOC)
		return diag(d, &m->pos, "D_DECL_DYNOBJ",
			    "cannot declare an associative array as a member: %s",
			    m->name ? m->name : "(anon)");
	out.type = check_declared_type(d, specs, m->derive);
	if (!out.type || check_member_type(d, m, out.type) ||
	    (m->width && check_width(d, m, &out)))
		return STATUS_SYNTAX;
	if (!m->name)
		return diag(d, &m->pos, "D_DECL_MNAME", "a member must have a name");
	if (!is_new(names, m->name))
		return diag(d, &m->pos, "D_UNKNOWN",
			    "failed to define member '%s': " DUPLICATE, m->name);
	type_add_member(types_of(d), t, &out);
	return 0;
}

/* An upper bound of the size that cannot overflow. */
static int check_total(struct dlang *d, const struct ast_tag *tag, const struct type *t)
{
	uint64_t total = 0;

	for (const struct type_member *m = t->members; m; m = m->next)
		total += align_up(type_size(types_of(d), m->type), 16);
	if (total <= STRUCT_SIZE_MAX)
		return 0;
	return diag(d, &tag->pos, "D_DECL_ARRBIG", "%s is too big", t->name);
}

static int define_members(struct dlang *d, const struct ast_tag *tag, struct type *t)
{
	struct strmap names = {0};
	int rc = 0;

	for (const struct ast_decl *decl = tag->members; decl; decl = decl->next)
		for (const struct ast_declarator *m = decl->declarators; m; m = m->next)
			if (add_member(d, t, decl->specs, m, &names))
				rc = STATUS_SYNTAX;
	strmap_release(&names);
	return rc ? rc : check_total(d, tag, t);
}

/* ---- enumerators ---- */

static int enumerator_value(struct dlang *d, const struct ast_enumerator *m,
			    int64_t *value)
{
	if (m->value && check_expr(d, m->value))
		return STATUS_SYNTAX;
	if (m->value && (!expr_is_const(m->value) || !type_is_int(m->value->type)))
		return diag(d, &m->pos, "D_DECL_ENCONST",
			    "enumerator '%s' must be assigned to an integral constant "
			    "expression",
			    m->name);
	if (m->value)
		*value = (int64_t)m->value->value;
	if (*value >= INT32_MIN && *value <= INT32_MAX)
		return 0;
	return diag(d, &m->pos, "D_DECL_ENOFLOW",
		    "enumerator '%s' value overflows INT_MAX (%d)", m->name, INT32_MAX);
}

static int add_enumerator(struct dlang *d, struct type *t,
			  const struct ast_enumerator *m, int64_t value,
			  struct strmap *names)
{
	const struct type_member out = {.name = m->name, .value = value};
	const struct ident *id = scope_find(scope_of(d), AST_GLOBAL, m->name);

	if (strchr(m->name, '`'))
		return scoped_definition(d, &m->pos, m->name);
	if (!is_new(names, m->name))
		return diag(d, &m->pos, "D_UNKNOWN",
			    "failed to define enumerator '%s': " DUPLICATE, m->name);
	if (id)
		return diag(d, &m->pos, "D_DECL_IDRED", "identifier redeclared: %s",
			    m->name);
	if (check_scope_limit(d, &m->pos, AST_GLOBAL, m->name))
		return STATUS_SYNTAX;
	type_add_member(types_of(d), t, &out);
	scope_add_enumerator(scope_of(d), m->name, t, value);
	return 0;
}

static int define_enumerators(struct dlang *d, const struct ast_tag *tag,
			      struct type *t)
{
	struct strmap names = {0};
	int64_t value = -1;
	int rc = 0;

	for (const struct ast_enumerator *m = tag->enumerators; m && !rc; m = m->next) {
		value++;
		rc = enumerator_value(d, m, &value);
		rc = rc ? rc : add_enumerator(d, t, m, value, &names);
	}
	strmap_release(&names);
	return rc;
}

/* ---- tags ---- */

static int redefined(struct dlang *d, const struct ast_tag *tag, const struct type *t)
{
	return diag(d, &tag->pos, "D_DECL_TYPERED", "type redeclared: %s", t->name);
}

/* The type that a body defines. It hides a type of the target with that name. */
static struct type *definition(struct dlang *d, const struct ast_tag *tag)
{
	const char *name = tag->name ? tag->name : "<anonymous>";
	const struct type *t;

	name = arena_printf(&d->arena, "%s%s", tags[tag->kind].word, name);
	t = tag->name ? type_find(types_of(d), name) : NULL;
	/* Only the definition may change it. */
	if (t && !t->source)
		return (struct type *)(uintptr_t)t;
	return type_tagged(types_of(d), tags[tag->kind].kind, name, tag->name);
}

bool check_is_defined_tag(struct dlang *d, enum ast_tag_kind kind, const char *name)
{
	const struct type *t = type_find(
		types_of(d), arena_printf(&d->arena, "%s%s", tags[kind].word, name));

	return t && !t->source && t->is_complete;
}

static const struct type *define(struct dlang *d, const struct ast_tag *tag)
{
	struct type *t;
	int rc;

	t = definition(d, tag);
	if (t->is_complete) {
		redefined(d, tag, t);
		return NULL;
	}
	rc = tag->kind == TAG_ENUM ? define_enumerators(d, tag, t)
				   : define_members(d, tag, t);
	/* A member in the body may have defined the same tag. */
	if (!rc && t->is_complete)
		rc = redefined(d, tag, t);
	if (rc)
		return NULL;
	if (tag->kind == TAG_ENUM)
		t->is_complete = true;
	else
		type_lay_out(types_of(d), t);
	return t;
}

const struct type *check_tag(struct dlang *d, struct ast_specs *s)
{
	const struct ast_tag *tag = s->tag;
	const char *word = tags[tag->kind].word;
	struct scoped_name scoped;
	const struct type *t;

	if (tag->has_body)
		return define(d, tag);
	t = typename_find(d, word, tag->name, &scoped);
	if (scoped.is_pid)
		s->flags |= SPEC_USERLAND;
	if (t)
		return t;
	if (scoped.why.text[0] || strchr(tag->name, '`')) {
		unknown_type(d, &tag->pos, word, tag->name);
		return NULL;
	}
	return type_tagged(types_of(d), tags[tag->kind].kind,
			   arena_printf(&d->arena, "%s%s", word, tag->name), true);
}

int unknown_type(struct dlang *d, const struct ast_pos *pos, const char *word,
		 const char *name)
{
	struct scoped_name scoped;

	typename_find(d, word, name, &scoped);
	if (scoped.why.text[0])
		return diag_err(d, pos, &scoped.why);
	return diag(d, pos, "D_DECL_IDENT", "failed to resolve %s%s: %s", word, name,
		    scoped_split(d, name, &scoped) == SCOPED_IMPROPER
			    ? "Improper use of scoping operator in type name"
			    : "Unknown type name");
}
