/* SPDX-License-Identifier: MIT */
/*
 * The seam to the processor in call frame information: what a line of the table says of
 * the registers that stack walks follow, and the row it becomes. A port adds a file
 * like cfi_x86_64.c.
 */
#ifndef SYMBOLS_DWARF_CFI_MACHINE_H
#define SYMBOLS_DWARF_CFI_MACHINE_H

#include "symbols/dwarf/encoded.h"
#include "vm/base/cfi.h"

/* The registers that are followed. All others are ignored. */
enum cfi_column {
	CFI_FRAME, /* the frame pointer */
	CFI_BASE,  /* a callee-saved register that some functions keep frames by */
	CFI_RA,	   /* the return address */
	CFI_STACK, /* the stack pointer */
	CFI_COLUMNS,
};

/* How the caller's value of a register is found (DWARF 5, 6.4.1: register rules). */
enum cfi_rule_kind {
	RULE_SAME,	  /* unchanged; of the return address: unknown */
	RULE_AT_CFA,	  /* saved at CFA + value */
	RULE_AT_REGISTER, /* saved at reg + value */
	RULE_IN_REGISTER, /* in reg */
	RULE_UNDEFINED,	  /* lost; of the return address: there is no caller */
	RULE_UNKNOWN,	  /* of a form that is not supported */
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	uint64_t reg; /* DWARF number */
	int64_t value;
};

/* How the canonical frame address is found. */
struct cfi_cfa {
	enum cfi_kind form; /* NONE, PLAIN, DEREF, PLT or EXPRESSION */
	uint64_t reg;
	int64_t value, after; /* as in struct cfi_row, but not limited in size;
			       * EXPRESSION: value counts from the first piece */
};

/* One line of the table. */
struct cfi_line {
	struct cfi_cfa cfa;
	struct cfi_rule column[CFI_COLUMNS];
};

/* At the first instruction of a function CFA = cfi_stack_pointer + cfi_entry_offset. */
extern const uint64_t cfi_stack_pointer; /* DWARF number */
extern const uint64_t cfi_entry_offset;	 /* bytes */

/* Whether a row can name the register with this DWARF number. */
bool cfi_is_register(uint64_t reg);
/* The column of a register, CFI_COLUMNS if it is not followed; never CFI_RA. */
enum cfi_column cfi_column_of(uint64_t reg);
/* What the DWARF expression at c means; CFI_ROW_NONE, RULE_UNKNOWN: it is not known. */
struct cfi_cfa cfi_cfa_of_expression(struct encoded c);
struct cfi_rule cfi_rule_of_expression(struct encoded c);
/* The row, without pc. A line that a row cannot express gives one that ends walks. */
struct cfi_row cfi_row(const struct cfi_line *line, bool is_signal);

#endif
