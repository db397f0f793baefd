/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/step.h"

#include "vm/base/bytes.h"
#include "vm/base/status.h"

#include <assert.h>

enum {
	FLAG_CF = 1 << 0,
	FLAG_PF = 1 << 2,
	FLAG_ZF = 1 << 6,
	FLAG_SF = 1 << 7,
	FLAG_OF = 1 << 11
};

/* Registers by hardware number; rip is not among them. */
static uint64_t *register_of(struct regs *r, uint8_t number)
{
	uint64_t *const by_number[] = {
		&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi,
		&r->r8,	 &r->r9,  &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15,
	};

	assert(number < ARRAY_LEN(by_number));
	return by_number[number];
}

static uint64_t register_value(const struct regs *regs, uint8_t number)
{
	struct regs copy = *regs;

	return *register_of(&copy, number);
}

static taddr after(const struct insn *in)
{
	return taddr_add(in->addr, in->len);
}

enum step_how step_plan(const struct insn *in, const char **reason)
{
	*reason = insn_refusal(in);
	if (*reason)
		return STEP_REFUSE;
	switch (in->kind) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_CALL:
	case INSN_JMP_INDIRECT:
	case INSN_CALL_INDIRECT:
		return STEP_EMULATE;
	default:
		return in->is_nop || in->is_endbr ? STEP_EMULATE : STEP_XOL;
	}
}

int step_build_slot(const struct insn *in, taddr to, uint8_t out[STEP_SLOT_MAX],
		    uint8_t *insn_len)
{
	const char *reason;
	int n = reloc_copy(in, to, out, STEP_SLOT_MAX, &reason);

	if (n < 0)
		return n;
	*insn_len = in->len;
	if (in->kind == INSN_RET)
		return n;
	if (emit_jmp_rel32(taddr_add(to, n), after(in), out + n) == 0)
		return n + EMIT_JMP_REL32;
	return n + (int)emit_jmp_abs(after(in), out + n);
}

bool step_pc_fixup(const struct insn *in, taddr slot, size_t slot_len,
		   struct regs *regs)
{
	taddr pc = taddr_of(regs->rip);

	if (!taddr_in(pc, slot, taddr_add(slot, (int64_t)slot_len)))
		return false;
	if (pc.v == slot.v) {
		regs->rip = in->addr.v;
		return true;
	}
	regs->rip = after(in).v;
	if (in->kind == INSN_SYSCALL)
		regs->rcx = regs->rip;
	return true;
}

/* Intel SDM vol. 2, appendix B, table B-10: the low bit of cc negates. */
static bool is_condition_true(uint8_t cc, uint64_t flags)
{
	bool less = !(flags & FLAG_SF) != !(flags & FLAG_OF);
	bool truth = false;

	switch (cc >> 1) {
	case 0:
		truth = flags & FLAG_OF;
		break;
	case 1:
		truth = flags & FLAG_CF;
		break;
	case 2:
		truth = flags & FLAG_ZF;
		break;
	case 3:
		truth = flags & (FLAG_CF | FLAG_ZF);
		break;
	case 4:
		truth = flags & FLAG_SF;
		break;
	case 5:
		truth = flags & FLAG_PF;
		break;
	case 6:
		truth = less;
		break;
	default:
		truth = less || (flags & FLAG_ZF);
		break;
	}
	return truth != (cc & 1);
}

/* rcx as the instruction leaves it; a 32-bit result clears the upper half. */
static uint64_t loop_count(const struct insn *in, const struct regs *regs)
{
	uint64_t count = in->cc == 3 ? regs->rcx : regs->rcx - 1;

	return in->addr32 && in->cc != 3 ? (uint32_t)count : count;
}

static bool is_loop_taken(const struct insn *in, const struct regs *regs)
{
	uint64_t count = loop_count(in, regs);
	bool zero = regs->flags & FLAG_ZF;

	if (in->addr32)
		count = (uint32_t)count;
	switch (in->cc) {
	case 0:
		return count != 0 && !zero;
	case 1:
		return count != 0 && zero;
	case 2:
		return count != 0;
	default:
		return count == 0;
	}
}

