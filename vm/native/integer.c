/* SPDX-License-Identifier: MIT */
/* Integers: constants, arithmetic, comparisons. rax has each result. */
#include "vm/native/translation.h"
#include "vm/operand_format.h"

/* rax = register b, *y = where register c is. */
static enum x86_reg operands(struct translation *t, insn_t i)
{
	enum x86_reg y = translation_read(t, isa_c(i), X86_RCX);

	translation_move(t, X86_RAX, isa_b(i));
	return y;
}

static void alu(struct translation *t, insn_t i, enum x86_alu op)
{
	enum x86_reg y = operands(t, i);

	x86_alu(t->code, op, X86_RAX, y);
	translation_write(t, isa_a(i), X86_RAX);
}

static void multiply(struct translation *t, insn_t i)
{
	enum x86_reg y = operands(t, i);

	x86_multiply(t->code, X86_RAX, y);
	translation_write(t, isa_a(i), X86_RAX);
}

static void shift(struct translation *t, insn_t i, enum x86_shift op)
{
	enum x86_reg y = operands(t, i);

	x86_move(t->code, X86_RCX, y);
	x86_shift_cl(t->code, op, X86_RAX);
	translation_write(t, isa_a(i), X86_RAX);
}

/* Only by a constant that cannot fault: not 0, and not -1, which traps for some. */
static void divide(struct translation *t, insn_t i, bool is_signed, bool is_rest)
{
	const struct known_value *by = &t->known[isa_c(i)];
	enum x86_reg y;

	if (by->what != KNOWN_CONSTANT || !by->value ||
	    (is_signed && by->value == UINT64_MAX)) {
		translation_fail(t);
		return;
	}
	y = operands(t, i);
	x86_move(t->code, X86_RCX, y);
	if (is_signed)
		x86_sign_rax(t->code);
	else
		x86_constant(t->code, X86_RDX, 0);
	x86_unary(t->code, is_signed ? X86_IDIV : X86_DIV, X86_RCX);
	translation_write(t, isa_a(i), is_rest ? X86_RDX : X86_RAX);
}

static void unary(struct translation *t, insn_t i, enum x86_unary op)
{
	translation_move(t, X86_RAX, isa_b(i));
	x86_unary(t->code, op, X86_RAX);
	translation_write(t, isa_a(i), X86_RAX);
}

static bool may_use(insn_t i, unsigned r)
{
	const struct operand_format *f = operand_format_of((enum isa_op)isa_op(i));

	return f->a == OPERAND_FIRST || f->b == OPERAND_FIRST ||
	       f->c == OPERAND_FIRST || (f->a == OPERAND_USE && isa_a(i) == r) ||
	       (f->b == OPERAND_USE && isa_b(i) == r) ||
	       (f->c == OPERAND_USE && isa_c(i) == r);
}

/* Where the instruction at this place may go on but after itself, in the clause; or 0. */
static uint32_t way_of(const struct translation *t, uint32_t at, insn_t i)
{
	const bool jumps =
		isa_op(i) == OP_JMP || isa_op(i) == OP_JZ || isa_op(i) == OP_JNZ;
	const uint32_t to = at + 1 + (uint32_t)isa_imm(i);

	return jumps && to < t->end ? to : 0;
}

/* Whether register r is written before it is used, on all ways from the jump there. */
static bool is_dead_after(const struct translation *t, const insn_t *code, unsigned r)
{
	uint32_t farthest = way_of(t, t->at + 1, code[t->at + 1]);

	for (uint32_t k = t->at + 2; k < t->end; k++) {
		const struct operand_format *f =
			operand_format_of((enum isa_op)isa_op(code[k]));

		if (may_use(code[k], r))
			return false;
		if (f->a == OPERAND_DEF && isa_a(code[k]) == r && farthest <= k)
			return true;
		farthest = max_u32(farthest, way_of(t, k, code[k]));
	}
	return true;
}

/* The next instruction jumps by register r, and no other needs its value. */
static bool only_decides(const struct translation *t, unsigned r)
{
	const insn_t *code = program_section(t->image, SECTION_CODE);
	const insn_t next = code[t->at + 1];

	if (t->at + 1 >= t->end || isa_a(next) != r ||
	    (isa_op(next) != OP_JZ && isa_op(next) != OP_JNZ))
		return false;
	for (uint32_t k = 0; k < t->njumps; k++)
		if (t->jumps[k].to == t->at + 1)
			return false;
	return is_dead_after(t, code, r);
}

