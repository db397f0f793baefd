/* SPDX-License-Identifier: MIT */
/*
 * How an instruction makes the value of a general register. Vector instructions count as
 * writing none: the few that do make no code address.
 */
#include "disasm/disasm.h"

#include "disasm/encoding.h"
#include "vm/base/bytes.h"

#define ENCODING_REX_R 4

#define BIT(reg) (1u << (reg))
#define RAX	 0
#define RDX	 2

/* Registers that a called function may change: rax, rcx, rdx, rsi, rdi, r8 to r11. */
#define CALL_CHANGES 0x0fc7

struct reading {
	struct encoding e;
	const uint8_t *bytes;
	taddr after;
	unsigned wanted; /* the register */
	struct insn_value *out;
};

static unsigned reg_of(const struct encoding *e)
{
	return encoding_reg(e) | (e->rex & ENCODING_REX_R ? 8u : 0);
}

static unsigned rm_of(const struct encoding *e)
{
	return encoding_rm(e) | (e->rex & ENCODING_REX_B ? 8u : 0);
}

/* The registers of the memory operand's address. */
static uint16_t address_regs(const struct encoding *e)
{
	unsigned index, regs = 0;

	if (encoding_is_rip_relative(e))
		return 0;
	if (!encoding_has_sib(e))
		return (uint16_t)BIT(rm_of(e));
	index = (e->sib >> 3 & 7) | (e->rex & ENCODING_REX_X ? 8u : 0);
	if (index != 4)
		regs |= 1u << index;
	if (encoding_mod(e) || (e->sib & 7) != 5)
		regs |= 1u << ((e->sib & 7) | (e->rex & ENCODING_REX_B ? 8u : 0));
	return (uint16_t)regs;
}

static bool is_indexed(const struct encoding *e)
{
	return encoding_has_sib(e) &&
	       ((e->sib >> 3 & 7) != 4 || e->rex & ENCODING_REX_X);
}

static unsigned operand_size(const struct encoding *e, bool is_byte)
{
	if (is_byte)
		return 1;
	if (e->rex & ENCODING_REX_W)
		return 8;
	return e->opsize16 ? 2 : 4;
}

static int64_t signed_field(const struct reading *r, unsigned offset, unsigned size)
{
	uint64_t v = bytes_load(r->bytes + offset, size);

	return size == 8 ? (int64_t)v : size == 4 ? (int32_t)v : (int8_t)v;
}

static void makes(struct reading *r, unsigned regs)
{
	if (regs & BIT(r->wanted))
		r->out->source = INSN_MAKES;
}

static void add_from(struct reading *r, unsigned reg)
{
	r->out->from = (uint16_t)(r->out->from | BIT(reg));
}

/* The operand that ModRM names: a register, or so many bytes of memory. */
static void takes_operand(struct reading *r, unsigned size)
{
	if (!encoding_has_mem(&r->e)) {
		add_from(r, rm_of(&r->e));
		return;
	}
	r->out->loaded = (uint8_t)size;
}

/* mov, movzx, movslq to the register that ModRM names second. */
static void moves_to_reg(struct reading *r, unsigned size)
{
	if (reg_of(&r->e) != r->wanted)
		return;
	takes_operand(r, size);
	r->out->source = r->out->loaded ? INSN_LOADS : INSN_COPIES;
}

static bool is_rm(const struct reading *r)
{
	return !encoding_has_mem(&r->e) && rm_of(&r->e) == r->wanted;
}

static void lea(struct reading *r)
{
	const struct encoding *e = &r->e;
	int64_t disp = e->disp_size ? signed_field(r, e->disp_offset, e->disp_size) : 0;

	if (reg_of(e) != r->wanted)
		return;
	r->out->from = address_regs(e);
	r->out->target = taddr_of((uint64_t)disp);
	if (encoding_is_rip_relative(e))
		r->out->target = taddr_add(r->after, disp);
	if (!r->out->from)
		r->out->source = INSN_NAMES;
	else
		r->out->source = is_indexed(e) || disp ? INSN_SUMS : INSN_COPIES;
}

