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

#include <stdlib.h>
#include <unistd.h>

#include "symbols/elf/debugfile.h"
#include "symbols/dwarf/eh_frame.h"
#include "symbols/elf/elf.h"
#include "symbols/elf/file.h"
#include "symbols/elf/gotable.h"
#include "symbols/elf/minidebug.h"
#include "symbols/elf/repeated.h"
#include "symbols/internal.h"
#include "symbols/shared_tables.h"
#include "symbols/symtab.h"
#include "vm/base/host/log.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

_Static_assert(MODULE_BUILD_ID_MAX >= ELF_BUILD_ID_MAX, "room for any build-id");

/* A damaged table is no error: the next source may be good. */
static bool read_table(const struct module *m, const struct elf_file *f, uint32_t type,
		       struct elf_symbols *out)
{
	struct err e;

	if (elf_symbols_read(f, type, out, &e) == 0)
		return true;
	log_debug("symbols", "'%s': %s", m->path, e.text);
	return false;
}

static bool add_symtab(struct module *m, const struct elf_file *f,
		       const struct code_areas *areas, struct candidates *c)
{
	struct elf_symbols *full = &m->internal->full;

	if (!read_table(m, f, SHT_SYMTAB, full))
		return false;
	if (candidates_add_table(c, full, f, areas))
		return true;
	elf_symbols_release(full);
	return false;
}

/*
 * Programs that export all of their functions have each name twice. The table stays even
 * if it adds none: relocations name its symbols by their numbers.
 */
static bool add_dynsym(struct module *m, const struct elf_file *f,
		       const struct code_areas *areas, struct candidates *c)
{
	struct elf_symbols *dynamic = &m->internal->dynamic;

	if (!read_table(m, f, SHT_DYNSYM, dynamic))
		return false;
	elf_symbols_drop_repeated(dynamic, &m->internal->full);
	return candidates_add_table(c, dynamic, f, areas) > 0;
}

static bool add_full_table(struct module *m, const struct elf_file *f,
			   const struct code_areas *areas, struct candidates *c)
{
	struct elf_file debug;
	bool is_found;

	if (add_symtab(m, f, areas, c)) {
		m->source = SYMBOL_SOURCE_SYMTAB;
		return true;
	}
	if (!debugfile_open(f, m->internal->file.tid, m->path, &debug, &m->debug_path))
		return false;
	is_found = add_symtab(m, &debug, areas, c);
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
	if (add_symtab(m, &mini, areas, c))
		m->source = SYMBOL_SOURCE_MINI;
	elf_release(&mini);
}

static bool is_plt(const struct elf_file *f, const struct elf_range *plts, size_t n,
		   uint64_t at)
{
	for (size_t i = 0; i < n; i++)
		if (at >= plts[i].lo && at < plts[i].hi)
			return true;
	return !f->nsections && elf_is_plt_entry(f, at);
}

/* Removes PLT entries and returns from signal handlers: they are no functions. */
static void drop_no_functions(struct module *m, const struct elf_file *f,
			      struct fdes *ranges)
{
	struct elf_range plts[ELF_PLTS_MAX];
	size_t nplts = elf_plts(f, plts), n = 0;

	for (size_t i = 0; i < ranges->len; i++) {
		const struct fde *r = &ranges->data[i];

		if (r->is_signal)
			*vec_push(&m->internal->signal_returns) = (struct symbol_part){
				r->code.lo, r->code.hi - r->code.lo};
		if (!r->is_signal && !is_plt(f, plts, nplts, r->code.lo))
			ranges->data[n++] = *r;
	}
	ranges->len = n;
}

static void add_ranges(struct module *m, const struct elf_file *f,
		       const struct code_areas *areas, struct candidates *c)
{
	struct fdes ranges = {0};

	eh_frame_fdes(f, &ranges);
	drop_no_functions(m, f, &ranges);
	if (symtab_add_ranges(c, &ranges, f, areas, &m->internal->names) &&
	    m->source == SYMBOL_SOURCE_NONE)
		m->source = SYMBOL_SOURCE_EH_FRAME;
	vec_release(&ranges);
}

