/* SPDX-License-Identifier: MIT */
/*
 * Walks over debug entries. In a damaged file links may lead anywhere: none is followed
 * backwards, and depth and number of entries are limited.
 */
#include "symbols/dwarf/internal.h"
#include "vm/base/base.h"

#include <dwarf.h>

#define NAMESPACES_MAX 16      /* depth; each level is read once more */
#define SCOPES_MAX     64      /* the same */
#define WALK_MAX       3000000 /* entries */

bool dwarf_entry(struct dwarf_file *d, uint64_t ref, struct entry *out)
{
	Dwarf_Die die;

	if (!dwarf_die_at(d, ref, &die))
		return false;
	dwarf_read_entry(d, &die, out);
	out->ref = ref;
	return true;
}

/* The next child; in a damaged file it may be before this one or in another unit. */
bool dwarf_next_sibling(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || next.cu != die->cu ||
	    (char *)next.addr <= (char *)die->addr)
		return false;
	*die = next;
	return true;
}

void dwarf_children(struct dwarf_file *d, uint64_t ref,
		    bool (*visit)(void *ctx, const struct entry *e), void *ctx)
{
	Dwarf_Die parent, die;
	struct entry e;
	bool goes_on;

	if (!dwarf_die_at(d, ref, &parent) || dwarf_child(&parent, &die) != 0)
		return;
	do {
		dwarf_read_entry(d, &die, &e);
		goes_on = e.tag == ENTRY_OTHER || visit(ctx, &e);
	} while (goes_on && dwarf_next_sibling(&die));
}

size_t dwarf_piece_starts(struct dwarf_file *d, uint64_t ref, uint64_t *out, size_t max)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	Dwarf_Die die;
	size_t n = 0;

	if (!dwarf_die_at(d, ref, &die))
		return 0;
	while (n < max && (at = dwarf_ranges(&die, at, &base, &lo, &hi)) > 0)
		out[n++] = lo;
	return n;
}

#define RANGES_MAX 1000 /* of one entry that are looked at */

static bool find_lowest(Dwarf_Die *die, uint64_t *lowest)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	*lowest = UINT64_MAX;
	for (int i = 0; i < RANGES_MAX; i++) {
		at = dwarf_ranges(die, at, &base, &lo, &hi);
		if (at <= 0)
			break;
		if (lo < hi)
			*lowest = min_u64(*lowest, lo);
	}
	return *lowest != UINT64_MAX;
}

/* An address, or in DWARF 5 how far it is behind the lowest. */
bool dwarf_entry_address(struct dwarf_file *d, uint64_t ref, uint64_t *address)
{
	Dwarf_Attribute a;
	Dwarf_Word behind;
	uint64_t lowest;
	Dwarf_Die die;

	if (!dwarf_die_at(d, ref, &die))
		return false;
	if (dwarf_attr(&die, DW_AT_entry_pc, &a) && dwarf_formaddr(&a, address) == 0)
		return true;
	if (!find_lowest(&die, &lowest))
		return false;
	*address = lowest;
	if (dwarf_attr(&die, DW_AT_entry_pc, &a) && dwarf_formudata(&a, &behind) == 0)
		*address += behind;
	return true;
}

struct scan {
	struct dwarf_file *file;
	void (*visit)(void *ctx, const struct entry *e, const struct dwarf_spot *spot);
	void *ctx;
};

static void scan_children(const struct scan *s, Dwarf_Die *parent,
			  const struct dwarf_spot *spot, int depth)
{
	struct dwarf_space space = {.outer = spot->space};
	struct dwarf_spot inner = {&space, spot->language};
	Dwarf_Die die;
	struct entry e;

	if (depth > NAMESPACES_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		dwarf_read_entry(s->file, &die, &e);
		if (e.tag == ENTRY_NAMESPACE) {
			space.name = e.name;
			scan_children(s, &die, &inner, depth + 1);
		} else if (e.tag != ENTRY_OTHER) {
			s->visit(s->ctx, &e, spot);
		}
	} while (dwarf_next_sibling(&die));
}

static bool scan_unit(void *ctx, Dwarf_Die *unit)
{
	struct dwarf_spot spot = {NULL, dwarf_language_of(unit)};

	scan_children(ctx, unit, &spot, 0);
	return true;
}

void dwarf_scan(struct dwarf_file *d,
		void (*visit)(void *ctx, const struct entry *e,
			      const struct dwarf_spot *spot),
		void *ctx)
{
	struct scan s = {d, visit, ctx};

	dwarf_each_unit(d, true, scan_unit, &s);
}

struct walk {
	struct dwarf_file *file;
	/* one of both */
	void (*visit)(void *ctx, const struct entry *e);
	void (*call)(void *ctx, uint64_t call, uint64_t called);
	void *ctx;
	unsigned left; /* entries that may still be read */
};

static bool holds_code(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

/* DWARF 5, or as GNU extends DWARF 4. */
static void visit_call(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die called;

	if ((dwarf_attr(die, DW_AT_call_origin, &a) ||
	     dwarf_attr(die, DW_AT_abstract_origin, &a)) &&
	    dwarf_formref_die(&a, &called))
		w->call(w->ctx, dwarf_ref_of(w->file, die),
			dwarf_ref_of(w->file, &called));
}

static void visit_code(struct walk *w, Dwarf_Die *die, unsigned tag)
{
	struct entry e;

	if (w->call && (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site))
		visit_call(w, die);
	if (!w->visit || (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine))
		return;
	dwarf_read_entry(w->file, die, &e);
	w->visit(w->ctx, &e);
}

static void walk_children(struct walk *w, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > SCOPES_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		unsigned tag = (unsigned)dwarf_tag(&die);

		visit_code(w, &die, tag);
		if (holds_code(tag))
			walk_children(w, &die, depth + 1);
	} while (w->left && w->left-- && dwarf_next_sibling(&die));
}

static bool walk_unit(void *ctx, Dwarf_Die *unit)
{
	struct walk *w = ctx;

	walk_children(w, unit, 0);
	return w->left > 0;
}

static bool walk(struct walk *w)
{
	w->left = WALK_MAX;
	return dwarf_each_unit(w->file, false, walk_unit, w);
}

bool dwarf_walk(struct dwarf_file *d, void (*visit)(void *ctx, const struct entry *e),
		void *ctx)
{
	return walk(&(struct walk){.file = d, .visit = visit, .ctx = ctx});
}

void dwarf_calls(struct dwarf_file *d,
		 void (*visit)(void *ctx, uint64_t call, uint64_t called), void *ctx)
{
	walk(&(struct walk){.file = d, .call = visit, .ctx = ctx});
}
