/* SPDX-License-Identifier: MIT */
/*
 * argN of a site with a note, in a light routine that is made for the site's operands:
 * a constant, a part of a register, or a word of the thread's stack. What lies in other
 * memory, in a vector register or nowhere has no code.
 */
#include "vm/native/translation.h"

/* rax = the register of the target's. */
static void load_live(struct translation *t, uint32_t from)
{
	if (from > X86_R15)
		translation_fail(t);
	else if (from == X86_RSP)
		target_load_sp(t);
	else
		x86_move(t->code, X86_RAX,
			 variable_live(t, (enum x86_reg)from, X86_RAX));
}

static void load_part(struct translation *t, const struct probe_operand *o)
{
	load_live(t, o->base);
	if (o->shift)
		x86_shift_right(t->code, X86_RAX, o->shift);
	x86_narrow(t->code, X86_RAX, X86_RAX, o->size, o->is_signed);
}

/* The shift that multiplies by the scale; 64: there is none. */
static unsigned log2_of_scale(uint32_t scale)
{
	for (unsigned i = 0; i < 4; i++)
		if (scale == 1u << i)
			return i;
	return 64;
}

static void add_index(struct translation *t, const struct probe_operand *o)
{
	const unsigned shift = log2_of_scale(o->scale);
	struct x86_index index = {X86_RDX, (uint8_t)shift};

	if (o->index > X86_R15 || o->index == X86_RSP || shift == 64) {
		translation_fail(t);
		return;
	}
	index.reg = variable_live(t, (enum x86_reg)o->index, X86_RDX);
	x86_address(t->code, X86_RAX, (struct x86_mem){X86_RAX, 0}, index);
}

/* Other registers point elsewhere than to the stack, as a rule: an exit each time. */
static bool is_on_stack(const struct probe_operand *o)
{
	return (o->base == X86_RSP || o->base == X86_RBP) && !o->is_thread_local;
}

static void load_memory(struct translation *t, const struct probe_operand *o)
{
	const uint64_t disp = probe_operand_disp(o);

	if (!is_on_stack(o) || (int64_t)disp != (int32_t)disp) {
		translation_fail(t);
		return;
	}
	load_live(t, o->base);
	if (o->index != PROBE_OPERAND_NO_REG)
		add_index(t, o);
	if (disp)
		x86_add_constant(t->code, X86_RAX, X86_RAX, (int32_t)disp);
	target_load_stack(t, o->size, o->is_signed);
}

void operand_load_argument(struct translation *t, unsigned r, uint32_t index)
{
	const struct probe_operand *o = &t->operands->arg[index];

	switch (o->kind) {
	case PROBE_OPERAND_CONSTANT:
		x86_constant(t->code, X86_RAX,
			     probe_operand_extend(o, probe_operand_disp(o)));
		break;
	case PROBE_OPERAND_REGISTER:
		load_part(t, o);
		break;
	case PROBE_OPERAND_MEMORY:
		load_memory(t, o);
		break;
	default:
		translation_fail(t);
		return;
	}
	translation_write(t, r, X86_RAX);
}
