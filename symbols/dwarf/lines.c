/* SPDX-License-Identifier: MIT */
/*
 * Lines of the source, and the inlined copies that hold an address.
 */
#include "symbols/dwarf/internal.h"
#include "vm/base/base.h"

#include <string.h>

#include <dwarf.h>

#define SCOPES_MAX  64	  /* depth */
#define ENTRIES_MAX 20000 /* read for one address */
#define LINE_BYTES  40	  /* of memory for a byte of .debug_line, at most */

/* libdw makes a table of a unit's lines: room for all of them is taken once. */
static bool has_room(struct dwarf_file *d)
{
	Elf_Data *lines;
	Elf_Scn *scn = NULL;
	size_t names;

	if (d->lines != LINES_UNKNOWN)
		return d->lines == LINES_FIT;
	d->lines = LINES_REFUSED;
	if (elf_getshdrstrndx(d->main.elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(d->main.elf, scn))) {
		const Elf64_Shdr *h = elf64_getshdr(scn);
		const char *name =
			h ? elf_strptr(d->main.elf, names, h->sh_name) : NULL;

		if (!name || strcmp(name + (name[1] == 'z'), ".debug_line") != 0)
			continue;
		lines = elf_rawdata(scn, NULL);
		if (lines && dwarf_has_room(d, lines->d_size * (uint64_t)LINE_BYTES))
			d->lines = LINES_FIT;
		break;
	}
	return d->lines == LINES_FIT;
}

struct search {
	Dwarf_Addr pc;
	Dwarf_Die inlined[DWARF_INLINED_MAX]; /* outermost first */
	size_t n;
	unsigned left; /* entries that may still be read */
};

static bool is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The child that holds the pc; in a damaged file a sibling may be anywhere. */
static bool find_child(struct search *s, Dwarf_Die *die)
{
	Dwarf_Die child, next;

	if (dwarf_child(die, &child) != 0)
		return false;
	while (s->left) {
		s->left--;
		if (is_scope(dwarf_tag(&child)) && dwarf_haspc(&child, s->pc) == 1) {
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

static void find_inlined(struct search *s, Dwarf_Die die)
{
	for (int depth = 0; depth < SCOPES_MAX && find_child(s, &die); depth++)
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine &&
		    s->n < DWARF_INLINED_MAX)
			s->inlined[s->n++] = die;
}

/* Where the copy was called: a file of its unit, and a line. */
static void read_call(Dwarf_Die *unit, Dwarf_Die *copy, struct dwarf_place *out)
{
	Dwarf_Attribute a;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nfiles;

	*out = (struct dwarf_place){.file = NULL};
	if (dwarf_attr(copy, DW_AT_call_line, &a) && dwarf_formudata(&a, &number) == 0)
		out->line = number;
	if (dwarf_attr(copy, DW_AT_call_file, &a) &&
	    dwarf_formudata(&a, &number) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &nfiles) == 0 && number < nfiles)
		out->file = dwarf_filesrc(files, number, NULL, NULL);
}

static void read_line(Dwarf_Die *unit, Dwarf_Addr pc, struct dwarf_place *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, pc);
	int number;

	*out = (struct dwarf_place){.file = NULL};
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

	if (!dwarf_die_at(d, function, &die) || !has_room(d) ||
	    dwarf_haspc(&die, pc) != 1 || !dwarf_diecu(&die, &unit, NULL, NULL))
		return 0;
	find_inlined(&s, die);
	read_line(&unit, pc, &out[0]);
	for (size_t i = 0; i < s.n; i++) {
		Dwarf_Die *copy = &s.inlined[s.n - 1 - i];

		out[i].inlined = dwarf_ref_of(d, copy);
		read_call(&unit, copy, &out[i + 1]);
	}
	return s.n + 1;
}
