/* SPDX-License-Identifier: MIT */
/*
 * .eh_frame and .debug_info by libdw.
 *
 * Of .eh_frame libdw frames the entries; the addresses in them are
 * decoded here, because dwarf_next_cfi() leaves them encoded.
 *
 * Entries follow one another: a CIE (shared facts) or an FDE (one code
 * range, which names its CIE):
 *
 *	FDE: length, CIE pointer | first address, size, augmentation data,
 *	     instructions that tell how to unwind from each address
 */
#include "symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/encoded.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

/* libelf.h calls it so, older headers of libc do not */
#define SECTION_UNWIND 0x70000001

struct eh_frame {
	uint8_t *data; /* to free(); NULL if there is none */
	size_t size;
	uint64_t vaddr;
	/* found without a section table: a zero length marks the end */
	bool ends_at_zero;
};

/* What the FDEs of one CIE share. */
struct cie {
	uint64_t offset;  /* UINT64_MAX: none yet */
	uint8_t encoding; /* of addresses in its FDEs */
	uint8_t lsda;	  /* of pointers to exception tables, or ENCODED_OMIT */
	bool has_length;  /* 'z': FDEs say how long their augmentation is */
	bool is_signal, is_valid;
};

/* Without sections: PT_GNU_EH_FRAME leads to a search table that says where. */
static bool find_by_segment(const struct elf_file *f, uint64_t *vaddr, uint64_t *end)
{
	const Elf64_Phdr *h = NULL;
	bool is_found = false;
	struct encoded c;
	uint8_t *data;

	for (size_t i = 0; i < f->nsegments; i++) {
		if (f->segments[i].p_type == PT_GNU_EH_FRAME)
			h = &f->segments[i];
	}
	data = h && h->p_filesz >= 12 ? elf_read(f, h->p_offset, 12) : NULL;
	if (!data)
		return false;
	/* version 1, encodings of pointer, count and table; pointer */
	c = (struct encoded){data + 4, data + 12, h->p_vaddr + 4, h->p_vaddr};
	if (data[0] == 1 && encoded_address(&c, data[1], vaddr))
		is_found = true;
	free(data);
	for (size_t i = 0; is_found && i < f->nsegments; i++) {
		const Elf64_Phdr *p = &f->segments[i];

		*end = p->p_vaddr + p->p_filesz;
		if (p->p_type == PT_LOAD && *vaddr >= p->p_vaddr && *vaddr < *end)
			return true;
	}
	return false;
}

static void find_eh_frame(const struct elf_file *f, struct eh_frame *out)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, ".eh_frame");
	uint64_t vaddr, end, offset;

	memset(out, 0, sizeof(*out));
	if (!s)
		s = elf_section(f, SECTION_UNWIND, ".eh_frame");
	if (s && !(s->sh_flags & SHF_COMPRESSED)) {
		out->data = elf_read(f, s->sh_offset, s->sh_size);
		out->size = (size_t)s->sh_size;
		out->vaddr = s->sh_addr;
	} else if (find_by_segment(f, &vaddr, &end) &&
		   elf_offset(f, vaddr, end - vaddr, &offset)) {
		out->data = elf_read(f, offset, end - vaddr);
		out->size = (size_t)(end - vaddr);
		out->vaddr = vaddr;
		out->ends_at_zero = true;
	}
	if (!out->data)
		out->size = 0;
}

static struct encoded cursor_at(const struct eh_frame *eh, const uint8_t *p,
				const uint8_t *end)
{
	return (struct encoded){p, end, eh->vaddr + (uint64_t)(p - eh->data), 0};
}

/* What one letter of an augmentation says, from the data it owns at c. */
static bool read_letter(struct cie *cie, char letter, struct encoded *c)
{
	uint8_t byte = 0;
	uint64_t ignored;

	if (letter == 'S')
		cie->is_signal = true;
	if (letter != 'R' && letter != 'L' && letter != 'P')
		return true;
	if (c->p >= c->end)
		return false;
	byte = *c->p;
	encoded_skip(c, 1);
	if (letter == 'R')
		cie->encoding = byte;
	if (letter == 'L')
		cie->lsda = byte;
	return letter != 'P' || encoded_value(c, byte, &ignored);
}

