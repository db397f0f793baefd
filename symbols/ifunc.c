/* SPDX-License-Identifier: MIT */
/*
 * Functions that a program chooses when it starts (STT_GNU_IFUNC): the symbol is that
 * of the code that chooses. What it chose the loader stores where a relocation
 * of the same module asks for it (R_X86_64_IRELATIVE).
 */
#include "symbols/elf.h"
#include "symbols/own.h"
#include "symbols/symbols.h"

#include <elf.h>
#include <stdlib.h>

static bool find_in(const struct elf_file *f, const Elf64_Shdr *table, uint64_t value,
		    uint64_t *slot)
{
	Elf64_Rela *list = elf_read(f, table->sh_offset, table->sh_size);
	bool is_found = false;

	for (size_t i = 0; list && i < table->sh_size / sizeof(*list) && !is_found;
	     i++) {
		is_found = ELF64_R_TYPE(list[i].r_info) == R_X86_64_IRELATIVE &&
			   (uint64_t)list[i].r_addend == value;
		*slot = list[i].r_offset;
	}
	free(list);
	return is_found;
}

bool module_chosen_slot(const struct module *m, const struct symbol *ifunc, taddr *slot)
{
	struct elf_file f;
	bool is_found = false;
	uint64_t at = 0;
	struct err e;

	if (!ifunc->is_ifunc || module_open(m, &f, &e) != 0)
		return false;
	for (size_t i = 0; i < f.nsections && !is_found; i++)
		if (f.sections[i].sh_type == SHT_RELA)
			is_found = find_in(&f, &f.sections[i], ifunc->value, &at);
	elf_release(&f);
	if (is_found)
		*slot = module_address(m, at);
	return is_found;
}
