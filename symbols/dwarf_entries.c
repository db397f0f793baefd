/* SPDX-License-Identifier: MIT */
/*
 * .debug_info by libdw: what one debugging entry says, and how to come from one
 * to the next. libdw checks most of what it reads; what it does not is checked
 * here.
 */
#include "symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#define NAMESPACES_MAX	16 /* inside one another; each level is read once more */
#define SCOPES_MAX	64 /* likewise */
#define WALK_MAX	3000000 /* entries */
#define EXPANDED_MAX	(UINT64_C(4) << 30) /* of a compressed section */
#define EXPANSION_MAX	2000		    /* zlib cannot do more than 1032 */
#define REF_TYPES	(UINT64_C(1) << 62) /* the entry is in .debug_types */
#define REF_SHARED	(UINT64_C(1) << 63) /* it is in the shared file */
#define REF_OFFSET_MASK (REF_TYPES - 1)

struct dwarf_file {
	struct dwarf_part {
		int fd;
		Elf *elf;
		Dwarf *dwarf;
		struct {
			struct section_bytes {
				const char *lo, *hi;
			} * data;
			size_t len, cap;
		} sections; /* where names may be */
	} own, shared;
};

static void part_close(struct dwarf_part *p)
{
	vec_release(&p->sections);
	dwarf_end(p->dwarf);
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
}

/* libdw has read these sections already, and expanded them. */
static void find_sections(struct dwarf_part *p)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(p->elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(p->elf, scn))) {
		const Elf64_Shdr *h = elf64_getshdr(scn);
		const char *name = h ? elf_strptr(p->elf, names, h->sh_name) : NULL;
		Elf_Data *data;

		if (!name ||
		    (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf)
			*vec_push(&p->sections) = (struct section_bytes){
				data->d_buf, (char *)data->d_buf + data->d_size};
	}
}

/* libdw does not see to it that the last name of a section ends inside it. */
static bool is_terminated(const struct dwarf_part *p, const char *text)
{
	for (size_t i = 0; i < p->sections.len; i++) {
		const struct section_bytes *s = &p->sections.data[i];

		if (text >= s->lo && text < s->hi)
			return memchr(text, 0, (size_t)(s->hi - text)) != NULL;
	}
	return false;
}

/* Read with pread(2): a file that shrinks is an error and not a SIGBUS. */
static int part_open(struct dwarf_part *p, const struct elf_file *f, struct err *e)
{
	elf_version(EV_CURRENT);
	p->fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (p->fd < 0)
		return err_errno(e, STATUS_IO, "cannot read debugging data");
	p->elf = elf_begin(p->fd, ELF_C_READ, NULL);
	p->dwarf = p->elf ? dwarf_begin_elf(p->elf, DWARF_C_READ, NULL) : NULL;
	if (!p->dwarf)
		return err_set(e, STATUS_BADFMT, "its debugging data is damaged: %s",
			       dwarf_errmsg(-1));
	find_sections(p);
	return 0;
}

/* How far a section would expand; 0: it is not compressed. */
static uint64_t expanded_size(const struct elf_file *f, const Elf64_Shdr *s,
			      uint32_t *how)
{
	uint8_t *p = elf_read(f, s->sh_offset, min_u64(s->sh_size, sizeof(Elf64_Chdr)));
	uint64_t size = 0;

	*how = ELFCOMPRESS_ZLIB;
	if (p && s->sh_flags & SHF_COMPRESSED && s->sh_size >= sizeof(Elf64_Chdr)) {
		Elf64_Chdr h;

		memcpy(&h, p, sizeof(h));
		*how = h.ch_type;
		size = h.ch_size;
	} else if (p && s->sh_size >= 12 && memcmp(p, "ZLIB", 4) == 0) {
		for (int i = 4; i < 12; i++)
			size = size << 8 | p[i];
	}
	free(p);
	return size;
}

/* libdw expands what it is told to: nothing that cannot be true. */
static int check_compression(const struct elf_file *f, struct err *e)
{
	for (size_t i = 0; i < f->nsections; i++) {
		const Elf64_Shdr *s = &f->sections[i];
		const char *name = elf_section_name(f, s);
		uint32_t how;
		uint64_t size;

		if (strncmp(name, ".debug_", 7) != 0 &&
		    strncmp(name, ".zdebug_", 8) != 0)
			continue;
		size = expanded_size(f, s, &how);
		if (how != ELFCOMPRESS_ZLIB)
			return err_set(e, STATUS_UNSUP,
				       "its section %s is compressed by other means "
				       "than zlib: link it with "
				       "--compress-debug-sections=zlib",
				       name);
		if (size > EXPANDED_MAX || size / EXPANSION_MAX > s->sh_size)
			return err_set(e, STATUS_BADFMT, "its section %s is damaged",
				       name);
	}
	return 0;
}

