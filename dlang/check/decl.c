/* SPDX-License-Identifier: MIT */
/*
 * Declarations and type names: from specifiers and declarators to types and variables.
 */
#include "dlang/check/internal.h"

#include <string.h>

#include "dlang/check/typename.h"

#define ANONYMOUS "(anonymous)" /* in place of a name */

/* Bytes of one variable: of one copied to scratch memory, of one in dynamic memory. */
#define SCRATCH_SIZE_MAX 65536u
#define DYNAMIC_SIZE_MAX PROGRAM_STRSIZE_MAX

/* ---- the words ---- */

static int bad_words(struct dlang *d, const struct ast_specs *s)
{
	uint32_t length = s->flags & (SPEC_SHORT | SPEC_LONG | SPEC_LONGLONG);
	uint32_t sign = s->flags & (SPEC_SIGNED | SPEC_UNSIGNED);

	if (s->base == BASE_CHAR && length)
		return diag(
			d, &s->pos, "D_DECL_CHARATTR",
			"invalid type declaration: short and long may not be used with "
			"char type");
	if (s->base == BASE_VOID && (length || sign))
		return diag(d, &s->pos, "D_DECL_VOIDATTR",
			    "invalid type declaration: attributes may not be used with "
			    "void type");
	if (sign && s->base != BASE_NONE && s->base != BASE_CHAR && s->base != BASE_INT)
		return diag(d, &s->pos, "D_DECL_SIGNINT",
			    "invalid type declaration: signed and unsigned may only be "
			    "used with integer type");
	if (length &&
	    (s->base == BASE_STRING || s->base == BASE_NAME || s->base == BASE_TAGGED))
		return diag(d, &s->pos, "D_DECL_LONGINT",
			    "invalid type declaration: long and long long may only "
			    "be used with integer or floating-point type");
	return 0;
}

/* "unsigned long long": the words in the order that base/type.c has. */
static const char *words(struct dlang *d, const struct ast_specs *s)
{
	static const char *const bases[] = {
		[BASE_NONE] = "int",	  [BASE_VOID] = "void",
		[BASE_CHAR] = "char",	  [BASE_INT] = "int",
		[BASE_FLOAT] = "float",	  [BASE_DOUBLE] = "double",
		[BASE_STRING] = "string",
	};
	static const struct {
		enum ast_spec_flag flag;
		const char *word;
	} flags[] = {
		{SPEC_SIGNED, "signed "},      {SPEC_UNSIGNED, "unsigned "},
		{SPEC_SHORT, "short "},	       {SPEC_LONG, "long "},
		{SPEC_LONGLONG, "long long "},
	};
	const char *text = "";

	if (s->base == BASE_NAME)
		return s->name;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (s->flags & (uint32_t)flags[i].flag)
			text = arena_printf(&d->arena, "%s%s", text, flags[i].word);
	return arena_printf(&d->arena, "%s%s", text, bases[s->base]);
}

static const struct type *qualify(struct dlang *d, uint32_t flags, const struct type *t)
{
	if (flags & SPEC_VOLATILE)
		t = type_qualified(types_of(d), "volatile", t);
	if (flags & SPEC_RESTRICT)
		t = type_qualified(types_of(d), "restrict", t);
	if (flags & SPEC_CONST)
		t = type_qualified(types_of(d), "const", t);
	return t;
}

static const struct type *named_type(struct dlang *d, struct ast_specs *s)
{
	static const char *const tags[] = {"struct ", "union ", "enum "};
	struct scoped_name scoped;
	const struct type *t = typename_find(d, "", s->name, &scoped);

	/* the name of a class is a type by itself in C++ */
	for (size_t i = 0; !t && scoped.is_scoped && i < ARRAY_LEN(tags); i++)
		t = typename_find(d, tags[i], s->name, &scoped);
	if (scoped.is_pid)
		s->flags |= SPEC_USERLAND;
	if (!t)
		unknown_type(d, &s->pos, "", s->name);
	return t;
}

