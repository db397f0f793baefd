/* SPDX-License-Identifier: MIT */
#include "tracer/targets/convert.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64   /* pointers to arrays of typedefs of ... */
#define ALIGN_MAX 4096 /* of a type; more is a damaged file */

/* Where an incomplete type came from: type.source_ref points to one. */
struct origin {
	struct convert_object *object;
	uint64_t ref;
};

struct converting {
	struct convert_object *object;
	struct types *ts;
	unsigned depth;
};

static const struct type *convert(struct converting *c, uint64_t ref);

void convert_object_free(struct convert_object *o)
{
	module_types_close(o->types);
	map_release(&o->by_ref);
	vec_release(&o->rows);
	free(o->name);
	free(o);
}

const struct module_cfi_rows *convert_rows(struct convert_object *o,
					   const struct module *m)
{
	struct err ignored;

	if (!o->has_rows && module_read_cfi_rows(m, &o->rows, &ignored))
		o->rows = (struct module_cfi_rows){0};
	o->has_rows = true;
	return &o->rows;
}

static void set_part(struct target_spot *at, const struct module *m,
		     const struct symbol *sym)
{
	struct symbol_part part = {0};

	for (uint32_t i = 0; i < sym->nparts; i++)
		if (at->value - m->parts[sym->first_part + i].value <
		    m->parts[sym->first_part + i].size)
			part = m->parts[sym->first_part + i];
	if (at->value - sym->value < sym->size)
		part = (struct symbol_part){sym->value, sym->size};
	at->lo = part.value;
	at->hi = part.value + part.size;
}

/* One that the compiler made of the function which is called so without the suffix. */
static bool is_copy(const char *name)
{
	return strstr(name, ".isra.") || strstr(name, ".constprop.") ||
	       strstr(name, ".part.") || strstr(name, ".llvm.") ||
	       strstr(name, ".specialized.");
}

void convert_spot(struct convert_object *o, const struct module *m,
		  const struct symbol *sym, uint64_t value, struct target_spot *out)
{
	*out = (struct target_spot){
		.value = value,
		.by = sym ? symbol_convention(m, sym) : REGS_CONVENTION_C,
		.rows = convert_rows(o, m),
		.base = m->lo.v - m->bias,
		.is_local = true,
	};
	if (!sym)
		return;
	set_part(out, m, sym);
	out->is_entry = value == sym->value;
	out->is_copy = is_copy(sym->name);
	out->is_local = out->is_copy || !symbol_is_global(sym);
}

/* size bytes that can be copied and printed, but not calculated with. */
static const struct type *opaque(struct types *ts, uint64_t size)
{
	if (!size || size > INT32_MAX)
		return ts->t_void;
	return type_array(ts, type_find(ts, "unsigned char"), (uint32_t)size);
}

/* The intrinsic type of the same kind and size under the name it has there. */
static const struct type *convert_base(struct types *ts, const struct target_type *from)
{
	static const char *const ints[2][4] = {
		{"unsigned char", "unsigned short", "unsigned int", "unsigned long"},
		{"char", "short", "int", "long"},
	};
	const struct type *t, *same;

	if (from->kind == TARGET_FLOAT)
		t = type_find(ts, from->size == 4   ? "float"
				  : from->size == 8 ? "double"
						    : "long double");
	else
		t = type_find(ts, ints[from->is_signed][from->size == 1	  ? 0
							: from->size == 2 ? 1
							: from->size == 4 ? 2
									  : 3]);
	if (!from->name)
		return t;
	same = type_find(ts, from->name);
	if (same && type_is_same(same, t))
		return same;
	return type_alias(ts, from->name, t);
}

static const struct type *convert_tagged(struct converting *c,
					 const struct target_type *from, uint64_t ref)
{
	static const char *const words[] = {[TARGET_STRUCT] = "struct",
					    [TARGET_UNION] = "union",
					    [TARGET_ENUM] = "enum"};
	enum type_kind kind = from->kind == TARGET_STRUCT  ? TYPE_STRUCT
			      : from->kind == TARGET_UNION ? TYPE_UNION
							   : TYPE_ENUM;
	struct origin *origin = arena_alloc(c->ts->arena, sizeof(*origin));
	struct type *t;

	*origin = (struct origin){c->object, ref};
	t = type_tagged(c->ts, kind,
			arena_printf(c->ts->arena, "%s %s", words[from->kind],
				     from->name ? from->name : "<anonymous>"),
			false);
	t->source = c->object->source;
	t->source_ref = (uint64_t)(uintptr_t)origin;
	if (from->size)
		t->size = (uint32_t)from->size;
	if (from->kind == TARGET_ENUM)
		t->is_signed = from->is_signed;
	return t;
}

/* A dimension that is open, or too large to be true, has no elements. */
static const struct type *convert_array(struct converting *c,
					const struct target_type *from)
{
	const struct type *t = convert(c, from->base);

	for (uint32_t i = from->ndims; i-- > 0;) {
		uint64_t size = type_size(c->ts, t), n = from->dims[i];

		if (size && n > INT32_MAX / size)
			n = 0;
		t = type_array(c->ts, t, (uint32_t)n);
	}
	if (from->is_vector && t->kind == TYPE_ARRAY)
		t = type_vector(c->ts, t);
	return t;
}

static const struct type *convert_alias(struct converting *c,
					const struct target_type *from)
{
	const struct type *base = convert(c, from->base), *same;

	if (!from->name)
		return base;
	if (from->kind == TARGET_QUALIFIED)
		return type_qualified(c->ts, from->name, base);
	same = type_find(c->ts, from->name);
	if (same && type_is_int(base) && !type_is_enum(base) &&
	    type_is_same(same, base))
		return same;
	return type_alias(c->ts, from->name, base);
}

