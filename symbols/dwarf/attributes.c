/* SPDX-License-Identifier: MIT */
/* Tags and attributes of one debug entry -> struct entry. */
#include "symbols/dwarf/internal.h"
#include "vm/base/base.h"

#include <dwarf.h>
#include <string.h>

static enum entry_tag tag_of(Dwarf_Die *die)
{
	static const unsigned char tags[] = {
		[DW_TAG_base_type] = ENTRY_BASE,
		[DW_TAG_unspecified_type] = ENTRY_UNSPECIFIED,
		[DW_TAG_pointer_type] = ENTRY_POINTER,
		[DW_TAG_reference_type] = ENTRY_POINTER,
		[DW_TAG_rvalue_reference_type] = ENTRY_POINTER,
		[DW_TAG_ptr_to_member_type] = ENTRY_MEMBER_POINTER,
		[DW_TAG_array_type] = ENTRY_ARRAY,
		[DW_TAG_subrange_type] = ENTRY_SUBRANGE,
		[DW_TAG_typedef] = ENTRY_TYPEDEF,
		[DW_TAG_const_type] = ENTRY_CONST,
		[DW_TAG_volatile_type] = ENTRY_VOLATILE,
		[DW_TAG_restrict_type] = ENTRY_RESTRICT,
		[DW_TAG_atomic_type] = ENTRY_QUALIFIER,
		[DW_TAG_immutable_type] = ENTRY_QUALIFIER,
		[DW_TAG_packed_type] = ENTRY_QUALIFIER,
		[DW_TAG_shared_type] = ENTRY_QUALIFIER,
		[DW_TAG_structure_type] = ENTRY_STRUCT,
		[DW_TAG_class_type] = ENTRY_STRUCT,
		[DW_TAG_union_type] = ENTRY_UNION,
		[DW_TAG_enumeration_type] = ENTRY_ENUM,
		[DW_TAG_enumerator] = ENTRY_ENUMERATOR,
		[DW_TAG_member] = ENTRY_MEMBER,
		[DW_TAG_inheritance] = ENTRY_BASECLASS,
		[DW_TAG_subroutine_type] = ENTRY_SUBROUTINE,
		[DW_TAG_subprogram] = ENTRY_FUNCTION,
		[DW_TAG_inlined_subroutine] = ENTRY_INLINED,
		[DW_TAG_formal_parameter] = ENTRY_PARAMETER,
		[DW_TAG_unspecified_parameters] = ENTRY_VARIADIC,
		[DW_TAG_variable] = ENTRY_VARIABLE,
		[DW_TAG_namespace] = ENTRY_NAMESPACE,
		[DW_TAG_template_type_parameter] = ENTRY_TYPE_ARGUMENT,
		[DW_TAG_variant_part] = ENTRY_VARIANT_PART,
		[DW_TAG_variant] = ENTRY_VARIANT,
	};
	unsigned tag = (unsigned)dwarf_tag(die);

	return tag < ARRAY_LEN(tags) ? (enum entry_tag)tags[tag] : ENTRY_OTHER;
}

static enum entry_encoding encoding_of(uint64_t code)
{
	switch (code) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return ENCODING_SIGNED;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
	case DW_ATE_address:
		return ENCODING_UNSIGNED;
	case DW_ATE_float:
		return ENCODING_FLOAT;
	case DW_ATE_complex_float:
		return ENCODING_COMPLEX;
	default:
		return ENCODING_OTHER;
	}
}

struct reading {
	struct dwarf_file *file;
	struct entry *entry;
};

static uint64_t read_ref(struct dwarf_file *d, Dwarf_Attribute *a)
{
	uint64_t signature, ref = 0;
	Dwarf_Die die;

	if (dwarf_formref_die(a, &die))
		return dwarf_ref_of(d, &die);
	/* libdw looks among the type units of one file only */
	if (d->split.types.len && dwarf_whatform(a) == DW_FORM_ref_sig8) {
		memcpy(&signature, a->valp, sizeof(signature));
		map_get(&d->split.types, signature, &ref);
	}
	return ref;
}