static const struct type *unqualified_type(struct dlang *d, struct ast_specs *s)
{
	const struct type *t;

	if (s->is_bad || bad_words(d, s))
		return NULL;
	if (s->base == BASE_TAGGED)
		return check_tag(d, s);
	if (s->base == BASE_NAME)
		return named_type(d, s);
	t = type_find(types_of(d), words(d, s));
	if (!t)
		diag(d, &s->pos, "D_UNKNOWN",
		     "failed to resolve type %s: Unknown type name", words(d, s));
	return t;
}

/* Checked once for all declarators: a body must not be defined twice. */
static const struct type *base_type(struct dlang *d, struct ast_specs *s)
{
	const struct type *t;

	if (s->is_checked)
		return s->type;
	s->is_checked = true;
	t = unqualified_type(d, s);
	s->type = t ? qualify(d, s->flags, t) : NULL;
	return s->type;
}

/* ---- declarators ---- */

/* An empty struct counts as one byte. */
static uint64_t element_size(struct dlang *d, const struct type *elem)
{
	uint64_t size = type_size(types_of(d), elem);

	return size ? size : 1;
}

int check_defined(struct dlang *d, const struct ast_pos *pos, const struct type *t,
		  const char *name)
{
	if (!type_is_struct_or_union(t) || type_complete(types_of(d), t))
		return 0;
	return diag(d, pos, "D_DECL_INCOMPLETE", "incomplete struct/union/enum %s: %s",
		    type_resolve(t)->name, name ? name : ANONYMOUS);
}

int bad_parameter(struct dlang *d, const struct ast_typename *p, const char *prototype,
		  uint32_t number)
{
	const char *name = p->declarator->name;
	const char *type = p->type ? p->type->name : "dynamic variable";

	return diag(d, &p->pos, "D_DECL_PROTO_TYPE",
		    "%s prototype may not use parameter of type %s: %s, parameter #%u",
		    prototype, type, name ? name : ANONYMOUS, number);
}

static int check_elements(struct dlang *d, const struct ast_derive *a,
			  const struct type *elem)
{
	if (type_is_void(elem))
		return diag(d, &a->pos, "D_DECL_VOIDOBJ",
			    "cannot declare array of void");
	if (type_resolve(elem)->kind == TYPE_FUNC)
		return diag(d, &a->pos, "D_DECL_INCOMPLETE",
			    "cannot declare array of incomplete type: %s", elem->name);
	return check_defined(d, &a->pos, elem, a->name);
}

/* The array of "extern int v[];": its number of elements is not known. */
static const struct type *open_array(struct dlang *d, const struct ast_derive *a,
				     const struct type *elem)
{
	return check_elements(d, a, elem) ? NULL : type_array(types_of(d), elem, 0);
}

static const struct type *make_array(struct dlang *d, const struct ast_derive *a,
				     const struct type *elem)
{
	if (!a->size) {
		diag(d, &a->pos, "D_DECL_ARRNULL",
		     "array declaration requires array dimension or tuple signature: "
		     "%s",
		     a->name ? a->name : ANONYMOUS);
		return NULL;
	}
	if (check_expr(d, a->size))
		return NULL;
	if (!expr_is_const(a->size) || !type_is_int(a->size->type) ||
	    (int64_t)a->size->value <= 0) {
		diag(d, &a->pos, "D_DECL_ARRSUB",
		     "positive integral constant expression or tuple signature "
		     "expected as array declaration subscript");
		return NULL;
	}
	if (check_elements(d, a, elem))
		return NULL;
	if (a->size->value > INT32_MAX / element_size(d, elem)) {
		diag(d, &a->pos, "D_DECL_ARRBIG", "array dimension too big");
		return NULL;
	}
	return type_array(types_of(d), elem, (uint32_t)a->size->value);
}

