/* SPDX-License-Identifier: MIT */
/* Where an entry is: its unit, and the namespaces and types around it. */
#include "symbols/dwarf/internal.h"
#include "vm/base/base.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH_MAX 64

/* Of the children of *die the one that holds the entry, or is it. */
static bool step_inside(Dwarf_Die *die, const Dwarf_Die *entry)
{
	Dwarf_Die child, next;

	if (dwarf_child(die, &child) != 0 || (char *)child.addr > (char *)entry->addr)
		return false;
	for (next = child; dwarf_next_sibling(&next); child = next)
		if ((char *)next.addr > (char *)entry->addr)
			break;
	*die = child;
	return true;
}

static enum dwarf_reach add_outer(const struct dwarf_file *d, Dwarf_Die *die,
				  struct strbuf *out)
{
	unsigned tag = (unsigned)dwarf_tag(die);
	const char *name = dwarf_diename(die);
	bool is_named = name && dwarf_is_name(d, name);

	if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	    tag == DW_TAG_inlined_subroutine)
		return REACH_LOCAL;
	strbuf_printf(out, "%s::", is_named ? name : DWARF_UNNAMED);
	return is_named ? REACH_ALL : REACH_UNIT;
}

enum dwarf_reach dwarf_path(struct dwarf_file *d, uint64_t ref, struct strbuf *out)
{
	enum dwarf_reach reach = REACH_ALL;
	Dwarf_Die entry, die;

	strbuf_puts(out, "");
	if (!dwarf_die_at(d, ref, &entry) || !dwarf_diecu(&entry, &die, NULL, NULL))
		return REACH_LOCAL;
	for (int depth = 0; depth < DEPTH_MAX && step_inside(&die, &entry); depth++) {
		enum dwarf_reach one;

		if (die.addr == entry.addr)
			return reach;
		one = add_outer(d, &die, out);
		reach = one > reach ? one : reach;
	}
	return REACH_LOCAL;
}

static enum dwarf_language language_of(uint64_t code)
{
	switch (code) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17 */
	case DW_LANG_ObjC:
	case DW_LANG_Mips_Assembler:
		return LANGUAGE_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* C++17 */
	case 0x2d: /* C++20 */
	case DW_LANG_ObjC_plus_plus:
		return LANGUAGE_CXX;
	case DW_LANG_Rust:
		return LANGUAGE_RUST;
	default:
		return LANGUAGE_OTHER;
	}
}

enum dwarf_language dwarf_language_of(Dwarf_Die *unit)
{
	Dwarf_Attribute a;
	Dwarf_Word code = 0;

	if (!dwarf_attr(unit, DW_AT_language, &a) || dwarf_formudata(&a, &code) != 0)
		return LANGUAGE_OTHER;
	return language_of(code);
}

bool dwarf_unit_of(struct dwarf_file *d, uint64_t ref, struct dwarf_unit *out)
{
	Dwarf_Die entry, die;
	const char *name, *producer = NULL;
	Dwarf_Attribute a;

	if (!dwarf_die_at(d, ref, &entry) || !dwarf_diecu(&entry, &die, NULL, NULL))
		return false;
	name = dwarf_diename(&die);
	if (dwarf_attr(&die, DW_AT_producer, &a))
		producer = dwarf_formstring(&a);
	*out = (struct dwarf_unit){
		.ref = dwarf_ref_of(d, &die),
		.file = name && dwarf_is_name(d, name) ? name : NULL,
		.language = dwarf_language_of(&die),
		.is_gnu = producer && dwarf_is_name(d, producer) &&
			  strncmp(producer, "GNU ", 4) == 0,
	};
	return true;
}
