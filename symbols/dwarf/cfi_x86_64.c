/* SPDX-License-Identifier: MIT */
/*
 * CFI of x86-64: which registers are followed, which expressions compilers and linkers
 * write, and how a line of the table becomes a row of vm/base/cfi.h. Register
 * numbers: System V ABI, AMD64 supplement, 3.6.2.
 */
#include "symbols/dwarf/cfi_machine.h"

/* Operations of expressions (DWARF 5, 7.7.1). */
enum expression_op {
	EXPR_DEREF = 0x06,
	EXPR_AND = 0x1a,
	EXPR_PLUS = 0x22,
	EXPR_PLUS_UCONST = 0x23,
	EXPR_SHL = 0x24,
	EXPR_GE = 0x2a,
	EXPR_LIT0 = 0x30,
	EXPR_BREG0 = 0x70,
};

const uint64_t cfi_stack_pointer = REGS_DWARF_SP;
const uint64_t cfi_entry_offset = 8;

bool cfi_is_register(uint64_t reg)
{
	return reg < REGS_DWARF_COUNT;
}

enum cfi_column cfi_column_of(uint64_t reg)
{
	switch (reg) {
	case REGS_DWARF_FP:
		return CFI_FRAME;
	case REGS_DWARF_BASE:
		return CFI_BASE;
	case REGS_DWARF_SP:
		return CFI_STACK;
	default:
		return CFI_COLUMNS;
	}
}

/* ---- expressions ---- */

/* The operation breg at the beginning of an expression: reg + offset. */
static bool read_breg(struct encoded *c, uint64_t *reg, int64_t *offset)
{
	if (c->p >= c->end || *c->p < EXPR_BREG0 ||
	    *c->p >= EXPR_BREG0 + REGS_DWARF_RETURN + 1)
		return false;
	*reg = *c->p - (uint64_t)EXPR_BREG0;
	encoded_skip(c, 1);
	return encoded_sleb(c, offset);
}

/* Of the PLT: breg7 8; breg16 0; lit15; and; litN; ge; lit3; shl; plus. *from is N. */
static bool is_plt(struct encoded c, int64_t *from)
{
	uint64_t reg;
	int64_t offset;

	if (!read_breg(&c, &reg, &offset) || reg != REGS_DWARF_RETURN || offset ||
	    c.end - c.p != 7 || c.p[0] != EXPR_LIT0 + 15 || c.p[1] != EXPR_AND ||
	    c.p[2] < EXPR_LIT0 || c.p[2] > EXPR_LIT0 + 15 || c.p[3] != EXPR_GE ||
	    c.p[4] != EXPR_LIT0 + 3 || c.p[5] != EXPR_SHL || c.p[6] != EXPR_PLUS)
		return false;
	*from = c.p[2] - EXPR_LIT0;
	return true;
}

struct cfi_cfa cfi_cfa_of_expression(struct encoded c)
{
	struct cfi_cfa cfa = {.form = CFI_ROW_NONE};
	uint64_t after = 0;

	if (!read_breg(&c, &cfa.reg, &cfa.value))
		return cfa;
	if (is_plt(c, &cfa.after)) {
		cfa.form = CFI_ROW_PLT;
	} else if (c.p < c.end && *c.p == EXPR_DEREF) {
		encoded_skip(&c, 1);
		if (c.p < c.end && *c.p == EXPR_PLUS_UCONST) {
			encoded_skip(&c, 1);
			if (!encoded_uleb(&c, &after) || after > INT16_MAX)
				return cfa;
		}
		cfa.after = (int64_t)after;
		if (c.p == c.end)
			cfa.form = CFI_ROW_DEREF;
	} else if (c.p == c.end) {
		cfa.form = CFI_ROW_PLAIN;
	}
	return cfa;
}

struct cfi_rule cfi_rule_of_expression(struct encoded c)
{
	struct cfi_rule p = {.kind = RULE_UNKNOWN};

	if (read_breg(&c, &p.reg, &p.value) && c.p == c.end)
		p.kind = RULE_AT_REGISTER;
	return p;
}

/* ---- rows ---- */

static int16_t saved_at(const struct cfi_rule *p, bool *by_reg, uint64_t cfa_reg)
{
	*by_reg = p->kind == RULE_AT_REGISTER;
	if (p->kind == RULE_SAME)
		return CFI_SAME;
	if ((p->kind != RULE_AT_CFA && p->kind != RULE_AT_REGISTER) ||
	    (*by_reg && p->reg != cfa_reg) || p->value % 8 ||
	    p->value / 8 <= INT16_MIN || p->value / 8 >= INT16_MAX)
		return CFI_LOST;
	return (int16_t)(p->value / 8);
}

/* __restore_rt: the ucontext is above rsp; in it the pc follows the other registers. */
static void make_signal(const struct cfi_line *l, struct cfi_row *row)
{
	const int64_t pc_in_context =
		REGS_UCONTEXT_AT + REGS_DWARF_COUNT * sizeof(uint64_t);
	const struct cfi_rule *ra = &l->column[CFI_RA];

	if (ra->kind != RULE_AT_REGISTER || ra->reg >= REGS_DWARF_COUNT)
		return;
	row->form = CFI_ROW_SIGNAL;
	row->reg = (uint8_t)ra->reg;
	row->cfa = (int32_t)(ra->value - pc_in_context);
}

static void make_frame(const struct cfi_line *l, struct cfi_row *row)
{
	const struct cfi_rule *ra = &l->column[CFI_RA];
	bool by_reg;

	if (l->cfa.form == CFI_ROW_NONE || l->cfa.value != (int32_t)l->cfa.value)
		return;
	row->form = l->cfa.form & 15;
	row->reg = (uint8_t)l->cfa.reg;
	row->cfa = (int32_t)l->cfa.value;
	row->after = (int16_t)l->cfa.after;
	row->fp = saved_at(&l->column[CFI_FRAME], &by_reg, l->cfa.reg);
	row->fp_by_reg = by_reg;
	row->base = saved_at(&l->column[CFI_BASE], &by_reg, l->cfa.reg);
	row->base_by_reg = by_reg;
	if (ra->kind == RULE_IN_REGISTER && l->cfa.form == CFI_ROW_PLAIN) {
		row->form = CFI_ROW_LINK;
		row->after = (int16_t)ra->reg;
	} else if (ra->kind != RULE_AT_CFA || ra->value != -8) {
		row->form = CFI_ROW_STOP;
	}
}

struct cfi_row cfi_row(const struct cfi_line *l, bool is_signal)
{
	const struct cfi_row stop = {.form = CFI_ROW_STOP};
	const struct cfi_row unknown = {.form = CFI_ROW_STOP, .after = 1};
	struct cfi_row row = unknown;

	if (l->column[CFI_RA].kind == RULE_UNDEFINED)
		return stop;
	if (is_signal)
		make_signal(l, &row);
	else if (l->column[CFI_STACK].kind == RULE_SAME)
		make_frame(l, &row);
	return row.form == CFI_ROW_STOP ? unknown : row;
}
