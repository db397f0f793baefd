/* SPDX-License-Identifier: MIT */
#include "symbols/types/frames.h"
#include "symbols/dwarf/cfi_machine.h"

#define HEIGHTS_MAX 16 /* of the stack, in one function */

static const struct cfi_row *find_row(const struct target_spot *spot, uint64_t pc)
{
	const struct module_cfi_rows *rows = spot->rows;
	size_t lo = 0, hi = rows ? rows->len : 0;

	if (pc < spot->base)
		return NULL;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rows->data[mid].pc <= pc - spot->base)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &rows->data[lo - 1] : NULL;
}

static struct dwarf_saved saved_at(int16_t where, bool by_reg)
{
	if (where == CFI_SAME)
		return (struct dwarf_saved){.kind = SAVED_NOT};
	if (where == CFI_LOST || by_reg)
		return (struct dwarf_saved){.kind = SAVED_NOWHERE};
	return (struct dwarf_saved){SAVED_AT_CFA, INT64_C(8) * where};
}

static bool is_row(const struct cfi_row *row)
{
	return row && (row->form == CFI_ROW_PLAIN || row->form == CFI_ROW_DEREF);
}

static void set_frame(struct dwarf_frame *f, const struct cfi_row *row)
{
	if (!is_row(row))
		return;
	f->cfa = row->form == CFI_ROW_PLAIN ? FRAME_PLAIN : FRAME_LOADED;
	f->reg = row->reg;
	f->offset = row->cfa;
	f->after = row->after;
	f->fp = saved_at(row->fp, row->fp_by_reg);
	f->base = saved_at(row->base, row->base_by_reg);
}

void frames_find_caller(const struct target_spot *spot, uint64_t pc,
			struct dwarf_frame *out)
{
	set_frame(out, find_row(spot, pc));
}

/* ---- the function's body ---- */

/* What all rows of the function say. */
struct body {
	bool is_any;
	bool saves_fp, saves_base;
	bool has_fp;	  /* the CFA is by the frame pointer somewhere, ... */
	bool is_fp_plain; /* ... at one distance from it, */
	int64_t fp;	  /* this one */
	struct height {
		int64_t cfa; /* less the stack pointer */
		uint64_t bytes;
	} heights[HEIGHTS_MAX];
	size_t n;
};

static void note_height(struct body *b, int64_t cfa, uint64_t bytes)
{
	size_t i = 0;

	while (i < b->n && b->heights[i].cfa != cfa)
		i++;
	if (i == HEIGHTS_MAX)
		return;
	if (i == b->n)
		b->heights[b->n++] = (struct height){cfa, 0};
	b->heights[i].bytes += bytes;
}

static void note_row(struct body *b, const struct cfi_row *row, uint64_t bytes)
{
	const bool is_plain = row->form == CFI_ROW_PLAIN;

	b->is_any = true;
	b->saves_fp |= row->fp != CFI_SAME;
	b->saves_base |= row->base != CFI_SAME;
	if (row->reg == REGS_DWARF_FP) {
		b->is_fp_plain = is_plain &&
				 (!b->has_fp || (b->is_fp_plain && b->fp == row->cfa));
		b->has_fp = true;
		b->fp = row->cfa;
	} else if (row->reg == REGS_DWARF_SP && is_plain) {
		note_height(b, row->cfa, bytes);
	}
}

static void find_body(const struct target_spot *spot, struct body *b)
{
	const struct cfi_row *row = find_row(spot, spot->lo);
	const struct cfi_row *end = row ? spot->rows->data + spot->rows->len : NULL;

	*b = (struct body){.is_any = false};
	for (; row < end && spot->base + row->pc < spot->hi; row++) {
		uint64_t next = row + 1 < end ? spot->base + row[1].pc : spot->hi;

		if (is_row(row))
			note_row(b, row, next - (spot->base + row->pc));
	}
}

/*
 * How far the stack pointer is below the CFA where most of the function runs: it is
 * lower while arguments are pushed. Where most runs without a frame, it is the frame that
 * the rest makes.
 */
static int64_t main_height(const struct body *b)
{
	const struct height *most = &b->heights[0], *longest = most;

	for (size_t i = 1; i < b->n; i++) {
		const struct height *h = &b->heights[i];

		if (h->cfa > most->cfa)
			most = h;
		if (h->bytes > longest->bytes)
			longest = h;
	}
	return longest->cfa > (int64_t)cfi_entry_offset ? longest->cfa : most->cfa;
}

/* ---- registers ---- */

static bool is_by(const struct dwarf_frame *f, uint32_t reg)
{
	return f->cfa == FRAME_PLAIN && f->reg == reg;
}

/* Whether the word in which the register was saved has been taken from the stack. */
static bool is_restored(const struct dwarf_frame *f, const struct dwarf_saved *saved)
{
	return is_by(f, REGS_DWARF_SP) && saved->kind == SAVED_AT_CFA &&
	       saved->offset < -f->offset;
}

static struct dwarf_own at_cfa(int64_t distance)
{
	return (struct dwarf_own){OWN_AT_CFA, -distance};
}

/* is_saved: the function saves it somewhere. */
static struct dwarf_own saved_register(const struct dwarf_frame *f,
				       const struct dwarf_saved *saved, bool is_saved)
{
	const bool is_callers =
		is_restored(f, saved) ||
		(is_saved && f->cfa != FRAME_UNKNOWN && saved->kind == SAVED_NOT);

	return (struct dwarf_own){is_callers ? OWN_NOWHERE : OWN_HERE, 0};
}

static struct dwarf_own frame_pointer(const struct dwarf_frame *f, const struct body *b)
{
	if (!b->has_fp)
		return saved_register(f, &f->fp, b->saves_fp);
	if (f->cfa == FRAME_UNKNOWN || f->reg == REGS_DWARF_FP)
		return (struct dwarf_own){OWN_HERE, 0};
	return b->is_fp_plain ? at_cfa(b->fp) : (struct dwarf_own){OWN_NOWHERE, 0};
}

static struct dwarf_own stack_pointer(const struct dwarf_frame *f, const struct body *b)
{
	int64_t height = b->n ? main_height(b) : 0;

	if (!b->n || !is_by(f, REGS_DWARF_SP) || f->offset == height)
		return (struct dwarf_own){OWN_HERE, 0};
	return at_cfa(height);
}

/*
 * At an entry, a return or a jump that leaves, the return address is on top of the stack.
 * If rows say otherwise, they leave out the last instructions, or it is no such place.
 */
static void set_edge(struct dwarf_frame *f, const struct body *b)
{
	const struct dwarf_own nowhere = {OWN_NOWHERE, 0};

	if (f->cfa == FRAME_UNKNOWN && !b->is_any) {
		f->cfa = FRAME_PLAIN;
		f->reg = REGS_DWARF_SP;
		f->offset = (int64_t)cfi_entry_offset;
	} else if (is_by(f, REGS_DWARF_SP) && f->offset == (int64_t)cfi_entry_offset) {
		return;
	} else {
		f->cfa = FRAME_UNKNOWN;
	}
	f->own_fp = f->own_base = f->own_sp = nowhere;
}

void frames_find(const struct target_spot *spot, struct dwarf_frame *out)
{
	struct body b;

	set_frame(out, find_row(spot, spot->value));
	find_body(spot, &b);
	out->own_fp = frame_pointer(out, &b);
	out->own_base = saved_register(out, &out->base, b.saves_base);
	out->own_sp = stack_pointer(out, &b);
	if (spot->is_edge)
		set_edge(out, &b);
}
