/* SPDX-License-Identifier: MIT */
/* Kinds of types and members of structs. */
#include "symbols/types.h"

#include <string.h>

#include "symbols/types/internal.h"

#define SIZE_MAX_TYPE INT32_MAX
#define NESTING_MAX   32   /* depth of structs that contain structs */
#define NESTED_MAX    4096 /* entries read to check that */

struct dims {
	struct target_type *out;
	bool is_bad;
};

static bool add_dim(void *ctx, const struct entry *e)
{
	struct dims *d = ctx;

	if (e->tag != ENTRY_SUBRANGE)
		return true;
	if (d->out->ndims == TARGET_DIMS_MAX) {
		d->is_bad = true;
		return false;
	}
	d->out->dims[d->out->ndims++] = e->count;
	return true;
}

static void get_array(struct module_types *mt, const struct entry *e,
		      struct target_type *out)
{
	struct dims d = {out, false};

	dwarf_children(mt->dwarf, e->ref, add_dim, &d);
	if (d.is_bad || out->ndims == 0)
		out->kind = TARGET_OPAQUE;
}

static enum target_kind base_kind(const struct entry *e)
{
	switch (e->encoding) {
	case ENCODING_SIGNED:
	case ENCODING_UNSIGNED:
		return e->size == 1 || e->size == 2 || e->size == 4 || e->size == 8
			       ? TARGET_INT
			       : TARGET_OPAQUE;
	case ENCODING_FLOAT:
		return e->size == 4 || e->size == 8 || e->size == 16 ? TARGET_FLOAT
								     : TARGET_OPAQUE;
	case ENCODING_COMPLEX:
		return TARGET_COMPLEX;
	default:
		return TARGET_OPAQUE;
	}
}

static enum target_kind kind_of(const struct entry *e)
{
	switch (e->tag) {
	case ENTRY_BASE:
		return base_kind(e);
	case ENTRY_POINTER:
		return TARGET_POINTER;
	case ENTRY_ARRAY:
		return TARGET_ARRAY;
	case ENTRY_TYPEDEF:
		return TARGET_ALIAS;
	case ENTRY_CONST:
	case ENTRY_VOLATILE:
	case ENTRY_RESTRICT:
	case ENTRY_QUALIFIER:
		return TARGET_QUALIFIED;
	case ENTRY_STRUCT:
		return TARGET_STRUCT;
	case ENTRY_UNION:
		return TARGET_UNION;
	case ENTRY_ENUM:
		return TARGET_ENUM;
	case ENTRY_SUBROUTINE:
	case ENTRY_FUNCTION:
		return TARGET_FUNCTION;
	case ENTRY_UNSPECIFIED:
		return TARGET_VOID;
	default:
		return TARGET_OPAQUE;
	}
}

static const char *name_of(const struct entry *e)
{
	switch (e->tag) {
	case ENTRY_CONST:
		return "const";
	case ENTRY_VOLATILE:
		return "volatile";
	case ENTRY_RESTRICT:
		return "restrict";
	case ENTRY_QUALIFIER:
		return NULL;
	default:
		return e->name && *e->name ? e->name : NULL;
	}
}

/* The type without typedefs and qualifiers; false if their chain is too long. */
static bool resolve(const struct module_types *mt, uint64_t ref, struct entry *out)
{
	for (int i = 0; i < TYPES_CHAIN_MAX; i++) {
		enum target_kind kind;

		if (!dwarf_entry(mt->dwarf, ref, out))
			return false;
		kind = kind_of(out);
		if (kind != TARGET_ALIAS && kind != TARGET_QUALIFIED)
			return true;
		ref = out->type;
	}
	return false;
}

/* Compilers do not give the sign of an enum without an underlying type. */
static bool is_enum_signed(const struct module_types *mt, const struct entry *e)
{
	struct entry base;

	return !e->type || !resolve(mt, e->type, &base) ||
	       base.encoding != ENCODING_UNSIGNED;
}

struct arguments {
	uint64_t *refs;
	size_t n;
};

static bool take_argument(void *ctx, const struct entry *e)
{
	struct arguments *a = ctx;

	if (e->tag == ENTRY_TYPE_ARGUMENT)
		a->refs[a->n++] = e->type;
	return a->n < TARGET_ARGUMENTS;
}

static bool is_of_rust(const struct module_types *mt, uint64_t ref)
{
	struct dwarf_unit unit;

	return dwarf_unit_of(mt->dwarf, ref, &unit) && unit.language == LANGUAGE_RUST;
}

static bool note_variants(void *ctx, const struct entry *e)
{
	bool *has = ctx;

	*has |= e->tag == ENTRY_VARIANT_PART;
	return !*has;
}