static int check_parameters(struct dlang *d, const struct ast_derive *func)
{
	uint32_t number = 0;

	for (struct ast_typename *p = func->params; p; p = p->next) {
		const struct ast_derive *derive = p->declarator->derive;
		const struct type *t;

		number++;
		if (derive && derive->kind == DERIVE_ASSOC)
			return bad_parameter(d, p, "function", number);
		t = check_typename(d, p);
		if (!t)
			return STATUS_SYNTAX;
		if (!type_is_void(t))
			continue;
		if (p->declarator->name)
			return diag(d, &p->pos, "D_DECL_PROTO_NAME",
				    "void parameter may not have a name: %s",
				    p->declarator->name);
		if (func->nparams > 1 || func->varargs)
			return diag(d, &p->pos, "D_DECL_PROTO_VOID",
				    "void must be sole parameter");
	}
	return 0;
}

/* Applies the derivations of a declarator to base, the outermost first. */
static const struct type *derive_type(struct dlang *d, const struct ast_derive *at,
				      const struct type *base)
{
	const struct type *t;

	if (!at)
		return base;
	t = derive_type(d, at->next, base);
	if (!t)
		return NULL;
	switch (at->kind) {
	case DERIVE_POINTER:
		return qualify(d, at->qualifiers, type_pointer(types_of(d), t));
	case DERIVE_ARRAY:
		return make_array(d, at, t);
	case DERIVE_FUNC:
		return check_parameters(d, at) ? NULL : types_of(d)->t_func;
	default:
		diag(d, &at->pos, "D_DECL_DYNOBJ",
		     "cannot declare an array of associative arrays");
		return NULL;
	}
}

const struct type *check_declared_type(struct dlang *d, struct ast_specs *s,
				       const struct ast_derive *derive)
{
	const struct type *t = base_type(d, s);

	if (t)
		t = derive_type(d, derive, t);
	if (t && s->flags & SPEC_USERLAND)
		t = type_userland(types_of(d), t);
	return t;
}

const struct type *check_typename(struct dlang *d, struct ast_typename *t)
{
	if (t->declarator->is_bad || t->type)
		return t->type;
	if (t->specs->storage != STORAGE_NONE) {
		diag(d, &t->pos, "D_DECL_PARMCLASS",
		     "inappropriate storage class for function or associative array "
		     "parameter");
		return NULL;
	}
	t->type = check_declared_type(d, t->specs, t->declarator->derive);
	return t->type;
}

/* ---- variables ---- */

struct declared {
	const struct ast_declarator *what;
	enum ast_scope scope;
	const struct type *type;
	const struct type **keys;
	uint32_t nkeys;
	bool is_array;
};

static int check_key_types(struct dlang *d, const struct ast_derive *a,
			   struct declared *v)
{
	uint32_t i = 0;

	if (a->varargs)
		return diag(
			d, &a->pos, "D_DECL_PROTO_VARARGS",
			"array prototype may not use a variable-length argument list");
	v->is_array = true;
	v->nkeys = a->nparams;
	v->keys = arena_alloc(&d->arena, (a->nparams + 1) * sizeof(*v->keys));
	for (struct ast_typename *p = a->params; p; p = p->next) {
		const struct type *t = check_typename(d, p);

		if (!t)
			return STATUS_SYNTAX;
		if (type_is_void(t) || type_is_float(t) ||
		    type_resolve(t)->kind == TYPE_FUNC)
			return bad_parameter(d, p, "array", i + 1);
		v->keys[i++] = t;
	}
	return 0;
}

static const char *signature(struct dlang *d, const struct declared *v)
{
	const char *text = v->type->name;

	if (!v->is_array)
		return text;
	for (uint32_t i = 0; i < v->nkeys; i++)
		text = arena_printf(&d->arena, "%s%s%s", text, i ? ", " : " [",
				    v->keys[i]->name);
	return arena_printf(&d->arena, "%s]", text);
}

