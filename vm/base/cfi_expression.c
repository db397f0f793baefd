/* SPDX-License-Identifier: MIT */
#include "vm/base/cfi_expression.h"
#include "vm/base/bytes.h"

#define STACK_MAX 16

/* Operations (DWARF 5, 7.7.1). */
enum operation {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_NOP = 0x96,
};

struct machine {
	const struct unwind_source *source;
	const struct walk_frame *frame;
	const uint8_t *p, *end;
	uint64_t stack[STACK_MAX];
	size_t n;
};

static bool push(struct machine *m, uint64_t value)
{
	if (m->n == STACK_MAX)
		return false;
	m->stack[m->n++] = value;
	return true;
}

static bool pop(struct machine *m, uint64_t *value)
{
	if (!m->n)
		return false;
	*value = m->stack[--m->n];
	return true;
}

static bool read_fixed(struct machine *m, size_t n, bool is_signed, uint64_t *value)
{
	if ((size_t)(m->end - m->p) < n)
		return false;
	*value = bytes_load(m->p, n);
	m->p += n;
	if (is_signed && n < sizeof(*value) && *value >> (8 * n - 1))
		*value |= UINT64_MAX << 8 * n;
	return true;
}

static bool read_leb(struct machine *m, bool is_signed, uint64_t *value)
{
	unsigned shift = 0;
	uint8_t byte = 0x80;

	*value = 0;
	for (; byte & 0x80; shift += 7) {
		if (m->p == m->end)
			return false;
		byte = *m->p++;
		if (shift < 64)
			*value |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (is_signed && byte & 0x40 && shift < 64)
		*value |= UINT64_MAX << shift;
	return true;
}

/* const1u, const1s, const2u and so on, constu, consts */
static bool run_constant(struct machine *m, uint8_t op)
{
	bool is_signed = op & 1;
	uint64_t value;

	return (op >= OP_CONSTU ? read_leb(m, is_signed, &value)
				: read_fixed(m, (size_t)1 << (op - OP_CONST1U) / 2,
					     is_signed, &value)) &&
	       push(m, value);
}

/* A register and an offset. */
static bool run_register(struct machine *m, uint32_t reg)
{
	uint64_t offset;

	if (!read_leb(m, true, &offset))
		return false;
	if (reg == REGS_DWARF_RETURN)
		return push(m, m->frame->regs->pc + offset);
	return walk_is_known(m->frame, reg) &&
	       push(m, m->frame->regs->reg[reg] + offset);
}

static bool run_stack(struct machine *m, uint8_t op)
{
	uint64_t at = op == OP_OVER, value;

	if (op == OP_DROP)
		return pop(m, &value);
	if (op == OP_SWAP) {
		if (m->n < 2)
			return false;
		value = m->stack[m->n - 1];
		m->stack[m->n - 1] = m->stack[m->n - 2];
		m->stack[m->n - 2] = value;
		return true;
	}
	if (op == OP_PICK && !read_fixed(m, 1, false, &at))
		return false;
	return at < m->n && push(m, m->stack[m->n - 1 - at]);
}

static bool run_unary(struct machine *m, uint8_t op)
{
	uint64_t value, more = 0;

	if (!pop(m, &value))
		return false;
	switch (op) {
	case OP_DEREF:
		return walk_read_word(m->source, value, &value) && push(m, value);
	case OP_ABS:
		return push(m, (int64_t)value < 0 ? 0 - value : value);
	case OP_NEG:
		return push(m, 0 - value);
	case OP_NOT:
		return push(m, ~value);
	default: /* OP_PLUS_UCONST */
		return read_leb(m, false, &more) && push(m, value + more);
	}
}

static uint64_t shift_signed(uint64_t value, uint64_t by)
{
	uint64_t sign = (int64_t)value < 0 ? UINT64_MAX : 0;

	if (by > 63)
		return sign;
	return by ? value >> by | sign << (64 - by) : value;
}

static bool compare(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case OP_EQ:
		return a == b;
	case OP_GE:
		return a >= b;
	case OP_GT:
		return a > b;
	case OP_LE:
		return a <= b;
	case OP_LT:
		return a < b;
	default: /* OP_NE */
		return a != b;
	}
}

/* Division is signed, the remainder is not. A division by -1 wraps. */
static bool divide(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	if (!b)
		return false;
	if (op == OP_MOD)
		return push(m, a % b);
	return push(m, b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b));
}

static bool run_binary(struct machine *m, uint8_t op)
{
	uint64_t a, b;

	if (!pop(m, &b) || !pop(m, &a))
		return false;
	switch (op) {
	case OP_AND:
		return push(m, a & b);
	case OP_DIV:
	case OP_MOD:
		return divide(m, op, a, b);
	case OP_MINUS:
		return push(m, a - b);
	case OP_MUL:
		return push(m, a * b);
	case OP_OR:
		return push(m, a | b);
	case OP_PLUS:
		return push(m, a + b);
	case OP_SHL:
		return push(m, b > 63 ? 0 : a << b);
	case OP_SHR:
		return push(m, b > 63 ? 0 : a >> b);
	case OP_SHRA:
		return push(m, shift_signed(a, b));
	case OP_XOR:
		return push(m, a ^ b);
	default:
		return op >= OP_EQ && op <= OP_NE &&
		       push(m, compare(op, (int64_t)a, (int64_t)b));
	}
}

static bool is_unary(uint8_t op)
{
	return op == OP_DEREF || op == OP_ABS || op == OP_NEG || op == OP_NOT ||
	       op == OP_PLUS_UCONST;
}

static bool run_one(struct machine *m, uint8_t op)
{
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(m, op - (uint64_t)OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return run_register(m, op - (uint32_t)OP_BREG0);
	if (op >= OP_CONST1U && op <= OP_CONSTS)
		return run_constant(m, op);
	if (op >= OP_DUP && op <= OP_SWAP)
		return run_stack(m, op);
	if (is_unary(op))
		return run_unary(m, op);
	return op == OP_NOP || run_binary(m, op);
}

/* The bytes, which are in pieces behind the module's rows. */
static bool collect(const struct cfi_module *m, const struct cfi_row *row,
		    uint8_t bytes[CFI_EXPRESSION_MAX])
{
	const struct cfi_piece *all = (const void *)(uintptr_t)m->rows;
	size_t n = (size_t)row->after;
	uint64_t first = (uint32_t)row->cfa;

	if (row->after <= 0 || n > CFI_EXPRESSION_MAX || first >= m->nrows ||
	    (n - 1) / CFI_PIECE >= m->nrows - first)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct cfi_piece *piece = &all[first + i / CFI_PIECE];

		if (piece->pc < m->hi - m->lo)
			return false;
		bytes[i] = piece->bytes[i % CFI_PIECE];
	}
	return true;
}

bool cfi_expression_cfa(const struct cfi_module *module, const struct cfi_row *row,
			const struct unwind_source *s, const struct walk_frame *f,
			uint64_t *cfa)
{
	uint8_t bytes[CFI_EXPRESSION_MAX];
	struct machine m;

	/* Not an initializer: the stack of it would be zeroed by memset(). */
	m.source = s;
	m.frame = f;
	m.p = bytes;
	m.n = 0;
	if (!collect(module, row, bytes))
		return false;
	m.end = bytes + row->after;
	while (m.p < m.end) {
		uint8_t op = *m.p++;

		if (!run_one(&m, op))
			return false;
	}
	return pop(&m, cfa);
}