/* The letters after 'z' say what its augmentation data holds, in order. */
static bool read_augmentation(struct cie *cie, const Dwarf_CIE *from, struct encoded c)
{
	const char *letter = from->augmentation;

	cie->encoding = ENCODED_ABSPTR;
	cie->lsda = ENCODED_OMIT;
	cie->is_signal = false;
	cie->has_length = *letter == 'z';
	if (!cie->has_length)
		return *letter == '\0';
	/* what follows an unknown letter cannot be told, but 'z' has its length */
	while (*++letter && strchr("SBRLP", *letter)) {
		if (!read_letter(cie, *letter, &c))
			return false;
	}
	return true;
}

/* Makes *cie the one at the offset; the entries of a file mostly share one. */
static bool cie_at(const struct eh_frame *eh, Elf_Data *data, uint64_t offset,
		   struct cie *cie, const unsigned char *ident)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	struct encoded c;

	if (cie->offset == offset)
		return cie->is_valid;
	cie->offset = offset;
	cie->is_valid = false;
	if (offset >= eh->size ||
	    dwarf_next_cfi(ident, data, true, offset, &next, &entry) != 0 ||
	    !dwarf_cfi_cie_p(&entry))
		return false;
	c = cursor_at(eh, eh->data, eh->data);
	if (entry.cie.augmentation_data)
		c = cursor_at(eh, entry.cie.augmentation_data,
			      entry.cie.augmentation_data +
				      entry.cie.augmentation_data_size);
	cie->is_valid = read_augmentation(cie, &entry.cie, c);
	return cie->is_valid;
}

/*
 * Whether the instructions move the canonical frame address away from rsp+8
 * before the first of them that is about a later address. A function begins
 * with nothing on the stack but its return address; a .cold part does not.
 */
static bool begins_with_frame(struct encoded c)
{
	const uint64_t rsp = 7;
	uint64_t a, b;

	while (c.p < c.end) {
		uint8_t op = *c.p;

		encoded_skip(&c, 1);
		if (op == DW_CFA_nop || op == DW_CFA_remember_state)
			continue;
		if (op == DW_CFA_def_cfa_expression || op == DW_CFA_def_cfa_register)
			return true;
		if ((op & 0xc0) != DW_CFA_offset && op != DW_CFA_def_cfa &&
		    op != DW_CFA_def_cfa_offset && op != DW_CFA_undefined &&
		    op != DW_CFA_same_value && op != DW_CFA_GNU_args_size)
			return false;
		if (!encoded_uleb(&c, &a))
			return false;
		if (op == DW_CFA_def_cfa_offset && a != 8)
			return true;
		if (op == DW_CFA_def_cfa &&
		    (!encoded_uleb(&c, &b) || a != rsp || b != 8))
			return true;
	}
	return false;
}

/* The address of the exception table that the augmentation data names, else 0. */
static uint64_t read_lsda(const struct cie *cie, struct encoded c, uint64_t size)
{
	struct encoded stored = c;
	uint64_t value, address;

	/* stored as zero it means none, whatever it counts from */
	if (!size || cie->lsda == ENCODED_OMIT ||
	    !encoded_value(&stored, cie->lsda, &value) || !value ||
	    !encoded_address(&c, cie->lsda, &address))
		return 0;
	return address;
}