static const struct type *convert_new(struct converting *c, uint64_t ref)
{
	struct target_type from;

	module_types_get(c->object->types, ref, &from);
	switch (from.kind) {
	case TARGET_VOID:
		return c->ts->t_void;
	case TARGET_INT:
	case TARGET_FLOAT:
		return convert_base(c->ts, &from);
	case TARGET_POINTER:
		return type_userland(c->ts, type_pointer(c->ts, convert(c, from.base)));
	case TARGET_ARRAY:
		return convert_array(c, &from);
	case TARGET_FUNCTION:
		return c->ts->t_func;
	case TARGET_ALIAS:
	case TARGET_QUALIFIED:
		return convert_alias(c, &from);
	case TARGET_STRUCT:
	case TARGET_UNION:
	case TARGET_ENUM:
		return convert_tagged(c, &from, ref);
	default:
		if (from.is_wide && from.name)
			return type_wide(c->ts, from.name, from.is_signed);
		return opaque(c->ts, from.size);
	}
}

static const struct type *convert(struct converting *c, uint64_t ref)
{
	const struct type *t;
	uint64_t known;

	if (!ref || c->depth == DEPTH_MAX)
		return c->ts->t_void;
	ref = module_types_definition(c->object->types, ref);
	if (map_get(&c->object->by_ref, ref, &known))
		return (const struct type *)(uintptr_t)known;
	c->depth++;
	t = convert_new(c, ref);
	c->depth--;
	map_set(&c->object->by_ref, ref, (uint64_t)(uintptr_t)t);
	return t;
}

const struct type *convert_type(struct convert_object *o, struct types *ts,
				uint64_t ref)
{
	struct converting c = {o, ts, 0};

	return convert(&c, ref);
}

/* ---- members ---- */

struct filling {
	struct converting c;
	struct type *type;
};

/*
 * A bit-field lies in a unit of its type at a multiple of its size, or, when it
 * is packed across two of them, in one that begins at its first byte. False:
 * not even that.
 */
static bool place_bits(struct type_member *out, const struct target_member *m,
		       uint64_t unit)
{
	if (!unit || unit > 8)
		return false;
	out->offset = m->bit / 8 / unit * unit;
	if (m->bit - out->offset * 8 + m->nbits > unit * 8)
		out->offset = m->bit / 8;
	if (m->bit - out->offset * 8 + m->nbits > unit * 8)
		return false;
	out->bit = (uint8_t)(m->bit - out->offset * 8);
	out->nbits = (uint8_t)m->nbits;
	return true;
}

static void add_member(void *ctx, const struct target_member *m)
{
	struct filling *f = ctx;
	struct type_member out = {
		.name = m->name, .offset = m->offset, .value = m->value};

	if (f->type->kind != TYPE_ENUM) {
		out.type = convert(&f->c, m->type);
		if (m->nbits && !place_bits(&out, m, type_size(f->c.ts, out.type)))
			return;
	}
	type_add_member(f->c.ts, f->type, &out);
}

static void add_variant(void *ctx, const struct target_variant *v)
{
	struct filling *f = ctx;
	struct type_member out = {.name = v->member.name,
				  .type = convert(&f->c, v->member.type),
				  .offset = v->member.offset,
				  .value = v->member.value,
				  .is_rest = !v->has_value};

	type_add_variant(f->c.ts, f->type, &out);
}

/* A struct whose variants are not understood has none. */
static void fill_variants(struct filling *f, uint64_t ref)
{
	struct target_member discriminant;
	struct target_type t;

	f->type->variants = arena_alloc(f->c.ts->arena, sizeof(*f->type->variants));
	if (!module_types_variants(f->c.object->types, ref, &discriminant, add_variant,
				   f)) {
		f->type->variants = NULL;
		return;
	}
	module_types_get(f->c.object->types, discriminant.type, &t);
	f->type->variants->offset = discriminant.offset;
	f->type->variants->size = discriminant.type ? (uint32_t)t.size : 0;
}

bool convert_complete_from(struct convert_object *o, struct types *ts, uint64_t ref,
			   struct type *t)
{
	struct filling f = {{o, ts, 0}, t};
	struct target_type from;

	module_types_get(o->types, ref, &from);
	if (!from.is_complete)
		return false;
	if (from.size)
		t->size = (uint32_t)from.size;
	t->is_asked = true;
	if (from.align <= ALIGN_MAX && (from.align & (from.align - 1)) == 0)
		t->align = (uint32_t)from.align;
	for (size_t i = 0; i < TYPE_ARGUMENTS; i++)
		if (from.arguments[i])
			t->arguments[i] = convert(&f.c, from.arguments[i]);
	module_types_members(o->types, ref, add_member, &f);
	if (from.has_variants)
		fill_variants(&f, ref);
	t->is_complete = true;
	return true;
}

bool convert_complete(struct types *ts, struct type *t)
{
	const struct origin *origin = (const struct origin *)(uintptr_t)t->source_ref;

	return convert_complete_from(origin->object, ts, origin->ref, t);
}

bool convert_is_same(const struct type *a, const struct type *b)
{
	const struct origin *x = (const struct origin *)(uintptr_t)a->source_ref;
	const struct origin *y = (const struct origin *)(uintptr_t)b->source_ref;

	return x->object == y->object &&
	       module_types_is_same(x->object->types, x->ref, y->ref);
}

bool convert_path(const struct type *t, struct strbuf *out)
{
	const struct origin *origin = (const struct origin *)(uintptr_t)t->source_ref;

	return module_types_path(origin->object->types, origin->ref, out);
}
