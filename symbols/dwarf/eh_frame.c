/* SPDX-License-Identifier: MIT */
/*
 * Reads .eh_frame with libdw. dwarf_next_cfi() separates the entries; the addresses in
 * them, which it leaves encoded, are decoded here.
 *
 * An entry is a CIE (common information entry) or an FDE, which points to its CIE:
 *
 *	FDE: length, CIE pointer | first address, size, augmentation data, instructions
 */
#include "symbols/dwarf/eh_frame.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/dwarf/cfi_machine.h"
#include "symbols/dwarf/encoded.h"
#include "symbols/elf/compressed.h"
#include "vm/base/host/vec.h"

/* SHT_X86_64_UNWIND, which not all versions of elf.h have */
#define SECTION_UNWIND 0x70000001

/* Room is taken for so many entries at once, each with what callers keep of it. */
#define ENTRIES_STEP 1024
#define ENTRY_BYTES  (2 * sizeof(struct fde))

struct eh_frame {
	uint8_t *data; /* to free(); NULL: the file has no such table */
	size_t size;
	uint64_t vaddr;
	bool ends_at_zero; /* found without a section: a length of 0 ends it */
	bool is_debug;	   /* .debug_frame: its addresses are not encoded */
};

/* What the FDEs of one CIE share. */
struct cie {
	uint64_t offset;  /* UINT64_MAX: none read yet */
	uint8_t encoding; /* of addresses in its FDEs */
	uint8_t lsda;	  /* of pointers to exception tables, or ENCODED_OMIT */
	bool has_length;  /* 'z': FDEs have the length of their augmentation data */
	bool is_signal, is_valid;
	Dwarf_CIE entry;
};

/* Without sections: the header of .eh_frame_hdr, PT_GNU_EH_FRAME, has its address. */
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
	/* version (1), encodings of pointer, count and table; then the pointer */
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

/* One letter of the augmentation string; its data is at c. */
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

/* The letters after 'z' list the content of the augmentation data, in order. */
static bool read_augmentation(struct cie *cie, const Dwarf_CIE *from, struct encoded c)
{
	const char *letter = from->augmentation;

	cie->encoding = ENCODED_ABSPTR;
	cie->lsda = ENCODED_OMIT;
	cie->is_signal = false;
	cie->has_length = *letter == 'z';
	if (!cie->has_length)
		return *letter == '\0';
	/* data after an unknown letter cannot be read, but 'z' gives the total length */
	while (*++letter && strchr("SBRLP", *letter)) {
		if (!read_letter(cie, *letter, &c))
			return false;
	}
	return true;
}

/* Sets *cie to the one at the offset. Most FDEs follow one with the same CIE. */
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
	    dwarf_next_cfi(ident, data, !eh->is_debug, offset, &next, &entry) != 0 ||
	    !dwarf_cfi_cie_p(&entry))
		return false;
	cie->entry = entry.cie;
	c = cursor_at(eh, eh->data, eh->data);
	if (entry.cie.augmentation_data)
		c = cursor_at(eh, entry.cie.augmentation_data,
			      entry.cie.augmentation_data +
				      entry.cie.augmentation_data_size);
	cie->is_valid = read_augmentation(cie, &entry.cie, c);
	return cie->is_valid;
}

/*
 * Whether the instructions, before the first that concerns a later address, put the
 * canonical frame address elsewhere than where it is at the entry of a function: then a
 * frame is already built. A function begins with nothing on the stack but its return
 * address; a .cold part does not.
 */
static bool begins_with_frame(struct encoded c)
{
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
		if (op == DW_CFA_def_cfa_offset && a != cfi_entry_offset)
			return true;
		if (op == DW_CFA_def_cfa &&
		    (!encoded_uleb(&c, &b) || a != cfi_stack_pointer ||
		     b != cfi_entry_offset))
			return true;
	}
	return false;
}

/* The address of the exception table in the augmentation data; 0: none. */
static uint64_t read_lsda(const struct cie *cie, struct encoded c, uint64_t size)
{
	struct encoded stored = c;
	uint64_t value, address;

	/* a stored 0 means none, whatever it counts from */
	if (!size || cie->lsda == ENCODED_OMIT ||
	    !encoded_value(&stored, cie->lsda, &value) || !value ||
	    !encoded_address(&c, cie->lsda, &address))
		return 0;
	return address;
}

