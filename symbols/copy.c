/* SPDX-License-Identifier: MIT */
/*
 * Variables that moved: a program that uses a variable of a library directly
 * has it copied into its own memory by the loader (R_X86_64_COPY), and from then on
 * the library uses that copy too. What is left in the library is never changed.
 */
#include "symbols/types.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/elf.h"
#include "symbols/own.h"

/* name@VERSION in the table is name. */
static bool is_named(const struct elf_symbols *table, size_t i, const char *name)
{
	const char *text = i < table->len ? elf_symbol_name(table, i) : NULL;
	size_t n = strlen(name);

	return text && strncmp(text, name, n) == 0 && (!text[n] || text[n] == '@');
}

static bool is_exported(const struct elf_file *f, const char *name, uint64_t value)
{
	struct elf_symbols table;
	bool is_found = false;
	struct err e;

	if (elf_symbols_read(f, SHT_DYNSYM, &table, &e) != 0)
		return false;
	for (size_t i = 0; i < table.len && !is_found; i++)
		is_found = table.data[i].st_shndx != SHN_UNDEF &&
			   table.data[i].st_value == value && is_named(&table, i, name);
	elf_symbols_release(&table);
	return is_found;
}

static bool find_copy(const struct elf_file *f, const char *name, uint64_t *value)
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
		if (ELF64_R_TYPE(list[i].r_info) != R_X86_64_COPY ||
		    !is_named(&table, ELF64_R_SYM(list[i].r_info), name))
			continue;
		*value = list[i].r_offset;
		is_found = true;
	}
	free(list);
	elf_symbols_release(&table);
	return is_found;
}

bool module_variable_moved(const struct module *exe, const struct module *library,
			   const char *name, uint64_t value, taddr *addr)
{
	struct elf_file f;
	bool is_moved;
	uint64_t copy = 0;
	struct err e;

	if (library->is_exe || library->is_vdso || module_open(exe, &f, &e) != 0)
		return false;
	is_moved = find_copy(&f, name, &copy);
	elf_release(&f);
	if (!is_moved || module_open(library, &f, &e) != 0)
		return false;
	is_moved = is_exported(&f, name, value);
	elf_release(&f);
	if (is_moved)
		*addr = module_address(exe, copy);
	return is_moved;
}
