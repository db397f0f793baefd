/* SPDX-License-Identifier: MIT */
/*
 * Lines of the source: those of an address, with the inlined copies that hold it, and the
 * addresses of lines.
 */
#include "symbols/dwarf/internal.h"
#include "symbols/elf/budget.h"
#include "vm/base/base.h"

#include <string.h>

#include <dwarf.h>
#include <stdlib.h>

#define ENTRIES_MAX 20000 /* read for one address */
#define LINE_BYTES  40	  /* of memory for a byte of .debug_line, at most */

const Elf_Data *dwarf_section(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const Elf64_Shdr *h = elf64_getshdr(scn);
		const char *name = h ? elf_strptr(elf, names, h->sh_name) : NULL;

		/* .zdebug_line is compressed */
		if (name && *name == '.' &&
		    strcmp(name + 1 + (name[1] == 'z'), wanted) == 0)
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

/* libdw takes the length of the last name, which has no end in a damaged file. */
static bool are_names_ended(Elf *elf, const char *section)
{
	const Elf_Data *names = dwarf_section(elf, section);

	return !names || !names->d_size ||
	       (names->d_buf && !((const char *)names->d_buf)[names->d_size - 1]);
}

/* The tables of .dwo files have files only. */
static bool has_split_room(struct dwarf_file *d)
{
	for (size_t i = 0; i < d->split.pairs.len; i++) {
		Elf *elf =
			dwarf_getelf(dwarf_cu_getdwarf(d->split.pairs.data[i].unit.cu));
		const Elf_Data *files = dwarf_section(elf, "debug_line.dwo");

		if (!are_names_ended(elf, "debug_str.dwo") ||
		    !are_names_ended(elf, "debug_line_str.dwo") ||
		    (files && !dwarf_has_room(d, files->d_size * (uint64_t)LINE_BYTES)))
			return false;
	}
	return true;
}

/* libdw makes a table of a unit's lines: room for all of them is taken once. */
static bool has_room(struct dwarf_file *d)
{
	const Elf_Data *lines;

	if (d->lines != LINES_UNKNOWN)
		return d->lines == LINES_FIT;
	d->lines = LINES_REFUSED;
	lines = dwarf_section(d->main.elf, "debug_line");
	if (lines && are_names_ended(d->main.elf, "debug_line_str") &&
	    are_names_ended(d->main.elf, "debug_str") &&
	    are_names_ended(d->shared.elf, "debug_line_str") &&
	    are_names_ended(d->shared.elf, "debug_str") &&
	    dwarf_has_room(d, lines->d_size * (uint64_t)LINE_BYTES) &&
	    has_split_room(d))
		d->lines = LINES_FIT;
	return d->lines == LINES_FIT;
}

/* libdw takes the length of the unit's folder, which may have no end in its section. */
static bool has_good_folder(const struct dwarf_file *d, Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	const char *folder;

	if (!dwarf_attr_integrate(unit, DW_AT_comp_dir, &a))
		return true;
	folder = dwarf_formstring(&a);
	return !folder || dwarf_is_name(d, folder);
}

/* ---- the lines of an address ---- */

struct search {
	Dwarf_Addr pc;
	Dwarf_Die scopes[DWARF_SCOPES_MAX]; /* outermost first */
	size_t n;
	unsigned left;	 /* entries that may still be read */
	bool is_entered; /* copies that are only entered at the pc as well */
};

static bool is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool begins_there(const struct search *s, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Addr at;

	return s->is_entered && dwarf_tag(die) == DW_TAG_inlined_subroutine &&
	       dwarf_attr(die, DW_AT_entry_pc, &a) && dwarf_formaddr(&a, &at) == 0 &&
	       at == s->pc;
}

/* The child that holds the pc; in a damaged file a sibling may be anywhere. */
static bool find_child(struct search *s, Dwarf_Die *die)
{
	Dwarf_Die child, next;

	if (dwarf_child(die, &child) != 0)
		return false;
	while (s->left) {
		s->left--;
		if (is_scope(dwarf_tag(&child)) &&
		    (dwarf_haspc(&child, s->pc) == 1 || begins_there(s, &child))) {
			*die = child;
			return true;
		}
		if (dwarf_siblingof(&child, &next) != 0 || next.cu != child.cu ||
		    (char *)next.addr <= (char *)child.addr)
			return false;
		child = next;
	}
	return false;
}

static void find_scopes(struct search *s, Dwarf_Die die)
{
	while (s->n < DWARF_SCOPES_MAX && find_child(s, &die))
		s->scopes[s->n++] = die;
}

size_t dwarf_scopes(struct dwarf_file *d, uint64_t function, uint64_t pc,
		    bool is_entered, uint64_t out[DWARF_SCOPES_MAX + 1])
{
	struct search s = {.pc = pc, .left = ENTRIES_MAX, .is_entered = is_entered};
	Dwarf_Die die;

	if (!dwarf_die_at(d, function, &die) || dwarf_haspc(&die, pc) != 1)
		return 0;
	find_scopes(&s, die);
	for (size_t i = 0; i < s.n; i++)
		out[i] = dwarf_ref_of(d, &s.scopes[s.n - 1 - i]);
	out[s.n] = function;
	return s.n + 1;
}

/* A file of the unit. A .dwo file without a table of files has those of the skeleton. */
static const char *file_of(struct dwarf_file *d, Dwarf_Die *unit, uint64_t number)
{
	struct dwarf_unit_pair *pair = dwarf_pair_of(d, unit->cu);
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) != 0 &&
	    (!pair || !has_good_folder(d, &pair->skeleton) ||
	     dwarf_getsrcfiles(&pair->skeleton, &files, &n) != 0))
		return NULL;
	return number < n ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

