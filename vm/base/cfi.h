/* SPDX-License-Identifier: MIT */
/*
 * Stacks without frame pointers: call frame information (CFI) rows, which say for each
 * address of a module's code where the caller's frame is. Made once from the
 * module's unwind tables, position-independent, read in every execution context: 4 ns a
 * frame. For x86-64:
 *
 *	row 0  pc 0x1000  CFA = sp + 8
 *	row 1  pc 0x1001  CFA = sp + 16, fp at CFA - 16		(push %rbp)
 *	row 2  pc 0x1004  CFA = fp + 16, fp at CFA - 16		(mov %rsp,%rbp)
 *	row 3  pc 0x1020  no row				(end of the function)
 *
 * A row is valid from its pc to that of the next one. The canonical frame address (CFA)
 * is the stack pointer of the caller after the call; the return address is the word
 * below. Of the registers that a function restores, two are followed, because frames are
 * found by them: the frame pointer (fp) and one more (base). All others are known in the
 * innermost frame only, and in one that a signal interrupted.
 *
 * Where there is no row (code made at run time) the walk follows the frame pointer, and
 * ends where that is no address above the present frame, or one far above it; walk.h has
 * the exception: another stack.
 */
#ifndef VM_BASE_CFI_H
#define VM_BASE_CFI_H

#include "vm/base/regs.h"

enum cfi_kind {
	CFI_ROW_NONE,  /* nothing is known from here on */
	CFI_ROW_STOP,  /* no caller (outermost function); after 1: it cannot be found */
	CFI_ROW_PLAIN, /* CFA = reg + cfa */
	CFI_ROW_DEREF, /* CFA = the word at (reg + cfa) + after */
	CFI_ROW_PLT,   /* CFA = reg + cfa, + 8 from byte `after` of each 16 on */
	CFI_ROW_LINK,  /* CFA = reg + cfa; the return address is in register `after` */
	CFI_ROW_SIGNAL, /* the interrupted registers are in the ucontext at reg + cfa */
	/* nothing is known, but that it calls a program's or thread's first function */
	CFI_ROW_FIRST,
	/* CFA = a DWARF expression: `after` bytes in pieces from number cfa on */
	CFI_ROW_EXPRESSION,
	CFI_ROW_KINDS,
};

/* Of the places of fp and base. */
#define CFI_SAME INT16_MAX /* it still has the caller's value */
#define CFI_LOST INT16_MIN

struct cfi_row {
	uint32_t pc; /* offset from the module's lo */
	int32_t cfa;
	int16_t fp, base; /* saved at CFA + 8 * this, or CFI_SAME, CFI_LOST */
	int16_t after;
	uint8_t reg; /* enum regs_dwarf */
	uint8_t form : 4;
	uint8_t fp_by_reg : 1; /* saved at reg + 8 * this instead */
	uint8_t base_by_reg : 1;
};
_Static_assert(sizeof(struct cfi_row) == 16, "rows are shared between contexts");

/*
 * A part of an expression. Pieces are among the elements of a module's rows, behind all
 * rows: their pc is beyond the module.
 */
#define CFI_PIECE	   12
#define CFI_EXPRESSION_MAX (5 * CFI_PIECE) /* bytes */
struct cfi_piece {
	uint32_t pc;
	uint8_t bytes[CFI_PIECE];
};
_Static_assert(sizeof(struct cfi_piece) == sizeof(struct cfi_row),
	       "they share an array");

/* The code of one module and its rows, ascending. Lists ascend, without overlaps. */
struct cfi_module {
	uint64_t lo, hi; /* run-time addresses */
	uint64_t rows;	 /* address of the first, in the reader's memory */
	uint64_t nrows;
};

struct cfi_modules {
	const struct cfi_module *modules;
	uint32_t n;
};

/*
 * How rows travel between contexts: this, modules (rows: an offset from here), then the
 * rows.
 */
#define CFI_MAGIC UINT32_C(0x53574f52) /* "ROWS" */
struct cfi_file {
	uint32_t magic, nmodules;
	uint64_t bytes;
};

/* The module that holds pc, or NULL. */
const struct cfi_module *cfi_find_module(const struct cfi_modules *list, uint64_t pc);
/* The row of an address, or NULL. */
const struct cfi_row *cfi_find(const struct cfi_modules *list, uint64_t pc);

/* Rows found before, by address; pc 0: none. n is a power of two. */
struct cfi_cached {
	uint64_t pc;
	struct cfi_row row;
};

static inline uint64_t cfi_cache_slot(uint64_t pc, uint64_t n)
{
	return (pc ^ pc >> 8) & (n - 1);
}

/*
 * As cfi_find(), looking among those known first. An interrupting walk of the
 * same thread may use the same array.
 */
static inline const struct cfi_row *cfi_find_cached(const struct cfi_modules *list,
						    struct cfi_cached *known,
						    uint64_t n, uint64_t pc)
{
	struct cfi_cached *k = &known[cfi_cache_slot(pc, n)];
	const struct cfi_row *row;

	if (k->pc == pc && pc)
		return &k->row;
	row = cfi_find(list, pc);
	if (row) {
		*(volatile uint64_t *)&k->pc = 0;
		k->row = *row;
		*(volatile uint64_t *)&k->pc = pc;
	}
	return row;
}

#endif