void module_types_get(struct module_types *mt, uint64_t ref, struct target_type *out)
{
	struct arguments arguments = {out->arguments, 0};
	struct entry e;

	*out = (struct target_type){.kind = TARGET_VOID};
	if (!ref)
		return;
	out->kind = TARGET_OPAQUE;
	if (!dwarf_entry(mt->dwarf, ref, &e))
		return;
	out->kind = kind_of(&e);
	out->name = name_of(&e);
	out->size = e.size <= SIZE_MAX_TYPE ? e.size : 0;
	out->base = e.type;
	out->align = e.align;
	out->is_signed = e.encoding == ENCODING_SIGNED;
	out->is_vector = e.is_vector;
	out->is_wide =
		e.tag == ENTRY_BASE && e.size == 16 &&
		(e.encoding == ENCODING_SIGNED || e.encoding == ENCODING_UNSIGNED);
	out->is_complete = !e.is_declaration && e.size <= SIZE_MAX_TYPE;
	if (out->kind == TARGET_ENUM)
		out->is_signed = is_enum_signed(mt, &e);
	if (out->kind == TARGET_ARRAY)
		get_array(mt, &e, out);
	if (out->kind == TARGET_STRUCT && out->name && strchr(out->name, '<'))
		dwarf_children(mt->dwarf, ref, take_argument, &arguments);
	if (out->kind == TARGET_STRUCT && is_of_rust(mt, ref))
		dwarf_children(mt->dwarf, ref, note_variants, &out->has_variants);
	if (e.tag == ENTRY_MEMBER_POINTER)
		out->size = 8;
}

static bool is_unlike_c(void *ctx, const struct entry *e)
{
	bool *found = ctx;

	*found |= e->tag == ENTRY_FUNCTION && e->name && e->name[0] == '~';
	*found |=
		e->tag == ENTRY_MEMBER && e->name && strncmp(e->name, "_vptr", 5) == 0;
	return !*found;
}

/* DWARF 5 says it; before, a class with a destructor or virtual functions is one. */
bool module_types_is_by_reference(struct module_types *mt, uint64_t ref)
{
	bool found = false;
	struct entry e;

	if (!dwarf_entry(mt->dwarf, ref, &e) || e.tag != ENTRY_STRUCT || e.is_by_value)
		return false;
	if (!e.is_by_reference)
		dwarf_children(mt->dwarf, ref, is_unlike_c, &found);
	return e.is_by_reference || found;
}

/* ---- members ---- */

/* Detects a struct that contains itself by value, as in a damaged file. */
struct nesting {
	const struct module_types *mt;
	unsigned depth, budget;
	bool is_endless;
};

static void look_inside(struct nesting *n, uint64_t type);

static bool visit_nested(void *ctx, const struct entry *e)
{
	struct nesting *n = ctx;

	if (n->budget == 0)
		n->is_endless = true;
	else
		n->budget--;
	if (!n->is_endless && (e->tag == ENTRY_MEMBER || e->tag == ENTRY_BASECLASS))
		look_inside(n, e->type);
	return !n->is_endless;
}

static void look_inside(struct nesting *n, uint64_t type)
{
	struct entry e;

	for (int i = 0; i < TYPES_CHAIN_MAX; i++) {
		if (!resolve(n->mt, type, &e))
			break;
		if (e.tag == ENTRY_STRUCT || e.tag == ENTRY_UNION) {
			if (++n->depth > NESTING_MAX)
				n->is_endless = true;
			else
				dwarf_children(n->mt->dwarf, e.ref, visit_nested, n);
			n->depth--;
			return;
		}
		if (e.tag != ENTRY_ARRAY)
			return;
		type = e.type;
	}
	n->is_endless = type != 0;
}

struct listing {
	struct module_types *mt;
	struct entry owner;
	void (*visit)(void *ctx, const struct target_member *m);
	void *ctx;
};

static uint64_t storage_size(const struct listing *l, const struct entry *e)
{
	struct entry type;

	if (e->size)
		return e->size;
	return resolve(l->mt, e->type, &type) ? type.size : 0;
}

/* The lowest bit of a bit-field, counted from the start of the struct. */
static uint64_t bit_of(const struct listing *l, const struct entry *e)
{
	if (e->has_bit)
		return e->bit;
	if (e->has_high_bit)
		return (e->offset + storage_size(l, e)) * 8 - e->high_bit - e->nbits;
	return e->offset * 8;
}

static bool visit_member(void *ctx, const struct entry *e)
{
	const struct listing *l = ctx;
	struct nesting n = {l->mt, 0, NESTED_MAX, false};
	struct target_member m = {.name = e->name ? e->name : "",
				  .type = e->type,
				  .offset = e->offset,
				  .nbits = e->nbits,
				  .value = e->value};

	if (e->tag == ENTRY_ENUMERATOR && l->owner.tag == ENTRY_ENUM) {
		l->visit(l->ctx, &m);
		return true;
	}
	/* static members of a class and virtual base classes have no place here */
	if ((e->tag != ENTRY_MEMBER && e->tag != ENTRY_BASECLASS) ||
	    e->is_declaration || l->owner.tag == ENTRY_ENUM)
		return true;
	if (!e->has_offset && !e->has_bit && l->owner.tag == ENTRY_STRUCT)
		return true;
	if (e->tag == ENTRY_BASECLASS)
		m.name = "";
	m.bit = bit_of(l, e);
	look_inside(&n, e->type);
	if (n.is_endless || e->nbits > 64 || m.offset > l->owner.size ||
	    (e->nbits && m.bit + e->nbits > l->owner.size * 8))
		return true;
	l->visit(l->ctx, &m);
	return true;
}

void module_types_members(struct module_types *mt, uint64_t ref,
			  void (*visit)(void *ctx, const struct target_member *m),
			  void *ctx)
{
	struct listing l = {.mt = mt, .visit = visit, .ctx = ctx};

	if (dwarf_entry(mt->dwarf, ref, &l.owner) && l.owner.size <= SIZE_MAX_TYPE)
		dwarf_children(mt->dwarf, ref, visit_member, &l);
}