static bool is_same_declaration(const struct ident *id, const struct declared *v)
{
	if (id->kind != (v->is_array ? IDENT_ARRAY : IDENT_SCALAR) ||
	    !type_is_same(id->type, v->type) || id->nparams != v->nkeys)
		return false;
	for (uint32_t i = 0; i < v->nkeys; i++)
		if (!type_is_same(id->params[i], v->keys[i]))
			return false;
	return true;
}

static int check_redeclared(struct dlang *d, const struct ident *id,
			    const struct declared *v)
{
	struct declared old = {.type = id->type,
			       .keys = id->params,
			       .nkeys = id->nparams,
			       .is_array = id->kind == IDENT_ARRAY};

	if (is_same_declaration(id, v))
		return 0;
	return diag(d, &v->what->pos, "D_DECL_IDRED",
		    "identifier redeclared: %s\n\t current: %s\n\tprevious: %s",
		    v->what->name, signature(d, v),
		    ident_is_var(id) ? signature(d, &old) : ident_kind_name(id));
}

/* Types that a variable cannot have. */
static int check_object_type(struct dlang *d, const struct declared *v)
{
	const struct ast_pos *pos = &v->what->pos;
	const char *name = v->what->name;
	enum type_kind kind = type_resolve(v->type)->kind;
	uint32_t most = v->is_array || v->scope == AST_SELF ? DYNAMIC_SIZE_MAX
							    : SCRATCH_SIZE_MAX;

	if (kind == TYPE_VOID)
		return diag(d, pos, "D_DECL_VOIDOBJ", "cannot declare void object: %s",
			    name);
	if (kind == TYPE_FUNC)
		return diag(d, pos, "D_DECL_INCOMPLETE",
			    "cannot declare object of incomplete type: %s %s",
			    v->type->name, name);
	if (check_defined(d, pos, v->type, name))
		return STATUS_SYNTAX;
	if (type_size(types_of(d), v->type) > most)
		return diag(d, pos, "D_DECL_ARRBIG",
			    "%s is too big for a variable: at most %u bytes", name,
			    most);
	return 0;
}

static int declare_variable(struct dlang *d, struct declared *v)
{
	const char *name = v->what->name;
	struct ident *id = scope_find(scope_of(d), v->scope, name);

	if (v->is_array && v->scope == AST_THIS)
		return diag(
			d, &v->what->pos, "D_DECL_LOCASSC",
			"associative arrays may not be declared as local variables: %s",
			name);
	if (check_object_type(d, v))
		return STATUS_SYNTAX;
	if (id)
		return check_redeclared(d, id, v);
	if (check_scope_limit(d, &v->what->pos, v->scope, name))
		return STATUS_SYNTAX;
	id = scope_add_var(scope_of(d), v->scope, name,
			   v->is_array ? IDENT_ARRAY : IDENT_SCALAR, v->type);
	id->params = v->keys;
	id->nparams = v->nkeys;
	id->has_params = v->is_array;
	return 0;
}

static int declare_typedef(struct dlang *d, const struct declared *v)
{
	if (v->is_array)
		return diag(d, &v->what->pos, "D_DECL_DYNOBJ",
			    "cannot declare a type of associative array: %s",
			    v->what->name);
	if (type_find(types_of(d), v->what->name)) {
		/* A header of C declares what D has anyway: D's own comes first. */
		if (v->what->pos.file)
			return 0;
		return diag(d, &v->what->pos, "D_DECL_IDRED", "typedef redeclared: %s",
			    v->what->name);
	}
	type_define(types_of(d), v->what->name, v->type);
	return 0;
}

/*
 * Prototypes have no effect: functions of the traced program cannot be called. The
 * declared type of a variable counts if debug data does not have its type.
 */
