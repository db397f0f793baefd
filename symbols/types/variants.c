/* SPDX-License-Identifier: MIT */
/* The variants of an enum of Rust: DW_TAG_variant_part (DWARF 5, 5.7.10). */
#include "symbols/types.h"

#include "symbols/types/internal.h"

struct variants {
	struct module_types *mt;
	uint64_t part, size; /* ref of the variant part; bytes of the enum */
	size_t nparts;
	struct entry member; /* of the variant that is being looked at */
	size_t nmembers;
	bool is_other; /* described in a way that is not known */
	void (*visit)(void *ctx, const struct target_variant *v);
	void *ctx;
};

static bool find_part(void *ctx, const struct entry *e)
{
	struct variants *v = ctx;

	if (e->tag == ENTRY_VARIANT_PART) {
		v->part = e->ref;
		v->nparts++;
	}
	return true;
}

static bool take_variant_member(void *ctx, const struct entry *e)
{
	struct variants *v = ctx;

	if (e->tag == ENTRY_MEMBER) {
		v->member = *e;
		v->nmembers++;
	}
	return true;
}

/* Each has one member: a struct of its name, which lies inside of the enum. */
static bool read_variant(struct variants *v, const struct entry *e)
{
	struct target_type t;

	v->nmembers = 0;
	dwarf_children(v->mt->dwarf, e->ref, take_variant_member, v);
	if (e->has_values || v->nmembers != 1 || !v->member.name ||
	    !v->member.has_offset || v->member.nbits)
		return false;
	module_types_get(v->mt, v->member.type, &t);
	return t.kind == TARGET_STRUCT && t.size <= v->size &&
	       v->member.offset <= v->size - t.size;
}

static bool check_variant(void *ctx, const struct entry *e)
{
	struct variants *v = ctx;

	if (e->tag == ENTRY_VARIANT && !read_variant(v, e))
		v->is_other = true;
	return !v->is_other;
}

static bool visit_variant(void *ctx, const struct entry *e)
{
	struct variants *v = ctx;
	struct target_variant out;

	if (e->tag != ENTRY_VARIANT || !read_variant(v, e))
		return true;
	out = (struct target_variant){
		.member = {.name = v->member.name,
			   .type = v->member.type,
			   .offset = v->member.offset,
			   .value = e->value},
		.has_value = e->has_value,
	};
	v->visit(v->ctx, &out);
	return true;
}

static bool read_discriminant(struct variants *v, uint64_t ref,
			      struct target_member *out)
{
	struct target_type t;
	struct entry e;

	if (!dwarf_entry(v->mt->dwarf, ref, &e) || e.tag != ENTRY_MEMBER ||
	    !e.has_offset || e.nbits)
		return false;
	module_types_get(v->mt, e.type, &t);
	*out = (struct target_member){.name = "", .type = e.type, .offset = e.offset};
	return t.kind == TARGET_INT && e.offset <= v->size &&
	       t.size <= v->size - e.offset;
}

bool module_types_variants(struct module_types *mt, uint64_t ref,
			   struct target_member *discriminant,
			   void (*visit)(void *ctx, const struct target_variant *v),
			   void *ctx)
{
	struct variants v = {.mt = mt, .visit = visit, .ctx = ctx};
	struct entry owner, part;

	*discriminant = (struct target_member){.name = ""};
	if (!dwarf_entry(mt->dwarf, ref, &owner))
		return false;
	v.size = owner.size;
	dwarf_children(mt->dwarf, ref, find_part, &v);
	if (v.nparts != 1 || !dwarf_entry(mt->dwarf, v.part, &part) ||
	    (part.type && !read_discriminant(&v, part.type, discriminant)))
		return false;
	dwarf_children(mt->dwarf, v.part, check_variant, &v);
	if (v.is_other)
		return false;
	dwarf_children(mt->dwarf, v.part, visit_variant, &v);
	return true;
}
