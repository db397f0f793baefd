/* SPDX-License-Identifier: MIT */
#include "vm/base/unwind.h"

#define WORD 8

/* Registers of the present frame, and which of them are known. */
struct frame {
	struct unwind_regs *regs;
	uint32_t known; /* bit N: reg[N] */
	bool is_exact;	/* pc is where the frame is, not behind its call */
};

/* The module that holds pc, by halves. */
static const struct unwind_module *find_module(const struct unwind_list *list,
					       uint64_t pc)
{
	const struct unwind_module *m = list->modules;
	uint32_t n = list->n;

	while (n) {
		uint32_t half = n / 2;

		if (pc >= m[half].hi) {
			m += half + 1;
			n -= half + 1;
		} else if (pc < m[half].lo) {
			n = half;
		} else {
			return &m[half];
		}
	}
	return NULL;
}

const struct unwind_row *unwind_find(const struct unwind_list *list, uint64_t pc)
{
	const struct unwind_module *m = find_module(list, pc);
	const struct unwind_row *first, *row = NULL;
	uint64_t n, at;

	if (!m)
		return NULL;
	first = (const void *)(uintptr_t)m->rows;
	at = pc - m->lo;
	/* the last row that is not beyond */
	for (n = m->nrows; n;) {
		uint64_t half = n / 2;

		if (first[half].pc > at) {
			n = half;
		} else {
			row = &first[half];
			first += half + 1;
			n -= half + 1;
		}
	}
	return row;
}

static bool is_known(const struct frame *f, uint32_t reg)
{
	return reg < UNWIND_REGISTERS && f->known >> reg & 1;
}

static bool read_word(const struct unwind_source *s, uint64_t addr, uint64_t *value)
{
	return addr % WORD == 0 && s->word(s->ctx, addr, value);
}

/* A register that the row says is saved, or is still the caller's. */
static void restore(const struct unwind_source *s, struct frame *f, uint32_t reg,
		    int16_t place, uint64_t base)
{
	if (place == UNWIND_SAME)
		return;
	if (place == UNWIND_LOST ||
	    !read_word(s, base + (uint64_t)(int64_t)place * WORD, &f->regs->reg[reg]))
		f->known &= ~(UINT32_C(1) << reg);
}

/* General registers of a ucontext in the order of its gregs[], by DWARF number. */
static const uint8_t context_order[UNWIND_REGISTERS] = {
	8,	    9,		10,	    11,		12,	    13,
	14,	    15,		UNWIND_RDI, UNWIND_RSI, UNWIND_RBP, UNWIND_RBX,
	UNWIND_RDX, UNWIND_RAX, UNWIND_RCX, UNWIND_RSP};

/* struct ucontext, sigcontext: flags, link and the alternate stack come first. */
#define CONTEXT_REGS 40

/* What the signal interrupted. */
static bool step_signal(const struct unwind_source *s, struct frame *f, uint64_t at)
{
	at += CONTEXT_REGS;
	for (uint32_t i = 0; i < UNWIND_REGISTERS; i++, at += WORD)
		if (!read_word(s, at, &f->regs->reg[context_order[i]]))
			return false;
	if (!read_word(s, at, &f->regs->pc))
		return false;
	f->known = (UINT32_C(1) << UNWIND_REGISTERS) - 1;
	f->is_exact = true;
	return true;
}

/* A C library without unwind tables: mov $15, %rax (or %eax); syscall. */
static bool is_sigreturn(const struct unwind_source *s, uint64_t pc)
{
	uint64_t word, shift = pc % WORD * 8, bytes[2];

	if (!s->word(s->ctx, pc - pc % WORD, &bytes[0]) ||
	    !s->word(s->ctx, pc - pc % WORD + WORD, &bytes[1]))
		return false;
	word = shift ? bytes[0] >> shift | bytes[1] << (64 - shift) : bytes[0];
	return word == UINT64_C(0x0f0000000fc0c748) ||
	       word << 8 == UINT64_C(0x050f0000000fb800);
}