static const char *read_name(const struct dwarf_file *d, Dwarf_Attribute *a)
{
	const char *name = dwarf_formstring(a);

	return name && dwarf_is_name(d, name) ? name : NULL;
}

static uint64_t read_number(Dwarf_Attribute *a)
{
	Dwarf_Word v;

	return dwarf_formudata(a, &v) == 0 ? v : 0;
}

/* Compilers use signed forms for negative constants; other constants have any form. */
static int64_t read_signed(Dwarf_Attribute *a)
{
	unsigned form = dwarf_whatform(a);
	Dwarf_Sword v;

	if (form != DW_FORM_sdata && form != DW_FORM_implicit_const)
		return (int64_t)read_number(a);
	return dwarf_formsdata(a, &v) == 0 ? v : 0;
}

static bool read_flag(Dwarf_Attribute *a)
{
	bool flag = false;

	return dwarf_formflag(a, &flag) == 0 && flag;
}

/* A constant or, in old files, an expression that adds a constant. */
static void read_member_offset(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Word v;
	Dwarf_Op *op;
	size_t n;

	if (dwarf_formudata(a, &v) == 0) {
		e->offset = v;
		e->has_offset = true;
	} else if (dwarf_getlocation(a, &op, &n) == 0 && n == 1 &&
		   op[0].atom == DW_OP_plus_uconst) {
		e->offset = op[0].number;
		e->has_offset = true;
	}
}

static void read_location(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Attribute indexed;
	Dwarf_Addr address;
	Dwarf_Op *op;
	size_t n;

	e->location = LOCATION_OTHER;
	if (dwarf_getlocation(a, &op, &n) != 0 || n < 1)
		return;
	if (op[n - 1].atom == DW_OP_GNU_push_tls_address ||
	    op[n - 1].atom == DW_OP_form_tls_address) {
		e->location = LOCATION_THREAD;
	} else if (n == 1 && op[0].atom == DW_OP_addr) {
		e->location = LOCATION_ADDRESS;
		e->address = op[0].number;
	} else if (n == 1 &&
		   (op[0].atom == DW_OP_addrx || op[0].atom == DW_OP_GNU_addr_index) &&
		   dwarf_getlocation_attr(a, op, &indexed) == 0 &&
		   dwarf_formaddr(&indexed, &address) == 0) {
		e->location = LOCATION_ADDRESS;
		e->address = address;
	}
}

static void read_low_pc(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Addr address;

	if (dwarf_formaddr(a, &address) != 0)
		return;
	e->location = LOCATION_ADDRESS;
	e->address = address;
}

/* Some compilers give an open array, [], the upper bound -1. */
static void read_bound(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Word v;

	if (dwarf_formudata(a, &v) == 0 && v < UINT32_MAX)
		e->count = v + 1;
}

/* The attributes of the place of a member. */
static void read_member_attr(Dwarf_Attribute *a, struct entry *e)
{
	switch (dwarf_whatattr(a)) {
	case DW_AT_data_member_location:
		read_member_offset(a, e);
		break;
	case DW_AT_bit_size:
		e->nbits = (uint32_t)min_u64(read_number(a), UINT32_MAX);
		break;
	case DW_AT_data_bit_offset:
		e->bit = read_number(a);
		e->has_bit = true;
		break;
	case DW_AT_bit_offset:
		e->high_bit = (uint32_t)min_u64(read_number(a), UINT32_MAX);
		e->has_high_bit = true;
		break;
	default:
		break;
	}
}

static void read_variant_value(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Word v;

	e->has_value = dwarf_formudata(a, &v) == 0;
	e->has_values |= !e->has_value;
	e->value = e->has_value ? read_signed(a) : 0;
}