static bool is_logic(unsigned operation)
{
	return operation == 1 || operation == 4 || operation == 6;
}

/* By an immediate or by itself. */
static void changes_wanted(struct reading *r, bool is_sum)
{
	r->out->source = is_sum ? INSN_SUMS : INSN_COPIES;
	r->out->from = (uint16_t)BIT(r->wanted);
}

/* add, or, adc, sbb, and, sub, xor: those of bits keep what the value is made of. */
static void computes(struct reading *r, unsigned operation, bool is_reg)
{
	const unsigned other = is_reg ? rm_of(&r->e) : reg_of(&r->e);
	const bool is_sum = !is_logic(operation);

	if (operation == 7) /* cmp */
		return;
	if (operation == 6 && !encoding_has_mem(&r->e) && other == r->wanted) {
		r->out->source = INSN_NAMES; /* xor with itself: 0 */
		return;
	}
	changes_wanted(r, is_sum);
	if (is_sum && is_reg)
		takes_operand(r, operand_size(&r->e, !(r->e.opcode & 1)));
	else if (is_sum)
		add_from(r, other);
}

static void arithmetic(struct reading *r)
{
	const unsigned operation = r->e.opcode >> 3 & 7, form = r->e.opcode & 7;

	if (form >= 6)
		return;
	if (form >= 4) {
		if (r->wanted == RAX && operation != 7)
			changes_wanted(r, !is_logic(operation));
	} else if (form >= 2) {
		if (reg_of(&r->e) == r->wanted)
			computes(r, operation, true);
	} else if (is_rm(r)) {
		computes(r, operation, false);
	}
}

static void changes(struct reading *r, bool is_sum)
{
	if (is_rm(r))
		changes_wanted(r, is_sum);
}

static void group(struct reading *r)
{
	const unsigned operation = encoding_reg(&r->e);

	switch (r->e.opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		if (operation != 7)
			changes(r, !is_logic(operation));
		break;
	case 0xf6:
	case 0xf7:
		if (operation >= 4)
			makes(r, BIT(RAX) | BIT(RDX));
		else if (operation >= 2)
			changes(r, true);
		break;
	case 0xfe:
	case 0xff:
		if (operation < 2)
			changes(r, true);
		else if (r->e.opcode == 0xff && operation <= 3)
			makes(r, CALL_CHANGES);
		break;
	default: /* shifts; rotations hide an address, and show it */
		changes(r, operation >= 4);
		break;
	}
}

static void moves_immediate(struct reading *r, bool is_to)
{
	if (!is_to)
		return;
	r->out->source = INSN_NAMES;
	r->out->target =
		taddr_of((uint64_t)signed_field(r, r->e.imm_offset, r->e.imm_size));
}

/* The register that the last three bits of the opcode name. */
static unsigned low_of(const struct encoding *e)
{
	return (e->opcode & 7u) | (e->rex & ENCODING_REX_B ? 8u : 0);
}

static void one_byte_rest(struct reading *r)
{
	const uint8_t opcode = r->e.opcode;
	const unsigned low = low_of(&r->e);

	switch (opcode & 0xf8) {
	case 0x58: /* pop */
		makes(r, BIT(low));
		break;
	case 0x90: /* xchg */
		makes(r, opcode == 0x90 ? 0 : BIT(low) | BIT(RAX));
		break;
	case 0xb0:
	case 0xb8:
		moves_immediate(r, low == r->wanted && opcode & 8);
		break;
	case 0xa0: /* an address of 8 bytes, strings */
	case 0xa8:
		makes(r,
		      opcode < 0xa2 || opcode == 0xac || opcode == 0xad ? BIT(RAX) : 0);
		break;
	case 0xd8: /* fnstsw and others */
		makes(r, BIT(RAX));
		break;
	default:
		break;
	}
}