/* Where the copy was called: a file of its unit, and a line. */
static void read_call(struct dwarf_file *d, Dwarf_Die *unit, Dwarf_Die *copy,
		      struct dwarf_place *out)
{
	Dwarf_Attribute a;
	Dwarf_Word number;

	*out = (struct dwarf_place){.file = NULL};
	if (dwarf_attr(copy, DW_AT_call_line, &a) && dwarf_formudata(&a, &number) == 0)
		out->line = number;
	if (dwarf_attr(copy, DW_AT_call_file, &a) && dwarf_formudata(&a, &number) == 0)
		out->file = file_of(d, unit, number);
}

static void read_line(struct dwarf_file *d, Dwarf_Die *unit, Dwarf_Addr pc,
		      struct dwarf_place *out)
{
	struct dwarf_unit_pair *pair = dwarf_pair_of(d, unit->cu);
	Dwarf_Line *line;
	int number;

	*out = (struct dwarf_place){.file = NULL};
	if (pair && !has_good_folder(d, &pair->skeleton))
		return;
	line = dwarf_getsrc_die(pair ? &pair->skeleton : unit, pc);
	if (!line || dwarf_lineno(line, &number) != 0 || number <= 0)
		return;
	out->file = dwarf_linesrc(line, NULL, NULL);
	out->line = (uint64_t)number;
}

size_t dwarf_places(struct dwarf_file *d, uint64_t function, uint64_t pc,
		    struct dwarf_place out[DWARF_INLINED_MAX + 1])
{
	struct search s = {.pc = pc, .left = ENTRIES_MAX};
	Dwarf_Die die, unit;
	size_t n = 0;