static void add_range(const struct cie *cie, struct encoded c, struct code_ranges *out)
{
	struct code_range r = {0};
	uint64_t size, augmentation = 0;

	if (!encoded_address(&c, cie->encoding, &r.lo) ||
	    !encoded_value(&c, cie->encoding, &size))
		return;
	if (cie->has_length && !encoded_uleb(&c, &augmentation))
		return;
	r.lsda = read_lsda(cie, c, augmentation);
	r.is_signal = cie->is_signal;
	encoded_skip(&c, augmentation);
	/* entries of discarded code keep address 0 */
	if (!size || !r.lo || size > UINT64_MAX - r.lo)
		return;
	r.hi = r.lo + size;
	r.is_fragment = begins_with_frame(c);
	*vec_push(out) = r;
}

void dwarf_code_ranges(const struct elf_file *f, struct code_ranges *out)
{
	struct cie cie = {.offset = UINT64_MAX};
	const unsigned char *ident = f->header.e_ident;
	struct eh_frame eh;
	Elf_Data data = {.d_type = ELF_T_BYTE, .d_version = EV_CURRENT, .d_align = 1};
	Dwarf_Off at = 0, next;
	int status;

	find_eh_frame(f, &eh);
	data.d_buf = eh.data;
	data.d_size = eh.size;
	for (; at + 4 <= eh.size; at = next) {
		Dwarf_CFI_Entry entry;
		uint32_t length;

		memcpy(&length, eh.data + at, sizeof(length));
		next = at + sizeof(length);
		if (!length && eh.ends_at_zero)
			break;
		if (!length)
			continue;
		next = at;
		status = dwarf_next_cfi(ident, &data, true, at, &next, &entry);
		if (status > 0 || next <= at || next > eh.size)
			break;
		if (status == 0 && !dwarf_cfi_cie_p(&entry) &&
		    cie_at(&eh, &data, entry.fde.CIE_pointer, &cie, ident))
			add_range(&cie, cursor_at(&eh, entry.fde.start, entry.fde.end),
				  out);
	}
	free(eh.data);
}

/* ---- debugging entries ---- */

#define NAMESPACES_MAX	16 /* inside one another; each level is read once more */
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

		if (!name || (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)))
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
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return ENTRY_BASE;
	case DW_TAG_unspecified_type:
		return ENTRY_UNSPECIFIED;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return ENTRY_POINTER;
	case DW_TAG_ptr_to_member_type:
		return ENTRY_MEMBER_POINTER;
	case DW_TAG_array_type:
		return ENTRY_ARRAY;
	case DW_TAG_subrange_type:
		return ENTRY_SUBRANGE;
	case DW_TAG_typedef:
		return ENTRY_TYPEDEF;
	case DW_TAG_const_type:
		return ENTRY_CONST;
	case DW_TAG_volatile_type:
		return ENTRY_VOLATILE;
	case DW_TAG_restrict_type:
		return ENTRY_RESTRICT;
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return ENTRY_QUALIFIER;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return ENTRY_STRUCT;
	case DW_TAG_union_type:
		return ENTRY_UNION;
	case DW_TAG_enumeration_type:
		return ENTRY_ENUM;
	case DW_TAG_enumerator:
		return ENTRY_ENUMERATOR;
	case DW_TAG_member:
		return ENTRY_MEMBER;
	case DW_TAG_inheritance:
		return ENTRY_BASECLASS;
	case DW_TAG_subroutine_type:
		return ENTRY_SUBROUTINE;
	case DW_TAG_subprogram:
		return ENTRY_FUNCTION;
	case DW_TAG_formal_parameter:
		return ENTRY_PARAMETER;
	case DW_TAG_unspecified_parameters:
		return ENTRY_VARIADIC;
	case DW_TAG_variable:
		return ENTRY_VARIABLE;
	case DW_TAG_namespace:
		return ENTRY_NAMESPACE;
	default:
		return ENTRY_OTHER;
	}
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
	case DW_AT_low_pc:
		read_low_pc(a, e);
		break;
	case DW_AT_declaration:
		e->is_declaration = read_flag(a);
		break;
	case DW_AT_calling_convention:
		e->is_by_reference = read_number(a) == DW_CC_pass_by_reference;
		e->is_by_value = !e->is_by_reference;
		break;
	default:
		read_member_attr(a, e);
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