static bool step_edge(const struct unwind_source *s, struct frame *f)
{
	uint64_t *reg = f->regs->reg;

	if (!read_word(s, reg[UNWIND_RSP], &f->regs->pc))
		return false;
	reg[UNWIND_RSP] += WORD;
	f->known = 1u << UNWIND_RBP | 1u << UNWIND_RBX | 1u << UNWIND_RSP;
	f->is_exact = false;
	return true;
}

/* Nothing is known of the code: rbp may be the frame pointer. */
static bool step_blindly(const struct unwind_source *s, struct frame *f)
{
	uint64_t *reg = f->regs->reg;
	uint64_t at = reg[UNWIND_RBP], caller;

	if (!f->is_exact && is_sigreturn(s, f->regs->pc))
		return step_signal(s, f, reg[UNWIND_RSP]);
	if (!is_known(f, UNWIND_RBP) || at < reg[UNWIND_RSP] ||
	    !read_word(s, at, &caller) || !read_word(s, at + WORD, &f->regs->pc))
		return false;
	reg[UNWIND_RBP] = caller;
	reg[UNWIND_RSP] = at + 2 * WORD;
	f->known = 1u << UNWIND_RBP | 1u << UNWIND_RSP;
	f->is_exact = false;
	return true;
}

static bool find_cfa(const struct unwind_source *s, const struct frame *f,
		     const struct unwind_row *row, uint64_t *cfa)
{
	*cfa = f->regs->reg[row->reg] + (uint64_t)(int64_t)row->cfa;
	if (row->form == UNWIND_DEREF) {
		if (!read_word(s, *cfa, cfa))
			return false;
		*cfa += (uint64_t)(int64_t)row->after;
	} else if (row->form == UNWIND_PLT &&
		   (int64_t)(f->regs->pc & 15) >= row->after) {
		*cfa += WORD;
	}
	return true;
}

static bool find_return(const struct unwind_source *s, struct frame *f,
			const struct unwind_row *row, uint64_t cfa)
{
	if (row->form != UNWIND_LINK)
		return read_word(s, cfa - WORD, &f->regs->pc);
	if (row->after < 0 || !is_known(f, (uint32_t)row->after))
		return false;
	f->regs->pc = f->regs->reg[row->after];
	return true;
}

static bool step_by_row(const struct unwind_source *s, struct frame *f,
			const struct unwind_row *row)
{
	uint64_t *reg = f->regs->reg, sp = reg[UNWIND_RSP], base, cfa;

	if (row->form == UNWIND_STOP || !is_known(f, row->reg))
		return false;
	base = reg[row->reg];
	if (row->form == UNWIND_SIGNAL)
		return step_signal(s, f, base + (uint64_t)(int64_t)row->cfa);
	if (!find_cfa(s, f, row, &cfa))
		return false;
	/* Frames follow each other upwards: so the walk ends. */
	if (cfa <= sp && !(f->is_exact && cfa == sp))
		return false;
	if (!find_return(s, f, row, cfa))
		return false;
	restore(s, f, UNWIND_RBP, row->rbp, row->rbp_by_reg ? base : cfa);
	restore(s, f, UNWIND_RBX, row->rbx, row->rbx_by_reg ? base : cfa);
	reg[UNWIND_RSP] = cfa;
	f->known &= 1u << UNWIND_RBP | 1u << UNWIND_RBX | 1u << UNWIND_RSP;
	f->is_exact = false;
	return true;
}

static bool step(const struct unwind_source *s, struct frame *f,
		 const struct unwind_row *row, bool is_edge)
{
	if (row && row->form != UNWIND_NONE)
		return step_by_row(s, f, row);
	return is_edge ? step_edge(s, f) : step_blindly(s, f);
}

uint32_t unwind_walk(const struct unwind_source *s, struct unwind_regs *regs,
		     uint64_t *pcs, uint32_t n)
{
	struct frame f = {
		.regs = regs,
		.known = (UINT32_C(1) << UNWIND_REGISTERS) - 1,
		.is_exact = true,
	};
	uint32_t count = 0;

	while (count < n && regs->pc) {
		const struct unwind_row *row;

		if (pcs)
			pcs[count] = regs->pc;
		if (++count == n)
			break;
		row = s->row(s->ctx, regs->pc - !f.is_exact);
		if (!step(s, &f, row, count == 1 && regs->is_edge))
			break;
	}
	return count;
}
