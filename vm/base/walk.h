/* SPDX-License-Identifier: MIT */
/*
 * The walk along a stack by CFI rows (cfi.h). All of it is inline, so that the caller's
 * functions to read a word and to find a row become part of the loop: calls through
 * pointers would double its time.
 */
#ifndef VM_BASE_WALK_H
#define VM_BASE_WALK_H

#include "vm/base/cfi.h"

#define WALK_WORD 8
/*
 * No frame that is found by its frame pointer alone is larger: code that was made at run
 * time may use that register for anything, as for a pointer to the heap.
 */
#define WALK_BLIND_MAX (UINT64_C(8) << 20)
/*
 * Runtimes that keep a stack of their own call C functions on that of the thread: the
 * frame pointer then leads to the other stack. So often a walk follows it there: it ends.
 */
#define WALK_SWITCHES 4

struct walk_frame;

/* What a walk asks of its surroundings. */
struct unwind_source {
	void *ctx;
	/* The word of the stack at addr; false: unreadable. */
	bool (*word)(void *ctx, uint64_t addr, uint64_t *value);
	const struct cfi_row *(*row)(void *ctx, uint64_t pc);
	/*
	 * The CFA by an expression; false: it cannot be found. NULL: such a frame ends
	 * the walk.
	 */
	bool (*expression)(void *ctx, const struct walk_frame *f,
			   const struct cfi_row *row, uint64_t *cfa);
};

struct unwind_regs {
	uint64_t reg[REGS_DWARF_COUNT];
	uint64_t pc;
	/*
	 * The function has just been entered, or is about to return: where no row
	 * says better, the return address is on top of the stack.
	 */
	bool is_edge;
	/*
	 * Out: the walk ended although there were callers, before the number asked
	 * for; pc is where.
	 */
	bool is_truncated;
};

/* Registers of the present frame, and which of them are known. */
struct walk_frame {
	struct unwind_regs *regs;
	uint32_t known;	   /* bit N: reg[N] */
	uint32_t switches; /* from one stack to another */
	bool is_exact;	   /* pc is where the frame is, not after its call */
};

static inline bool walk_is_known(const struct walk_frame *f, uint32_t reg)
{
	return reg < REGS_DWARF_COUNT && f->known >> reg & 1;
}

static inline bool walk_read_word(const struct unwind_source *s, uint64_t addr,
				  uint64_t *value)
{
	return addr % WALK_WORD == 0 && s->word(s->ctx, addr, value);
}

/* A register that the row says is saved, or is still the caller's. */
static inline void walk_restore(const struct unwind_source *s, struct walk_frame *f,
				uint32_t reg, int16_t place, uint64_t base)
{
	if (place == CFI_SAME)
		return;
	if (place == CFI_LOST ||
	    !walk_read_word(s, base + (uint64_t)(int64_t)place * WALK_WORD,
			    &f->regs->reg[reg]))
		f->known &= ~(UINT32_C(1) << reg);
}

/* What the signal interrupted. */
static inline bool walk_step_signal(const struct unwind_source *s, struct walk_frame *f,
				    uint64_t at)
{
	at += REGS_UCONTEXT_AT;
	for (uint32_t i = 0; i < REGS_DWARF_COUNT; i++, at += WALK_WORD)
		if (!walk_read_word(s, at, &f->regs->reg[regs_ucontext_order[i]]))
			return false;
	if (!walk_read_word(s, at, &f->regs->pc))
		return false;
	f->known = (UINT32_C(1) << REGS_DWARF_COUNT) - 1;
	f->is_exact = true;
	return true;
}

/* 8 bytes of code. */
static inline bool walk_read_code(const struct unwind_source *s, uint64_t pc,
				  uint64_t *code)
{
	uint64_t shift = pc % WALK_WORD * 8, bytes[2];

	if (!s->word(s->ctx, pc - pc % WALK_WORD, &bytes[0]) ||
	    !s->word(s->ctx, pc - pc % WALK_WORD + WALK_WORD, &bytes[1]))
		return false;
	*code = shift ? bytes[0] >> shift | bytes[1] << (64 - shift) : bytes[0];
	return true;
}