int dwarf_open(const struct elf_file *f, const struct elf_file *shared,
	       struct dwarf_file **out, struct err *e)
{
	struct dwarf_file *d;
	int rc = check_compression(f, e);

	if (!rc && shared)
		rc = check_compression(shared, e);
	if (rc)
		return rc;
	if (!elf_section(f, SHT_PROGBITS, ".debug_info") &&
	    !elf_section(f, SHT_PROGBITS, ".zdebug_info"))
		return err_set(e, STATUS_NOENT,
			       "it has no debugging data: compile it with -g");
	d = oom_calloc(1, sizeof(*d));
	d->own.fd = d->shared.fd = -1;
	rc = part_open(&d->own, f, e);
	if (!rc && shared)
		rc = part_open(&d->shared, shared, e);
	if (rc) {
		dwarf_close(d);
		return rc;
	}
	if (shared)
		dwarf_setalt(d->own.dwarf, d->shared.dwarf);
	*out = d;
	return 0;
}

void dwarf_close(struct dwarf_file *d)
{
	if (!d)
		return;
	part_close(&d->own);
	part_close(&d->shared);
	free(d);
}

static uint64_t ref_of(struct dwarf_file *d, Dwarf_Die *die)
{
	Dwarf_Half version = 0;
	uint8_t unit = 0;
	uint64_t ref = dwarf_dieoffset(die) & REF_OFFSET_MASK;

	if (dwarf_cu_info(die->cu, &version, &unit, NULL, NULL, NULL, NULL, NULL))
		return 0;
	if (version < 5 && unit == DW_UT_type)
		ref |= REF_TYPES;
	if (d->shared.dwarf && dwarf_cu_getdwarf(die->cu) == d->shared.dwarf)
		ref |= REF_SHARED;
	return ref;
}

static bool die_at(struct dwarf_file *d, uint64_t ref, Dwarf_Die *die)
{
	Dwarf *from = ref & REF_SHARED ? d->shared.dwarf : d->own.dwarf;
	Dwarf_Off offset = ref & REF_OFFSET_MASK;

	if (!ref || !from)
		return false;
	return ref & REF_TYPES ? dwarf_offdie_types(from, offset, die)
			       : dwarf_offdie(from, offset, die);
}

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
	Dwarf_Die die;

	return dwarf_formref_die(a, &die) ? ref_of(d, &die) : 0;
}

static const char *read_name(const struct dwarf_file *d, Dwarf_Attribute *a)
{
	const char *name = dwarf_formstring(a);

	if (!name || is_terminated(&d->own, name) || is_terminated(&d->shared, name))
		return name;
	return NULL;
}

static uint64_t read_number(Dwarf_Attribute *a)
{
	Dwarf_Word v;

	return dwarf_formudata(a, &v) == 0 ? v : 0;
}

/* Compilers write negative constants in a signed form, others in any. */
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

/* A constant, or in old files the expression that adds one. */
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

	e->place = PLACE_OTHER;
	if (dwarf_getlocation(a, &op, &n) != 0 || n < 1)
		return;
	if (op[n - 1].atom == DW_OP_GNU_push_tls_address ||
	    op[n - 1].atom == DW_OP_form_tls_address) {
		e->place = PLACE_THREAD;
	} else if (n == 1 && op[0].atom == DW_OP_addr) {
		e->place = PLACE_ADDRESS;
		e->address = op[0].number;
	} else if (n == 1 && op[0].atom == DW_OP_addrx &&
		   dwarf_getlocation_attr(a, op, &indexed) == 0 &&
		   dwarf_formaddr(&indexed, &address) == 0) {
		e->place = PLACE_ADDRESS;
		e->address = address;
	}
}

static void read_low_pc(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Addr address;

	if (dwarf_formaddr(a, &address) != 0)
		return;
	e->place = PLACE_ADDRESS;
	e->address = address;
}

/* An upper bound of -1 is how some compilers say []. */
static void read_bound(Dwarf_Attribute *a, struct entry *e)
{
	Dwarf_Word v;

	if (dwarf_formudata(a, &v) == 0 && v < UINT32_MAX)
		e->count = v + 1;
}

/* The attributes of where a member lies. */
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