static taddr operand_address(const struct insn *in, const struct regs *regs)
{
	const struct insn_mem *m = &in->mem;
	uint64_t sum = (uint64_t)m->disp;

	if (m->base == INSN_REG_RIP)
		sum += after(in).v;
	else if (m->base != INSN_NO_REG)
		sum += register_value(regs, m->base);
	if (m->index != INSN_NO_REG)
		sum += register_value(regs, m->index) * m->scale;
	if (in->addr32)
		sum = (uint32_t)sum;
	if (m->segment)
		sum += m->segment == 'f' ? regs->fs_base : regs->gs_base;
	return taddr_of(sum);
}

static int load(const struct step_memory *mem, taddr from, taddr *out)
{
	uint8_t raw[8];

	if (mem->read(mem->ctx, from, raw, sizeof(raw)) != 0)
		return STATUS_FAULT;
	*out = taddr_of(bytes_load(raw, sizeof(raw)));
	return 0;
}

static int indirect_target(const struct insn *in, const struct regs *regs,
			   const struct step_memory *mem, taddr *target)
{
	if (in->reg == INSN_NO_REG)
		return load(mem, operand_address(in, regs), target);
	*target = taddr_of(register_value(regs, in->reg));
	return 0;
}

/*
 * The branch itself faults on such a target, with rip still on it; a thread
 * sent there would fault at the target instead. With 57-bit addresses the
 * hardware accepts more, so this errs on the side of running it natively.
 */
static bool is_canonical(taddr a)
{
	return (uint64_t)((int64_t)(a.v << 16) >> 16) == a.v;
}

static int raw_target(const struct insn *in, const struct regs *regs,
		      const struct step_memory *mem, taddr *target)
{
	bool taken = true;

	switch (in->kind) {
	case INSN_JCC:
		taken = is_condition_true(in->cc, regs->flags);
		break;
	case INSN_LOOP:
		taken = is_loop_taken(in, regs);
		break;
	case INSN_JMP:
	case INSN_CALL:
		break;
	case INSN_JMP_INDIRECT:
	case INSN_CALL_INDIRECT:
		return indirect_target(in, regs, mem, target);
	case INSN_RET:
		return load(mem, taddr_of(regs->rsp), target);
	case INSN_OTHER:
	case INSN_SYSCALL:
		taken = false;
		break;
	default:
		return STATUS_UNSUP;
	}
	*target = taken ? in->target : after(in);
	return 0;
}

int step_target(const struct insn *in, const struct regs *regs,
		const struct step_memory *mem, taddr *target)
{
	int err = raw_target(in, regs, mem, target);

	if (err)
		return err;
	return is_canonical(*target) ? 0 : STATUS_FAULT;
}

static int push_return(const struct insn *in, struct regs *regs,
		       const struct step_memory *mem)
{
	uint8_t raw[8];

	bytes_store(raw, after(in).v, sizeof(raw));
	if (mem->write(mem->ctx, taddr_of(regs->rsp - 8), raw, sizeof(raw)) != 0)
		return STATUS_FAULT;
	regs->rsp -= 8;
	return 0;
}

int step_emulate(const struct insn *in, struct regs *regs,
		 const struct step_memory *mem)
{
	taddr target;
	int err;

	assert(regs->rip == in->addr.v);
	err = step_target(in, regs, mem, &target);
	if (err)
		return err;
	/* The target is known first: call *%rsp and call *(%rsp) use the old rsp. */
	if (in->kind == INSN_CALL || in->kind == INSN_CALL_INDIRECT)
		err = push_return(in, regs, mem);
	if (err)
		return err;
	if (in->kind == INSN_LOOP)
		regs->rcx = loop_count(in, regs);
	regs->rip = target.v;
	return 0;
}

bool step_needs_regs(const struct insn *in)
{
	return in->kind != INSN_OTHER && in->kind != INSN_JMP;
}