/* What is kept of the file stays counted until the module is freed. */
static void keep(struct module *m)
{
	struct module_internal *in = m->internal;
	const struct elf_symbols *tables[] = {&in->full, &in->dynamic};

	in->kept = in->go.assembly.len * sizeof(*in->go.assembly.data) +
		   m->nsymbols * (sizeof(*m->symbols) + sizeof(*in->by_name) +
				  sizeof(*in->reach)) +
		   m->nparts * (sizeof(*m->parts) + sizeof(*in->by_part));
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		in->kept += tables[i]->len * sizeof(Elf64_Sym) + tables[i]->names_size +
			    tables[i]->nversions * sizeof(uint16_t);
	budget_keep(in->kept);
}

/* The opposite of what load() has done so far: another attempt may be made. */
static void forget(struct module *m)
{
	struct module_internal *in = m->internal;

	elf_symbols_release(&in->full);
	elf_symbols_release(&in->dynamic);
	free(in->go_table);
	in->go_table = NULL;
	arena_release(&in->names);
	vec_release(&in->signal_returns);
	vec_release(&in->go.assembly);
	in->go = (struct go_code){0};
	free(m->debug_path);
	m->debug_path = NULL;
	m->source = SYMBOL_SOURCE_NONE;
	m->is_stripped = false;
}

static int load(struct module *m, struct err *e)
{
	struct code_areas areas = {0};
	struct candidates c = {0};
	struct elf_file f;
	int status = module_open(m, &f, e);

	if (status)
		return status;
	m->build_id_size = elf_build_id(&f, m->build_id);
	m->has_restartable = elf_section(&f, SHT_PROGBITS, ELF_RSEQ) != NULL;
	code_areas_read(&f, &areas);
	m->is_stripped = !add_full_table(m, &f, &areas, &c);
	if (m->is_stripped) {
		add_mini_table(m, &f, &areas, &c);
		if (gotable_add(&f, &areas, &c, &m->internal->go_table))
			m->source = SYMBOL_SOURCE_GO;
	}
	if (add_dynsym(m, &f, &areas, &c) && m->source == SYMBOL_SOURCE_NONE)
		m->source = SYMBOL_SOURCE_DYNSYM;
	add_ranges(m, &f, &areas, &c);
	gotable_read_code(&f, &m->internal->go);
	if (budget_is_over()) {
		status = err_set(e, STATUS_BUSY, "reading '%s' was interrupted",
				 m->path);
		forget(m);
	} else {
		symtab_build(m, &c, &f, &areas);
		keep(m);
	}
	log_debug("symbols", "'%s': %zu functions, %s", m->path, m->nsymbols,
		  module_source_text(m));
	vec_release(&c);
	vec_release(&areas);
	elf_release(&f);
	return status;
}

int module_load_symbols(struct module *m, struct err *e)
{
	struct module_internal *in = m->internal;

	if (!in->is_loaded && !module_share_in_process(m)) {
		in->is_loaded = true;
		share_stamp(m);
		in->load_status = load(m, e);
		if (in->load_status == STATUS_BUSY) {
			in->is_loaded = false;
			return STATUS_BUSY;
		}
		if (m->is_vdso) /* unreadable: it has no names, which is no error */
			in->load_status = 0;
		if (in->held)
			close(in->held - 1);
		in->held = 0;
		if (!in->load_status)
			share_offer(m);
		if (in->load_status) {
			in->load_error = oom_calloc(1, sizeof(*in->load_error));
			*in->load_error = *e;
		}
	} else if (in->load_status) {
		*e = *in->load_error;
	}
	return in->load_status;
}

bool module_is_loaded(const struct module *m)
{
	return m->internal->is_loaded;
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