/* The return from a signal handler in a C library without unwind tables. */
static inline bool walk_is_sigreturn(const struct unwind_source *s, uint64_t pc)
{
	uint64_t code;

	return walk_read_code(s, pc, &code) && regs_is_sigreturn(code);
}

static inline bool walk_step_edge(const struct unwind_source *s, struct walk_frame *f)
{
	uint64_t *reg = f->regs->reg;

	if (!walk_read_word(s, reg[REGS_DWARF_SP], &f->regs->pc))
		return false;
	reg[REGS_DWARF_SP] += WALK_WORD;
	f->known = 1u << REGS_DWARF_FP | 1u << REGS_DWARF_BASE | 1u << REGS_DWARF_SP;
	f->is_exact = false;
	return true;
}

/*
 * Whether a frame pointer that leads away from the stack leads to a frame on another one:
 * it is linked to the next one above it, and its return address follows a call in code of
 * no file. A new thread of a program may begin with the frame pointer of another.
 */
static inline bool walk_switches(const struct unwind_source *s, struct walk_frame *f,
				 uint64_t at, uint64_t caller, uint64_t pc)
{
	uint64_t code;

	return (caller == 0 || (caller > at && caller - at <= WALK_BLIND_MAX)) &&
	       f->switches++ < WALK_SWITCHES &&
	       walk_read_code(s, pc - WALK_WORD, &code) && regs_may_end_call(code) &&
	       !s->row(s->ctx, pc - 1);
}

/*
 * Nothing is known of the code: the register fp may be the frame pointer. is_generated:
 * the code is of no file.
 */
static inline bool walk_step_blindly(const struct unwind_source *s,
				     struct walk_frame *f, bool is_generated)
{
	uint64_t *reg = f->regs->reg;
	uint64_t at = reg[REGS_DWARF_FP], caller, pc;

	if (!f->is_exact && walk_is_sigreturn(s, f->regs->pc))
		return walk_step_signal(s, f, reg[REGS_DWARF_SP]);
	if (!walk_is_known(f, REGS_DWARF_FP) || !walk_read_word(s, at, &caller) ||
	    !walk_read_word(s, at + WALK_WORD, &pc))
		return false;
	if ((at < reg[REGS_DWARF_SP] || at - reg[REGS_DWARF_SP] > WALK_BLIND_MAX) &&
	    !(is_generated && walk_switches(s, f, at, caller, pc)))
		return false;
	f->regs->pc = pc;
	reg[REGS_DWARF_FP] = caller;
	reg[REGS_DWARF_SP] = at + 2 * WALK_WORD;
	f->known = 1u << REGS_DWARF_FP | 1u << REGS_DWARF_SP;
	f->is_exact = false;
	return true;
}

static inline bool walk_find_cfa(const struct unwind_source *s,
				 const struct walk_frame *f, const struct cfi_row *row,
				 uint64_t *cfa)
{
	if (row->form == CFI_ROW_EXPRESSION)
		return s->expression && s->expression(s->ctx, f, row, cfa);
	*cfa = f->regs->reg[row->reg] + (uint64_t)(int64_t)row->cfa;
	if (row->form == CFI_ROW_DEREF) {
		if (!walk_read_word(s, *cfa, cfa))
			return false;
		*cfa += (uint64_t)(int64_t)row->after;
	} else if (row->form == CFI_ROW_PLT &&
		   (int64_t)(f->regs->pc & 15) >= row->after) {
		*cfa += WALK_WORD;
	}
	return true;
}