/* The attributes of a function, of its copies and of what it is passed. */
static void read_code_attr(const struct dwarf_file *d, Dwarf_Attribute *a,
			   struct entry *e)
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
	case DW_AT_GNU_vector:
		e->is_vector = read_flag(a);
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
		e->is_stand_in = dwarf_whatattr(a) == DW_AT_signature;
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
	case DW_AT_decl_line:
		e->line = read_number(a);
		break;
	case DW_AT_const_value:
		e->value = read_signed(a);
		break;
	case DW_AT_location:
		read_location(a, e);
		break;
	case DW_AT_declaration:
		e->is_declaration = read_flag(a);
		break;
	case DW_AT_calling_convention:
		e->is_by_reference = read_number(a) == DW_CC_pass_by_reference;
		e->is_by_value = !e->is_by_reference;
		break;
	default:
		read_code_attr(r->file, a, e);
		break;
	}
	return DWARF_CB_OK;
}

static void read_entry(struct dwarf_file *d, Dwarf_Die *die, struct entry *out)
{
	struct reading r = {d, out};

	*out = (struct entry){.tag = tag_of(die)};
	if (out->tag == ENTRY_OTHER)
		return;
	out->ref = ref_of(d, die);
	dwarf_getattrs(die, read_attr, &r, 0);
}

bool dwarf_entry(struct dwarf_file *d, uint64_t ref, struct entry *out)
{
	Dwarf_Die die;

	if (!die_at(d, ref, &die))
		return false;
	read_entry(d, &die, out);
	out->ref = ref;
	return true;
}

/* The next child. A damaged file may lead backwards, or out of the unit. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || next.cu != die->cu ||
	    (char *)next.addr <= (char *)die->addr)
		return false;
	*die = next;
	return true;
}

void dwarf_children(struct dwarf_file *d, uint64_t ref,
		    bool (*visit)(void *ctx, const struct entry *e), void *ctx)
{
	Dwarf_Die parent, die;
	struct entry e;
	bool goes_on;

	if (!die_at(d, ref, &parent) || dwarf_child(&parent, &die) != 0)
		return;
	do {
		read_entry(d, &die, &e);
		goes_on = e.tag == ENTRY_OTHER || visit(ctx, &e);
	} while (goes_on && next_sibling(&die));
}

struct scan {
	struct dwarf_file *file;
	void (*visit)(void *ctx, const struct entry *e, bool is_in_namespace);
	void *ctx;
};

static void scan_children(const struct scan *s, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	struct entry e;

	if (depth > NAMESPACES_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		read_entry(s->file, &die, &e);
		if (e.tag == ENTRY_NAMESPACE)
			scan_children(s, &die, depth + 1);
		else if (e.tag != ENTRY_OTHER)
			s->visit(s->ctx, &e, depth > 0);
	} while (next_sibling(&die));
}

static bool is_split(uint8_t unit_type, Dwarf_Die *unit)
{
	return unit_type == DW_UT_skeleton || dwarf_hasattr(unit, DW_AT_dwo_name) ||
	       dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}

size_t dwarf_scan(struct dwarf_file *d,
		  void (*visit)(void *ctx, const struct entry *e, bool is_in_namespace),
		  void *ctx)
{
	struct scan s = {d, visit, ctx};
	Dwarf *const from[] = {d->own.dwarf, d->shared.dwarf};
	size_t nsplit = 0;

	for (size_t i = 0; i < ARRAY_LEN(from) && from[i]; i++) {
		Dwarf_CU *cu = NULL;
		Dwarf_Half version;
		uint8_t type;
		Dwarf_Die unit;

		while (dwarf_get_units(from[i], cu, &cu, &version, &type, &unit,
				       NULL) == 0) {
			if (is_split(type, &unit))
				nsplit++;
			else
				scan_children(&s, &unit, 0);
		}
	}
	return nsplit;
}

struct walk {
	struct dwarf_file *file;
	void (*visit)(void *ctx, const struct entry *e);
	void *ctx;
	unsigned left; /* entries that may still be looked at */
};

static bool holds_code(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

static void walk_children(struct walk *w, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	struct entry e;

	if (depth > SCOPES_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		unsigned tag = (unsigned)dwarf_tag(&die);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
			read_entry(w->file, &die, &e);
			w->visit(w->ctx, &e);
		}
		if (holds_code(tag))
			walk_children(w, &die, depth + 1);
	} while (w->left && w->left-- && next_sibling(&die));
}

bool dwarf_walk(struct dwarf_file *d, void (*visit)(void *ctx, const struct entry *e),
		void *ctx)
{
	struct walk w = {d, visit, ctx, WALK_MAX};
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	Dwarf_Die unit;

	while (w.left && dwarf_get_units(d->own.dwarf, cu, &cu, &version, NULL, &unit,
					 NULL) == 0)
		walk_children(&w, &unit, 0);
	return w.left > 0;
}
