/* SPDX-License-Identifier: MIT */
#include "hook/move.h"

#include "vm/base/bytes.h"
#include "vm/base/status.h"

#define PUSH_RIP_BYTES 6
#define ADDRESS_BYTES  8

static void add_point(struct move *m, size_t at, taddr pc, int8_t sp_fix)
{
	m->points[m->npoints++] = (struct move_point){(uint8_t)at, pc, sp_fix};
}

static void add_bytes(struct move *m, const void *bytes, size_t n)
{
	bytes_copy(m->bytes + m->n, bytes, n);
	m->n = (uint8_t)(m->n + n);
}

static int add_jmp(struct move *m, taddr to, taddr target)
{
	int err = emit_jmp_rel32(taddr_add(to, m->n), target, m->bytes + m->n);

	m->field = (uint8_t)(m->n + 1);
	m->n = (uint8_t)(m->n + EMIT_JMP_REL32);
	return err;
}

/* 0F 8x rel32 is one byte longer than E9 rel32, so it reaches as far from one on. */
static int move_jcc(const struct insn *in, taddr to, struct move *out)
{
	const uint8_t opcode = 0x0f;
	int err;

	add_point(out, 0, in->addr, 0);
	add_bytes(out, &opcode, 1);
	err = add_jmp(out, to, in->target);
	out->bytes[1] = (uint8_t)(0x80 | in->cc);
	return err;
}

/* Keeps the prefixes, which choose between ecx and rcx. */
static int move_loop(const struct insn *in, taddr to, struct move *out)
{
	static const uint8_t over_jmp[] = {2, 0xeb, EMIT_JMP_REL32};

	add_point(out, 0, in->addr, 0);
	add_bytes(out, in->bytes, (size_t)in->len - 1);
	add_bytes(out, over_jmp, sizeof(over_jmp));
	add_point(out, in->len, taddr_add(in->addr, in->len), 0);
	add_point(out, out->n, in->target, 0);
	return add_jmp(out, to, in->target);
}

/* The operand of the instruction that is added next. */
static void note_operand(struct move *m, const struct insn *in)
{
	if (!in->rip_relative)
		return;
	m->field = (uint8_t)(m->n + in->disp_offset);
	m->is_cut = in->addr32;
}

/* An indirect jump is position-independent but for its operand. */
static int add_indirect(const struct insn *in, taddr to, struct move *out)
{
	struct insn plain = *in;
	uint8_t room[RELOC_MAX];
	const char *reason;
	int n;

	plain.kind = INSN_OTHER;
	n = reloc_copy(&plain, taddr_add(to, out->n), room, sizeof(room), &reason);
	if (n < 0)
		return n;
	note_operand(out, in);
	add_bytes(out, room, (size_t)n);
	return 0;
}

/* FF /2 calls, FF /4 jumps: the operand is the same. No prefix is FF. */
static struct insn call_to_jmp(const struct insn *in)
{
	struct insn jmp = *in;
	size_t i = 0;

	while (jmp.bytes[i] != 0xff)
		i++;
	jmp.bytes[i + 1] = (uint8_t)((jmp.bytes[i + 1] & ~0x38) | 4 << 3);
	return jmp;
}

static int move_call(const struct insn *in, taddr to, struct move *out)
{
	static const uint8_t push_rip[] = {0xff, 0x35, 0, 0, 0, 0};
	taddr after = taddr_add(in->addr, in->len);
	struct insn jmp;
	int err;

	add_point(out, 0, in->addr, 0);
	add_bytes(out, push_rip, sizeof(push_rip));
	add_point(out, out->n, in->addr, 8);
	if (in->kind == INSN_CALL) {
		err = add_jmp(out, to, in->target);
	} else {
		jmp = call_to_jmp(in);
		err = add_indirect(&jmp, to, out);
	}
	if (err)
		return err;
	bytes_store(out->bytes + 2, (uint64_t)(out->n - PUSH_RIP_BYTES), 4);
	bytes_store(out->bytes + out->n, after.v, ADDRESS_BYTES);
	out->n = (uint8_t)(out->n + ADDRESS_BYTES);
	return 0;
}

static int move_plain(const struct insn *in, taddr to, struct move *out)
{
	uint8_t room[RELOC_MAX];
	const char *reason;
	int n = reloc_copy(in, to, room, sizeof(room), &reason);

	if (n < 0)
		return n;
	add_point(out, 0, in->addr, 0);
	note_operand(out, in);
	add_bytes(out, room, (size_t)n);
	return 0;
}

int move_insn(const struct insn *in, taddr to, struct move *out)
{
	*out = (struct move){.is_end = !insn_falls_through(in)};
	switch (in->kind) {
	case INSN_JMP:
		add_point(out, 0, in->addr, 0);
		return add_jmp(out, to, in->target);
	case INSN_JCC:
		return move_jcc(in, to, out);
	case INSN_LOOP:
		return move_loop(in, to, out);
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		out->is_end = true; /* the callee returns to the original place */
		return move_call(in, to, out);
	case INSN_JMP_INDIRECT:
		add_point(out, 0, in->addr, 0);
		return add_indirect(in, to, out);
	case INSN_SYSCALL: /* restartable: its pc must stay a program's own */
		return STATUS_UNSUP;
	default:
		return in->is_endbr ? 0 : move_plain(in, to, out);
	}
}