static inline bool walk_find_return(const struct unwind_source *s, struct walk_frame *f,
				    const struct cfi_row *row, uint64_t cfa)
{
	if (row->form != CFI_ROW_LINK)
		return walk_read_word(s, cfa - WALK_WORD, &f->regs->pc);
	if (row->after < 0 || !walk_is_known(f, (uint32_t)row->after))
		return false;
	f->regs->pc = f->regs->reg[row->after];
	return true;
}

static inline bool walk_step_by_row(const struct unwind_source *s, struct walk_frame *f,
				    const struct cfi_row *row)
{
	uint64_t *reg = f->regs->reg, sp = reg[REGS_DWARF_SP], base, cfa;

	if (row->form == CFI_ROW_STOP || !walk_is_known(f, row->reg))
		return false;
	base = reg[row->reg];
	if (row->form == CFI_ROW_SIGNAL)
		return walk_step_signal(s, f, base + (uint64_t)(int64_t)row->cfa);
	if (!walk_find_cfa(s, f, row, &cfa))
		return false;
	/* Frames follow each other upwards: so the walk ends. */
	if (cfa <= sp && !(f->is_exact && cfa == sp))
		return false;
	if (!walk_find_return(s, f, row, cfa))
		return false;
	walk_restore(s, f, REGS_DWARF_FP, row->fp, row->fp_by_reg ? base : cfa);
	walk_restore(s, f, REGS_DWARF_BASE, row->base, row->base_by_reg ? base : cfa);
	reg[REGS_DWARF_SP] = cfa;
	f->known &= 1u << REGS_DWARF_FP | 1u << REGS_DWARF_BASE | 1u << REGS_DWARF_SP;
	f->is_exact = false;
	return true;
}

static inline bool walk_step(const struct unwind_source *s, struct walk_frame *f,
			     const struct cfi_row *row, bool is_edge)
{
	if (row && row->form != CFI_ROW_NONE && row->form != CFI_ROW_FIRST)
		return walk_step_by_row(s, f, row);
	if (is_edge)
		return walk_step_edge(s, f);
	/* its frame pointer may be anything, and its callers are of no interest */
	return !(row && row->form == CFI_ROW_FIRST) && walk_step_blindly(s, f, !row);
}

/*
 * Whether the frame that has no caller is the outermost one: its row says so, or,
 * where there is none, the frame pointer of 0 that the ABI asks for.
 */
static inline bool walk_is_outermost(const struct walk_frame *f,
				     const struct cfi_row *row)
{
	if (row && row->form != CFI_ROW_NONE)
		return row->form == CFI_ROW_FIRST ||
		       (row->form == CFI_ROW_STOP && !row->after);
	return walk_is_known(f, REGS_DWARF_FP) && !f->regs->reg[REGS_DWARF_FP];
}

/*
 * The pcs of the frames, innermost (regs->pc) first, at most n; pcs NULL: they are
 * only counted. regs is spoilt. The walk ends at a return address of 0 and
 * wherever the stack makes no sense; it never loops. A pc of 0, to which a thread comes
 * by a call, is no frame: the walk begins with the caller.
 */
static inline uint32_t unwind_walk(const struct unwind_source *s,
				   struct unwind_regs *regs, uint64_t *pcs, uint32_t n)
{
	struct walk_frame f = {
		.regs = regs,
		.known = (UINT32_C(1) << REGS_DWARF_COUNT) - 1,
		.is_exact = true,
	};
	uint32_t count = 0;

	regs->is_truncated = false;
	if (!regs->pc && !walk_step_edge(s, &f))
		return 0;
	while (count < n && regs->pc) {
		const struct cfi_row *row;
		uint64_t pc = regs->pc;

		if (pcs)
			pcs[count] = pc;
		if (++count == n)
			break;
		row = s->row(s->ctx, pc - !f.is_exact);
		if (!walk_step(s, &f, row, count == 1 && regs->is_edge)) {
			regs->is_truncated = !walk_is_outermost(&f, row);
			regs->pc = pc;
			break;
		}
	}
	return count;
}

#endif
