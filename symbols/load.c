/* SPDX-License-Identifier: MIT */
/*
 * Loads the functions of a module from the tables of its file:
 *
 *	.symtab, or that of the debug file	normally all functions
 *	.gnu_debugdata				if there is neither
 *	.gopclntab				if there is neither, in Go programs
 *	.dynsym					names that only it has
 *	.eh_frame				code that no table names
 */
#include "symbols/symbols.h"

#include <unistd.h>

#include "symbols/elf/debugfile.h"
#include "symbols/dwarf/eh_frame.h"
#include "symbols/elf/elf.h"
#include "symbols/elf/file.h"
#include "symbols/elf/gotable.h"
#include "symbols/elf/minidebug.h"
#include "symbols/internal.h"
#include "symbols/shared_tables.h"
#include "symbols/symtab.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

/* A damaged table is no error: the next source may be good. */
static size_t add_table(struct module *m, const struct elf_file *f, uint32_t type,
			const struct code_areas *areas, struct candidates *c)
{
	struct elf_symbols *table =
		type == SHT_SYMTAB ? &m->internal->full : &m->internal->dynamic;
	struct err e;
	size_t n;

	if (elf_symbols_read(f, type, table, &e) != 0) {
		log_debug("symbols", "'%s': %s", m->path, e.text);
		return 0;
	}
	n = candidates_add_table(c, table, f, areas);
	if (!n)
		elf_symbols_release(table);
	return n;
}

static bool add_full_table(struct module *m, const struct elf_file *f,
			   const struct code_areas *areas, struct candidates *c)
{
	struct elf_file debug;
	bool is_found;

	if (add_table(m, f, SHT_SYMTAB, areas, c)) {
		m->source = SYMBOL_SOURCE_SYMTAB;
		return true;
	}
	if (!debugfile_open(f, m->internal->file.tid, m->path, &debug, &m->debug_path))
		return false;
	is_found = add_table(m, &debug, SHT_SYMTAB, areas, c) > 0;
	elf_release(&debug);
	if (is_found)
		m->source = SYMBOL_SOURCE_DEBUG;
	return is_found;
}

static void add_mini_table(struct module *m, const struct elf_file *f,
			   const struct code_areas *areas, struct candidates *c)
{
	struct elf_file mini;

	if (!minidebug_open(f, &mini))
		return;
	if (add_table(m, &mini, SHT_SYMTAB, areas, c))
		m->source = SYMBOL_SOURCE_MINI;
	elf_release(&mini);
}

/* Removes PLT entries and returns from signal handlers: they are no functions. */
static void drop_no_functions(struct module *m, const struct elf_file *f,
			      struct fdes *ranges)
{
	size_t n = 0;

	for (size_t i = 0; i < ranges->len; i++) {
		const struct fde *r = &ranges->data[i];

		if (r->is_signal)
			*vec_push(&m->internal->signal_returns) = (struct symbol_part){
				r->code.lo, r->code.hi - r->code.lo};
		if (!ranges->data[i].is_signal &&
		    !elf_is_plt(f, ranges->data[i].code.lo))
			ranges->data[n++] = ranges->data[i];
	}
	ranges->len = n;
}

static void add_ranges(struct module *m, const struct elf_file *f,
		       const struct code_areas *areas, struct candidates *c)
{
	struct fdes ranges = {0};

	eh_frame_fdes(f, &ranges);
	drop_no_functions(m, f, &ranges);
	if (symtab_add_ranges(c, &ranges, areas, &m->internal->names) &&
	    m->source == SYMBOL_SOURCE_NONE)
		m->source = SYMBOL_SOURCE_EH_FRAME;
	vec_release(&ranges);
}

static int load(struct module *m, struct err *e)
{
	struct code_areas areas = {0};
	struct candidates c = {0};
	struct elf_file f;
	int status = module_open(m, &f, e);

	if (status)
		return status;
	code_areas_read(&f, &areas);
	m->is_stripped = !add_full_table(m, &f, &areas, &c);
	if (m->is_stripped) {
		add_mini_table(m, &f, &areas, &c);
		if (gotable_add(&f, &areas, &c, &m->internal->go_table))
			m->source = SYMBOL_SOURCE_GO;
	}
	if (add_table(m, &f, SHT_DYNSYM, &areas, &c) && m->source == SYMBOL_SOURCE_NONE)
		m->source = SYMBOL_SOURCE_DYNSYM;
	add_ranges(m, &f, &areas, &c);
	symtab_build(m, &c, &f, &areas);
	log_debug("symbols", "'%s': %zu functions, %s", m->path, m->nsymbols,
		  module_source_text(m));
	vec_release(&c);
	vec_release(&areas);
	elf_release(&f);
	return 0;
}

int module_load_symbols(struct module *m, struct err *e)
{
	struct module_internal *in = m->internal;

	if (!in->is_loaded) {
		in->is_loaded = true;
		share_stamp(m);
		in->load_status = load(m, e);
		if (m->is_vdso) /* unreadable: it has no names, which is no error */
			in->load_status = 0;
		if (in->held)
			close(in->held - 1);
		in->held = 0;
		if (in->load_status) {
			in->load_error = oom_calloc(1, sizeof(*in->load_error));
			*in->load_error = *e;
		}
	} else if (in->load_status) {
		*e = *in->load_error;
	}
	return in->load_status;
}

const char *module_source_text(const struct module *m)
{
	static const char *const text[] = {
		[SYMBOL_SOURCE_NONE] = "no functions are known",
		[SYMBOL_SOURCE_SYMTAB] = "full symbol table",
		[SYMBOL_SOURCE_GO] = "stripped: the names of Go's own table are known",
		[SYMBOL_SOURCE_MINI] = "stripped: some names, in .gnu_debugdata",
		[SYMBOL_SOURCE_DEBUG] = "full symbol table of a separate debug file",
		[SYMBOL_SOURCE_DYNSYM] = "stripped: only exported names are known",
		[SYMBOL_SOURCE_EH_FRAME] = "stripped: no names are known",
	};

	return text[m->source];
}