/* The attributes of functions, inlined copies, parameters and variants. */
static void read_code_attr(struct dwarf_file *d, Dwarf_Attribute *a, struct entry *e)
{
	switch (dwarf_whatattr(a)) {
	case DW_AT_low_pc:
		read_low_pc(a, e);
		e->has_code = true;
		break;
	case DW_AT_ranges:
	case DW_AT_entry_pc:
		e->has_code = true;
		break;
	case DW_AT_external:
		e->is_external = read_flag(a);
		break;
	case DW_AT_prototyped:
		e->is_prototyped = read_flag(a);
		break;
	case DW_AT_call_all_calls:
	case DW_AT_GNU_all_call_sites:
		e->is_optimized = read_flag(a);
		break;
	case DW_AT_GNU_vector:
		e->is_vector = read_flag(a);
		break;
	case DW_AT_discr:
		e->type = read_ref(d, a);
		break;
	case DW_AT_discr_value:
		read_variant_value(a, e);
		break;
	case DW_AT_discr_list:
		e->has_values = true;
		break;
	case DW_AT_variable_parameter:
		e->is_result = read_flag(a);
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		e->link_name = read_name(d, a);
		break;
	default:
		read_member_attr(a, e);
		break;
	}
}

static int read_attr(Dwarf_Attribute *a, void *ctx)
{
	struct reading *r = ctx;
	struct entry *e = r->entry;

	switch (dwarf_whatattr(a)) {
	case DW_AT_name:
		e->name = read_name(r->file, a);
		break;
	case DW_AT_type:
		e->type = read_ref(r->file, a);
		break;
	case DW_AT_specification:
	case DW_AT_abstract_origin:
	case DW_AT_signature:
		e->origin = read_ref(r->file, a);
		e->is_by_signature = dwarf_whatattr(a) == DW_AT_signature;
		break;
	case DW_AT_encoding:
		e->encoding = encoding_of(read_number(a));
		break;
	case DW_AT_byte_size:
		e->size = read_number(a);
		break;
	case DW_AT_count:
		e->count = min_u64(read_number(a), UINT32_MAX);
		break;
	case DW_AT_upper_bound:
		read_bound(a, e);
		break;
	case DW_AT_alignment:
		e->align = read_number(a);
		break;
	case DW_AT_decl_line:
		e->line = read_number(a);
		break;
	case DW_AT_const_value:
		e->value = read_signed(a);
		e->has_value = true;
		break;
	case DW_AT_location:
		read_location(a, e);
		break;
	case DW_AT_declaration:
		e->is_declaration = read_flag(a);
		break;
	case DW_AT_calling_convention:
		e->convention = read_number(a);
		e->is_by_reference = e->convention == DW_CC_pass_by_reference;
		e->is_by_value = !e->is_by_reference;
		break;
	default:
		read_code_attr(r->file, a, e);
		break;
	}
	return DWARF_CB_OK;
}

void dwarf_read_entry(struct dwarf_file *d, Dwarf_Die *die, struct entry *out)
{
	struct reading r = {d, out};

	*out = (struct entry){.tag = tag_of(die)};
	if (out->tag == ENTRY_OTHER)
		return;
	out->ref = dwarf_ref_of(d, die);
	dwarf_getattrs(die, read_attr, &r, 0);
}

enum dwarf_term dwarf_where_term(struct dwarf_file *d, uint64_t variable)
{
	Dwarf_Attribute a;
	Dwarf_Die die;

	if (!dwarf_die_at(d, variable, &die))
		return TERM_NONE;
	if (!dwarf_attr_integrate(&die, DW_AT_location, &a))
		return dwarf_attr_integrate(&die, DW_AT_const_value, &a) ? TERM_CONST
									 : TERM_NONE;
	switch (dwarf_whatform(&a)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return TERM_ALL;
	default:
		return TERM_LISTED;
	}
}
