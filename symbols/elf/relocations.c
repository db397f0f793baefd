/* SPDX-License-Identifier: MIT */
#include "symbols/elf/relocations.h"

#include <stdlib.h>

#include "symbols/elf/machine.h"

static bool find_in(const struct elf_file *f, const Elf64_Shdr *table, uint64_t value,
		    uint64_t *slot)
{
	Elf64_Rela *list = elf_read(f, table->sh_offset, table->sh_size);
	bool is_found = false;

	for (size_t i = 0; list && i < table->sh_size / sizeof(*list) && !is_found;
	     i++) {
		is_found = machine_relocation(&list[i]) == RELOCATION_IFUNC &&
			   (uint64_t)list[i].r_addend == value;
		*slot = list[i].r_offset;
	}
	free(list);
	return is_found;
}

bool elf_ifunc_slot(const struct elf_file *f, uint64_t value, uint64_t *slot)
{
	for (size_t i = 0; i < f->nsections; i++)
		if (f->sections[i].sh_type == SHT_RELA &&
		    find_in(f, &f->sections[i], value, slot))
			return true;
	return false;
}

bool elf_copy_slot(const struct elf_file *f, const char *name, uint64_t *value)
{
	struct elf_symbols table;
	uint64_t at, size, offset;
	Elf64_Rela *list;
	bool is_found = false;
	struct err e;

	if (!elf_dynamic_get(f, DT_RELA, &at) ||
	    !elf_dynamic_get(f, DT_RELASZ, &size) ||
	    !elf_offset(f, at, size, &offset) ||
	    elf_symbols_read(f, SHT_DYNSYM, &table, &e) != 0)
		return false;
	list = elf_read(f, offset, size);
	for (size_t i = 0; list && i < size / sizeof(*list) && !is_found; i++) {
		if (machine_relocation(&list[i]) != RELOCATION_COPY ||
		    !elf_symbol_is_named(&table, ELF64_R_SYM(list[i].r_info), name))
			continue;
		*value = list[i].r_offset;
		is_found = true;
	}
	free(list);
	elf_symbols_release(&table);
	return is_found;
}