	if (!dwarf_die_at(d, function, &die) || !has_room(d) ||
	    dwarf_haspc(&die, pc) != 1 || !dwarf_diecu(&die, &unit, NULL, NULL) ||
	    !has_good_folder(d, &unit))
		return 0;
	find_scopes(&s, die);
	read_line(d, &unit, pc, &out[0]);
	for (size_t i = s.n; i-- > 0;) {
		if (dwarf_tag(&s.scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		if (n == DWARF_INLINED_MAX)
			break;
		out[n].inlined = dwarf_ref_of(d, &s.scopes[i]);
		read_call(d, &unit, &s.scopes[i], &out[++n]);
	}
	return n + 1;
}

bool dwarf_declared(struct dwarf_file *d, uint64_t function, const char **file,
		    uint64_t *line)
{
	Dwarf_Die die, unit;
	Dwarf_Attribute a;
	Dwarf_Word id;
	int number;

	if (!has_room(d) || !dwarf_die_at(d, function, &die) ||
	    !dwarf_diecu(&die, &unit, NULL, NULL) || !has_good_folder(d, &unit) ||
	    dwarf_decl_line(&die, &number) != 0 || number <= 0)
		return false;
	*file = dwarf_decl_file(&die);
	if (!*file && dwarf_attr_integrate(&die, DW_AT_decl_file, &a) &&
	    dwarf_formudata(&a, &id) == 0)
		*file = file_of(d, &unit, id);
	*line = (uint64_t)number;
	return *file != NULL;
}

/* ---- the addresses of a line ---- */

struct reading {
	bool (*wants)(void *ctx, const char *file);
	void (*visit)(void *ctx, const struct dwarf_line *line);
	void *ctx;
	const char *file; /* the last one that was asked for ... */
	bool is_wanted;	  /* ... and the answer */
};

static bool is_file_wanted(struct reading *r, const char *file)
{
	if (file != r->file)
		r->is_wanted = file && r->wants(r->ctx, file);
	r->file = file;
	return r->is_wanted;
}

static bool has_wanted_file(struct reading *r, Dwarf_Die *unit)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_file_wanted(r, dwarf_filesrc(files, i, NULL, NULL)))
			return true;
	return false;
}

static void visit_row(struct reading *r, Dwarf_Line *row)
{
	struct dwarf_line line;
	bool begins = false, ends = true;
	Dwarf_Addr address;
	int number;

	if (dwarf_linebeginstatement(row, &begins) != 0 || !begins ||
	    dwarf_lineendsequence(row, &ends) != 0 || ends ||
	    dwarf_lineno(row, &number) != 0 || number <= 0 ||
	    dwarf_lineaddr(row, &address) != 0)
		return;
	line = (struct dwarf_line){address, dwarf_linesrc(row, NULL, NULL),
				   (uint64_t)number};
	if (is_file_wanted(r, line.file))
		r->visit(r->ctx, &line);
}

static void visit_unit(struct reading *r, Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	size_t n;

	if (!has_wanted_file(r, unit) || dwarf_getsrclines(unit, &rows, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		visit_row(r, dwarf_onesrcline(rows, i));
}

bool dwarf_lines(struct dwarf_file *d, bool (*wants)(void *ctx, const char *file),
		 void (*visit)(void *ctx, const struct dwarf_line *line), void *ctx)
{
	struct reading r = {.wants = wants, .visit = visit, .ctx = ctx};
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die unit;

	if (!has_room(d))
		return false;
	while (dwarf_get_units(d->main.dwarf, cu, &cu, &version, &type, &unit, NULL) ==
	       0) {
		if (budget_is_over())
			return false;
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    has_good_folder(d, &unit))
			visit_unit(&r, &unit);
	}
	return true;
}

uint64_t dwarf_prologue_end(struct dwarf_file *d, uint64_t function)
{
	Dwarf_Addr *found = NULL;
	Dwarf_Die die, unit;
	uint64_t end = 0;

	if (!dwarf_die_at(d, function, &die) || !has_room(d) ||
	    !dwarf_diecu(&die, &unit, NULL, NULL) || !has_good_folder(d, &unit))
		return 0;
	if (dwarf_entry_breakpoints(&die, &found) > 0)
		end = found[0];
	free(found);
	return end;
}
