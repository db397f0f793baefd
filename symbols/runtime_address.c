/* SPDX-License-Identifier: MIT */
/*
 * Run-time addresses of what a file names: any symbol, the slot of an ifunc, a variable
 * with a copy relocation.
 */
#include "symbols/types.h"

#include <stdlib.h>

#include "symbols/elf/debugfile.h"
#include "symbols/elf/relocations.h"
#include "symbols/internal.h"

static bool lookup_table(const struct elf_file *f, uint32_t type, const char *name,
			 uint64_t *value)
{
	struct elf_symbols table;
	bool is_found = false;
	struct err e;

	if (elf_symbols_read(f, type, &table, &e) != 0)
		return false;
	for (size_t i = 0; i < table.len && !is_found; i++) {
		const Elf64_Sym *s = &table.data[i];
		unsigned kind = ELF64_ST_TYPE(s->st_info);

		if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS ||
		    kind == STT_TLS || kind == STT_FILE ||
		    !elf_symbol_is_named(&table, i, name))
			continue;
		*value = s->st_value;
		is_found = true;
	}
	elf_symbols_release(&table);
	return is_found;
}

int module_lookup_any(const struct module *m, const char *name, taddr *addr)
{
	struct elf_file f, debug;
	char *debug_path;
	bool is_found;
	uint64_t value;
	struct err e;
	int status;

	if (m->is_vdso)
		return STATUS_NOENT;
	status = module_open(m, &f, &e);
	if (status)
		return status;
	is_found = lookup_table(&f, SHT_DYNSYM, name, &value) ||
		   lookup_table(&f, SHT_SYMTAB, name, &value);
	if (!is_found &&
	    debugfile_open(&f, m->internal->file.tid, m->path, &debug, &debug_path)) {
		is_found = lookup_table(&debug, SHT_SYMTAB, name, &value);
		elf_release(&debug);
		free(debug_path);
	}
	elf_release(&f);
	if (is_found)
		*addr = module_address(m, value);
	return is_found ? 0 : STATUS_NOENT;
}

bool module_chosen_slot(const struct module *m, const struct symbol *ifunc, taddr *slot)
{
	struct elf_file f;
	bool is_found;
	uint64_t at = 0;
	struct err e;

	if (!ifunc->is_ifunc || module_open(m, &f, &e) != 0)
		return false;
	is_found = elf_ifunc_slot(&f, ifunc->value, &at);
	elf_release(&f);
	if (is_found)
		*slot = module_address(m, at);
	return is_found;
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
			   table.data[i].st_value == value &&
			   elf_symbol_is_named(&table, i, name);
	elf_symbols_release(&table);
	return is_found;
}

/*
 * A program that accesses a variable of a library directly has a copy relocation: the
 * loader copies the variable into the program, and the library uses that copy too. The
 * original in the library never changes.
 */
bool module_variable_moved(const struct module *exe, const struct module *library,
			   const char *name, uint64_t value, taddr *addr)
{
	struct elf_file f;
	bool is_moved;
	uint64_t copy = 0;
	struct err e;

	if (library->is_exe || library->is_vdso || module_open(exe, &f, &e) != 0)
		return false;
	is_moved = elf_copy_slot(&f, name, &copy);
	elf_release(&f);
	if (!is_moved || module_open(library, &f, &e) != 0)
		return false;
	is_moved = is_exported(&f, name, value);
	elf_release(&f);
	if (is_moved)
		*addr = module_address(exe, copy);
	return is_moved;
}