static int declare_extern(struct dlang *d, const struct declared *v)
{
	const char *name = v->what->name;
	const struct ident *id = scope_find(scope_of(d), AST_GLOBAL, name);

	if (v->is_array)
		return diag(d, &v->what->pos, "D_DECL_DYNOBJ",
			    "an external symbol cannot be an associative array: %s",
			    name);
	if (type_resolve(v->type)->kind == TYPE_FUNC)
		return 0;
	if (type_is_void(v->type))
		return diag(d, &v->what->pos, "D_DECL_VOIDOBJ",
			    "cannot declare void object: %s", name);
	if (id && (id->kind != IDENT_EXTERN || !type_is_same(id->type, v->type)))
		return diag(d, &v->what->pos, "D_DECL_IDRED",
			    "identifier redeclared: %s\n\t current: extern %s\n"
			    "\tprevious: %s",
			    name, v->type->name,
			    id->kind == IDENT_EXTERN ? id->type->name
						     : ident_kind_name(id));
	if (id)
		return 0;
	if (check_scope_limit(d, &v->what->pos, AST_GLOBAL, name))
		return STATUS_SYNTAX;
	scope_add_extern(scope_of(d), name, v->type);
	return 0;
}

/* "int f(int);" */
static bool is_prototype(const struct ast_specs *specs, const struct declared *v)
{
	return specs->storage == STORAGE_NONE && !v->is_array &&
	       type_resolve(v->type)->kind == TYPE_FUNC;
}

/* The type of a variable; only an extern array may leave out its dimension. */
static const struct type *object_type(struct dlang *d, struct ast_specs *specs,
				      const struct ast_derive *derive)
{
	bool is_open = specs->storage == STORAGE_EXTERN && derive &&
		       derive->kind == DERIVE_ARRAY && !derive->size;
	const struct type *t =
		check_declared_type(d, specs, is_open ? derive->next : derive);

	return t && is_open ? open_array(d, derive, t) : t;
}

static int check_declarator(struct dlang *d, struct ast_specs *specs,
			    const struct ast_declarator *what)
{
	const struct ast_derive *derive = what->derive;
	struct declared v = {.what = what};

	if (what->is_bad)
		return STATUS_SYNTAX;
	if (derive && derive->kind == DERIVE_ASSOC) {
		if (check_key_types(d, derive, &v))
			return STATUS_SYNTAX;
		derive = derive->next;
	}
	v.type = object_type(d, specs, derive);
	if (!v.type)
		return STATUS_SYNTAX;
	if (specs->storage == STORAGE_TYPEDEF)
		return declare_typedef(d, &v);
	if (specs->storage == STORAGE_EXTERN || is_prototype(specs, &v))
		return declare_extern(d, &v);
	if (specs->storage == STORAGE_SELF)
		v.scope = AST_SELF;
	else if (specs->storage == STORAGE_THIS)
		v.scope = AST_THIS;
	return declare_variable(d, &v);
}

/* A declaration without declarators must declare a tag or enumerators. */
static int check_bare(struct dlang *d, const struct ast_decl *decl)
{
	struct ast_specs *s = decl->specs;
	bool has_use =
		s->base == BASE_TAGGED && (s->tag->name || s->tag->kind == TAG_ENUM);

	if (!base_type(d, s))
		return STATUS_SYNTAX;
	if (!has_use || s->storage == STORAGE_TYPEDEF)
		return diag(d, &decl->pos, "D_DECL_USELESS", "useless declaration");
	return 0;
}

int check_decl(struct dlang *d, struct ast_decl *decl)
{
	struct ast_specs *s = decl->specs;
	int rc = 0;

	check_begin(d);
	if (s->is_bad)
		return STATUS_SYNTAX;
	if (s->storage == STORAGE_AUTO || s->storage == STORAGE_REGISTER ||
	    s->storage == STORAGE_STATIC)
		return diag(d, &decl->pos, "D_DECL_BADCLASS",
			    "specified storage class not appropriate in D");
	if (!decl->declarators)
		return check_bare(d, decl);
	for (const struct ast_declarator *v = decl->declarators; v; v = v->next)
		if (check_declarator(d, s, v))
			rc = STATUS_SYNTAX;
	return rc;
}