/* Reads the code range and the length of the augmentation data, where *c is then. */
static bool read_place(const struct cie *cie, struct encoded *c, struct elf_range *r,
		       uint64_t *augmentation)
{
	uint64_t size;

	*augmentation = 0;
	if (!encoded_address(c, cie->encoding, &r->lo) ||
	    !encoded_value(c, cie->encoding, &size))
		return false;
	if (cie->has_length && !encoded_uleb(c, augmentation))
		return false;
	/* entries of code that the linker discarded have address 0 */
	r->hi = r->lo + size;
	return size && r->lo && r->lo < r->hi;
}

/* c begins after the CIE pointer of the FDE and ends where the FDE ends. */
typedef void entry_fn(void *ctx, const struct cie *cie, struct encoded c);

static void add_fde(void *ctx, const struct cie *cie, struct encoded c)
{
	struct fdes *out = ctx;
	struct fde r = {.is_signal = cie->is_signal};
	uint64_t augmentation;

	if (!read_place(cie, &c, &r.code, &augmentation))
		return;
	r.lsda = read_lsda(cie, c, augmentation);
	encoded_skip(&c, augmentation);
	r.is_fragment = begins_with_frame(c);
	*vec_push(out) = r;
}

static void walk(const struct elf_file *f, struct eh_frame *eh, entry_fn *found,
		 void *ctx)
{
	struct cie cie = {.offset = UINT64_MAX};
	const unsigned char *ident = f->header.e_ident;
	Elf_Data data = {.d_type = ELF_T_BYTE,
			 .d_version = EV_CURRENT,
			 .d_align = 1,
			 .d_buf = eh->data,
			 .d_size = eh->size};
	Dwarf_Off at = 0, next;
	size_t n = 0;
	int status;

	for (; at + 4 <= eh->size; at = next) {
		Dwarf_CFI_Entry entry;
		uint32_t length;

		memcpy(&length, eh->data + at, sizeof(length));
		next = at + sizeof(length);
		if (!length && eh->ends_at_zero)
			break;
		if (!length)
			continue;
		next = at;
		status = dwarf_next_cfi(ident, &data, !eh->is_debug, at, &next, &entry);
		if (status > 0 || next <= at || next > eh->size)
			break;
		if (n++ % ENTRIES_STEP == 0 &&
		    !budget_take(f->budget, ENTRIES_STEP * ENTRY_BYTES,
				 "a part of its unwind table"))
			break;
		if (status == 0 && !dwarf_cfi_cie_p(&entry) &&
		    cie_at(eh, &data, entry.fde.CIE_pointer, &cie, ident))
			found(ctx, &cie, cursor_at(eh, entry.fde.start, entry.fde.end));
	}
	free(eh->data);
}

void eh_frame_fdes(const struct elf_file *f, struct fdes *out)
{
	struct eh_frame eh;

	find_eh_frame(f, &eh);
	walk(f, &eh, add_fde, out);
}

struct entries {
	void (*found)(void *ctx, const struct fde_rules *e);
	void *ctx;
};

static void add_rules(void *ctx, const struct cie *cie, struct encoded c)
{
	struct entries *to = ctx;
	uint64_t augmentation;
	struct fde_rules e = {
		.code_align = cie->entry.code_alignment_factor,
		.data_align = cie->entry.data_alignment_factor,
		.ra = cie->entry.return_address_register,
		.encoding = cie->encoding,
		.is_signal = cie->is_signal,
		.common = cie->entry.initial_instructions,
		.common_end = cie->entry.initial_instructions_end,
	};

	if (!read_place(cie, &c, &e.code, &augmentation))
		return;
	encoded_skip(&c, augmentation);
	e.vaddr = c.vaddr;
	e.first = c.p;
	e.end = c.end;
	to->found(to->ctx, &e);
}

/* Linkers compress it, as the tables of debug data are. */
static void find_debug_frame(const struct elf_file *f, struct eh_frame *out)
{
	const Elf64_Shdr *s = elf_section(f, SHT_PROGBITS, ".debug_frame");
	uint64_t size;

	*out = (struct eh_frame){.is_debug = true};
	if (!s)
		s = elf_section(f, SHT_PROGBITS, ".zdebug_frame");
	if (!s)
		return;
	out->data = compressed_read(f, s, &size);
	out->size = (size_t)size;
}

void eh_frame_rules(const struct elf_file *f, enum frame_table table,
		    void (*found)(void *ctx, const struct fde_rules *e), void *ctx)
{
	struct entries to = {.found = found, .ctx = ctx};
	struct eh_frame eh;

	if (table == FRAME_TABLE_EH)
		find_eh_frame(f, &eh);
	else
		find_debug_frame(f, &eh);
	walk(f, &eh, add_rules, &to);
}
