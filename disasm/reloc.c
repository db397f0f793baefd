/* SPDX-License-Identifier: MIT */
#include "disasm/disasm.h"

#include "vm/base/bytes.h"
#include "vm/base/status.h"

#include <assert.h>

static const char *interrupt_reason(const struct insn *in)
{
	if (in->opcode == 0xcd)
		return "it is a software interrupt";
	return "it is a trap instruction (int3, int1) of the program itself";
}

static const char *transaction_reason(const struct insn *in)
{
	if (in->opcode == 0xc7)
		return "it begins a transaction, which a breakpoint would abort";
	return "it belongs to a transaction, which a breakpoint would abort";
}

const char *insn_refusal(const struct insn *in)
{
	switch (in->kind) {
	case INSN_INT:
		return interrupt_reason(in);
	case INSN_FAR:
		return "it changes the code segment or the privilege level";
	case INSN_TRANSACTION:
		return transaction_reason(in);
	case INSN_SYSCALL:
		if (in->opcode != 0x05)
			return "it is sysenter, which returns elsewhere";
		return NULL;
	default:
		return NULL;
	}
}

/* Why a copy of the bytes has another effect elsewhere; NULL if it has not. */
static const char *copy_refusal(const struct insn *in)
{
	switch (in->kind) {
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
		return "it is a jump: its target is relative, so it must be emulated";
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return "it is a call: it pushes its own address, so it must be "
		       "emulated";
	case INSN_JMP_INDIRECT:
		return "it is an indirect jump, which must be emulated";
	default:
		return insn_refusal(in);
	}
}

/*
 * The operand does not move, so the displacement changes by the distance from the copy
 * to the original. With prefix 67 the processor truncates the sum to 32 bits: then any
 * displacement reaches.
 */
static int move_displacement(const struct insn *in, taddr to, uint8_t *out)
{
	int32_t disp = (int32_t)bytes_load(in->bytes + in->disp_offset, 4);
	int64_t moved = (int64_t)(in->addr.v - to.v + (uint64_t)(int64_t)disp);

	if (moved != (int32_t)moved && !in->addr32)
		return STATUS_RANGE;
	bytes_store(out + in->disp_offset, (uint64_t)moved, 4);
	return 0;
}

int reloc_copy(const struct insn *in, taddr to, uint8_t *out, size_t cap,
	       const char **reason)
{
	int err;

	*reason = copy_refusal(in);
	if (*reason)
		return STATUS_UNSUP;
	assert(cap >= RELOC_MAX);
	bytes_copy(out, in->bytes, in->len);
	if (in->kind == INSN_SYSCALL) {
		/* syscall leaves the address after it in rcx, which programs may read */
		taddr after = taddr_add(in->addr, in->len);

		return in->len + (int)emit_mov_rcx(after.v, out + in->len);
	}
	err = in->rip_relative ? move_displacement(in, to, out) : 0;
	if (err) {
		*reason = "its operand is out of reach from the copy";
		return err;
	}
	return in->len;
}