static void one_byte(struct reading *r)
{
	const struct encoding *e = &r->e;

	switch (e->opcode) {
	case 0x63:
		moves_to_reg(r, 4);
		break;
	case 0x69:
	case 0x6b:
		if (reg_of(e) == r->wanted) {
			takes_operand(r, operand_size(e, false));
			r->out->source = INSN_SUMS;
		}
		break;
	case 0x86:
	case 0x87:
		makes(r, BIT(reg_of(e)) | (is_rm(r) ? BIT(r->wanted) : 0));
		break;
	case 0x88:
	case 0x89:
		if (is_rm(r)) {
			r->out->source = INSN_COPIES;
			r->out->from = (uint16_t)BIT(reg_of(e));
		}
		break;
	case 0x8a:
	case 0x8b:
		moves_to_reg(r, operand_size(e, e->opcode == 0x8a));
		break;
	case 0x8d:
		lea(r);
		break;
	case 0x8f:
		makes(r, is_rm(r) ? BIT(r->wanted) : 0);
		break;
	case 0x98:
		r->out->source = r->wanted == RAX ? INSN_COPIES : INSN_KEEPS;
		r->out->from = (uint16_t)BIT(RAX);
		break;
	case 0x99:
		makes(r, BIT(RDX));
		break;
	case 0xc6:
	case 0xc7:
		moves_immediate(r, is_rm(r));
		break;
	case 0xe8:
		makes(r, CALL_CHANGES);
		break;
	default:
		one_byte_rest(r);
		break;
	}
}

static bool is_group(uint8_t opcode)
{
	return (opcode >= 0x80 && opcode <= 0x83) || (opcode & 0xfe) == 0xc0 ||
	       (opcode >= 0xd0 && opcode <= 0xd3) || (opcode & 0xf6) == 0xf6;
}

static void two_bytes(struct reading *r)
{
	const uint8_t opcode = r->e.opcode;

	if ((opcode & 0xf0) == 0x40 || opcode == 0xbc || opcode == 0xbd ||
	    opcode == 0xb8) {
		makes(r, BIT(reg_of(&r->e)));
	} else if ((opcode & 0xf6) == 0xb6) {
		moves_to_reg(r, opcode & 1 ? 2 : 1);
	} else if (opcode == 0xaf) {
		if (reg_of(&r->e) == r->wanted) {
			takes_operand(r, operand_size(&r->e, false));
			r->out->source = INSN_SUMS;
			add_from(r, r->wanted);
		}
	} else if ((opcode & 0xf0) == 0x90 || (opcode & 0xf6) == 0xa4 ||
		   opcode == 0x7e || (opcode & 0xfe) == 0xc0) {
		makes(r, is_rm(r) ? BIT(r->wanted) : 0);
	} else if ((opcode & 0xf8) == 0xc8) { /* bswap */
		makes(r, BIT(low_of(&r->e)));
	} else if (opcode == 0x05 || opcode == 0x31 || opcode == 0xa2) {
		makes(r, CALL_CHANGES);
	}
}

int insn_value(const uint8_t *bytes, size_t n, taddr addr, unsigned reg,
	       struct insn_value *out)
{
	struct reading r = {.bytes = bytes, .wanted = reg, .out = out};
	int err = encoding_read(bytes, n, &r.e);

	*out = (struct insn_value){.source = INSN_KEEPS};
	if (err)
		return err;
	r.after = taddr_add(addr, r.e.len);
	if (r.e.map == ENCODING_0F)
		two_bytes(&r);
	else if (r.e.map != ENCODING_ONE_BYTE)
		return 0;
	else if (r.e.opcode < 0x40)
		arithmetic(&r);
	else if (is_group(r.e.opcode))
		group(&r);
	else
		one_byte(&r);
	return 0;
}