/* Register a = whether the flags meet the condition. */
static void decide(struct translation *t, insn_t i, enum x86_condition condition)
{
	if (only_decides(t, isa_a(i))) {
		t->known[isa_a(i)] = (struct known_value){KNOWN_NOTHING, 0};
		t->is_decided = true;
		t->decision = condition;
		return;
	}
	x86_set(t->code, condition, X86_RAX);
	translation_write(t, isa_a(i), X86_RAX);
}

static void compare(struct translation *t, insn_t i, enum x86_condition condition)
{
	enum x86_reg y = translation_read(t, isa_c(i), X86_RCX);
	enum x86_reg x = translation_read(t, isa_b(i), X86_RAX);

	x86_alu(t->code, X86_CMP, x, y);
	decide(t, i, condition);
}

static void not(struct translation * t, insn_t i)
{
	enum x86_reg x = translation_read(t, isa_b(i), X86_RAX);

	x86_alu(t->code, X86_TEST, x, x);
	decide(t, i, X86_EQUAL);
}

static void narrow(struct translation *t, insn_t i, bool is_signed)
{
	enum x86_reg x = translation_read(t, isa_b(i), X86_RAX);

	x86_narrow(t->code, X86_RAX, x, isa_c(i), is_signed);
	translation_write(t, isa_a(i), X86_RAX);
}

/* Constants, and what moves one. */
static bool move(struct translation *t, insn_t i)
{
	const uint64_t *constants = program_section(t->image, SECTION_CONST);
	uint64_t imm = (uint64_t)(int64_t)isa_imm(i);

	switch ((int)isa_op(i)) {
	case OP_LI:
		translation_set(t, isa_a(i), imm);
		return true;
	case OP_LC:
		translation_set(t, isa_a(i), constants[imm]);
		return true;
	case OP_MOV:
		if (t->known[isa_b(i)].what == KNOWN_CONSTANT) {
			translation_set(t, isa_a(i), t->known[isa_b(i)].value);
			return true;
		}
		if (!translation_is_string(t, isa_b(i))) {
			translation_move(t, X86_RAX, isa_b(i));
			translation_write(t, isa_a(i), X86_RAX);
		}
		t->known[isa_a(i)] = t->known[isa_b(i)];
		return true;
	case OP_ADDI:
		x86_constant(t->code, X86_RAX, imm);
		x86_alu(t->code, X86_ADD, X86_RAX,
			translation_read(t, isa_b(i), X86_RCX));
		translation_write(t, isa_a(i), X86_RAX);
		return true;
	default:
		return false;
	}
}

static bool arithmetic(struct translation *t, insn_t i)
{
	switch ((int)isa_op(i)) {
	case OP_ADD:
		return alu(t, i, X86_ADD), true;
	case OP_SUB:
		return alu(t, i, X86_SUB), true;
	case OP_AND:
		return alu(t, i, X86_AND), true;
	case OP_OR:
		return alu(t, i, X86_OR), true;
	case OP_XOR:
		return alu(t, i, X86_XOR), true;
	case OP_MUL:
		return multiply(t, i), true;
	case OP_SHL:
		return shift(t, i, X86_SHL), true;
	case OP_SHR:
		return shift(t, i, X86_SHR), true;
	case OP_SAR:
		return shift(t, i, X86_SAR), true;
	case OP_DIVS:
	case OP_REMS:
		return divide(t, i, true, isa_op(i) == OP_REMS), true;
	case OP_DIVU:
	case OP_REMU:
		return divide(t, i, false, isa_op(i) == OP_REMU), true;
	default:
		return false;
	}
}

void translate_integer(struct translation *t, insn_t i)
{
	if (move(t, i) || arithmetic(t, i))
		return;
	switch ((int)isa_op(i)) {
	case OP_NEG:
		unary(t, i, X86_NEG);
		break;
	case OP_NOT:
		unary(t, i, X86_NOT);
		break;
	case OP_LNOT:
		not(t, i);
		break;
	case OP_EXTS:
	case OP_EXTU:
		narrow(t, i, isa_op(i) == OP_EXTS);
		break;
	case OP_SEQ:
		compare(t, i, X86_EQUAL);
		break;
	case OP_SNE:
		compare(t, i, X86_NOT_EQUAL);
		break;
	case OP_SLTS:
		compare(t, i, X86_LESS);
		break;
	case OP_SLES:
		compare(t, i, X86_LESS_OR_EQUAL);
		break;
	case OP_SLTU:
		compare(t, i, X86_BELOW);
		break;
	case OP_SLEU:
		compare(t, i, X86_BELOW_OR_EQUAL);
		break;
	default:
		translation_fail(t);
	}
}
