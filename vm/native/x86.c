/* SPDX-License-Identifier: MIT */
#include "vm/native/x86.h"
#include "vm/base/bytes.h"

enum { REX = 0x40, REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };
enum { MODE_AT_DISP8 = 1, MODE_AT_DISP32 = 2, MODE_REGISTER = 3 };

static void add_bytes(struct x86_code *c, uint64_t value, unsigned n)
{
	if (c->full || X86_CODE_MAX - c->n < n) {
		c->full = true;
		return;
	}
	bytes_store(c->bytes + c->n, value, n);
	c->n += n;
}

static void add_byte(struct x86_code *c, unsigned value)
{
	add_bytes(c, value, 1);
}

static void note_written(struct x86_code *c, enum x86_reg r)
{
	c->written |= UINT32_C(1) << r;
}

static void add_modrm(struct x86_code *c, unsigned mode, unsigned reg, unsigned rm)
{
	add_byte(c, mode << 6 | (reg & 7) << 3 | (rm & 7));
}

/* A prefix only where it says something. */
static void add_rex(struct x86_code *c, unsigned wide, unsigned reg, unsigned rm)
{
	unsigned rex = wide | (reg > 7 ? REX_R : 0u) | (rm > 7 ? REX_B : 0u);

	if (rex)
		add_byte(c, REX | rex);
}

/* op r/m64, r64 with both in registers; reg may be a field of the opcode. */
static void add_registers(struct x86_code *c, unsigned opcode, unsigned reg,
			  enum x86_reg rm)
{
	add_rex(c, REX_W, reg, rm);
	add_byte(c, opcode);
	add_modrm(c, MODE_REGISTER, reg, rm);
}

/* The operand in memory; rsp and r12 as base take a SIB byte. */
static void add_memory(struct x86_code *c, unsigned reg, struct x86_mem m)
{
	bool is_short = m.at == (int8_t)m.at;

	add_modrm(c, is_short ? MODE_AT_DISP8 : MODE_AT_DISP32, reg, m.base);
	if ((m.base & 7) == X86_RSP)
		add_byte(c, 0x24);
	add_bytes(c, (uint32_t)m.at, is_short ? 1 : 4);
}

static void add_access(struct x86_code *c, unsigned wide, unsigned opcode, unsigned reg,
		       struct x86_mem m)
{
	add_rex(c, wide, reg, m.base);
	add_byte(c, opcode);
	add_memory(c, reg, m);
}

void x86_move(struct x86_code *c, enum x86_reg to, enum x86_reg from)
{
	if (to == from)
		return;
	note_written(c, to);
	add_registers(c, 0x89, from, to);
}

void x86_constant(struct x86_code *c, enum x86_reg to, uint64_t value)
{
	bool is_negative = (int64_t)value == (int32_t)value && (int64_t)value < 0;

	note_written(c, to);
	add_rex(c, is_negative || value > UINT32_MAX ? REX_W : 0u, 0, to);
	if (is_negative) {
		add_byte(c, 0xc7);
		add_modrm(c, MODE_REGISTER, 0, to);
	} else {
		add_byte(c, 0xb8 | (to & 7u));
	}
	add_bytes(c, value, is_negative || value <= UINT32_MAX ? 4 : 8);
}

void x86_load(struct x86_code *c, enum x86_reg to, struct x86_mem from)
{
	note_written(c, to);
	add_access(c, REX_W, 0x8b, to, from);
}

void x86_load32(struct x86_code *c, enum x86_reg to, struct x86_mem from)
{
	note_written(c, to);
	add_access(c, 0, 0x8b, to, from);
}

/* Of movzx and movsx from 1 or 2 bytes. */
static unsigned extension(unsigned size, bool is_signed)
{
	return (size == 1 ? 0xb6u : 0xb7u) | (is_signed ? 8u : 0u);
}

void x86_load_part(struct x86_code *c, enum x86_reg to, struct x86_mem from,
		   unsigned size, bool is_signed)
{
	const unsigned opcode = extension(size, is_signed);

	note_written(c, to);
	if (size == 8) {
		x86_load(c, to, from);
	} else if (size == 4) {
		add_access(c, is_signed ? REX_W : 0u, is_signed ? 0x63 : 0x8b, to,
			   from);
	} else {
		add_rex(c, REX_W, to, from.base);
		add_bytes(c, 0x0f | opcode << 8, 2);
		add_memory(c, to, from);
	}
}

void x86_store(struct x86_code *c, struct x86_mem to, enum x86_reg from)
{
	add_access(c, REX_W, 0x89, from, to);
}

void x86_store32(struct x86_code *c, struct x86_mem to, enum x86_reg from)
{
	add_access(c, 0, 0x89, from, to);
}

void x86_store_constant(struct x86_code *c, struct x86_mem to, int32_t value)
{
	add_access(c, REX_W, 0xc7, 0, to);
	add_bytes(c, (uint32_t)value, 4);
}

void x86_store32_constant(struct x86_code *c, struct x86_mem to, int32_t value)
{
	add_access(c, 0, 0xc7, 0, to);
	add_bytes(c, (uint32_t)value, 4);
}

void x86_address(struct x86_code *c, enum x86_reg to, struct x86_mem base,
		 struct x86_index index)
{
	unsigned rex = REX | REX_W | (to > 7 ? REX_R : 0u) |
		       (index.reg > 7 ? REX_X : 0u) | (base.base > 7 ? REX_B : 0u);

	note_written(c, to);
	add_byte(c, rex);
	add_byte(c, 0x8d);
	add_modrm(c, MODE_AT_DISP32, to, X86_RSP);
	add_byte(c, (unsigned)index.log2_scale << 6 | (index.reg & 7u) << 3 |
			    (base.base & 7u));
	add_bytes(c, (uint32_t)base.at, 4);
}

void x86_alu(struct x86_code *c, enum x86_alu op, enum x86_reg to, enum x86_reg from)
{
	if (op != X86_CMP && op != X86_TEST)
		note_written(c, to);
	add_registers(c, op, from, to);
}

void x86_alu_from(struct x86_code *c, enum x86_alu op, enum x86_reg to,
		  struct x86_mem from)
{
	if (op != X86_CMP)
		note_written(c, to);
	add_access(c, REX_W, op | 2u, to, from);
}

void x86_alu_to(struct x86_code *c, enum x86_alu op, struct x86_mem to,
		enum x86_reg from)
{
	add_access(c, REX_W, op, from, to);
}

void x86_add_locked(struct x86_code *c, struct x86_mem to, enum x86_reg from)
{
	add_byte(c, 0xf0);
	x86_alu_to(c, X86_ADD, to, from);
}

void x86_multiply32(struct x86_code *c, enum x86_reg to, enum x86_reg from,
		    uint32_t value)
{
	note_written(c, to);
	add_rex(c, 0, to, from);
	add_byte(c, 0x69);
	add_modrm(c, MODE_REGISTER, to, from);
	add_bytes(c, value, 4);
}

void x86_shift_right32(struct x86_code *c, enum x86_reg r, uint8_t n)
{
	note_written(c, r);
	add_rex(c, 0, 0, r);
	add_byte(c, 0xc1);
	add_modrm(c, MODE_REGISTER, X86_SHR, r);
	add_byte(c, n);
}

void x86_and32(struct x86_code *c, enum x86_reg r, uint32_t value)
{
	note_written(c, r);
	add_rex(c, 0, 0, r);
	add_byte(c, 0x81);
	add_modrm(c, MODE_REGISTER, 4, r);
	add_bytes(c, value, 4);
}

void x86_compare32(struct x86_code *c, enum x86_reg r, uint32_t value)
{
	add_rex(c, 0, 0, r);
	add_byte(c, 0x81);
	add_modrm(c, MODE_REGISTER, 7, r);
	add_bytes(c, value, 4);
}

void x86_add32(struct x86_code *c, enum x86_reg to, uint32_t value)
{
	note_written(c, to);
	add_rex(c, 0, 0, to);
	add_byte(c, 0x81);
	add_modrm(c, MODE_REGISTER, 0, to);
	add_bytes(c, value, 4);
}

void x86_add_constant(struct x86_code *c, enum x86_reg to, enum x86_reg from,
		      int32_t value)
{
	note_written(c, to);
	add_access(c, REX_W, 0x8d, to, (struct x86_mem){from, value});
}

void x86_highest_bit(struct x86_code *c, enum x86_reg to, enum x86_reg from)
{
	note_written(c, to);
	add_rex(c, REX_W, to, from);
	add_bytes(c, 0xbd0f, 2);
	add_modrm(c, MODE_REGISTER, to, from);
}

void x86_lowest_bit(struct x86_code *c, enum x86_reg to, enum x86_reg from)
{
	note_written(c, to);
	add_rex(c, REX_W, to, from);
	add_bytes(c, 0xbc0f, 2);
	add_modrm(c, MODE_REGISTER, to, from);
}

void x86_processor(struct x86_code *c, enum x86_reg r)
{
	note_written(c, r);
	add_byte(c, 0xf3); /* rdpid */
	add_rex(c, 0, 0, r);
	add_bytes(c, 0xc70f, 2);
	add_modrm(c, MODE_REGISTER, 7, r);
}

void x86_segment_limit(struct x86_code *c, enum x86_reg r)
{
	note_written(c, r);
	add_rex(c, 0, r, r);
	add_bytes(c, 0x030f, 2);
	add_modrm(c, MODE_REGISTER, r, r);
}

void x86_move_if(struct x86_code *c, enum x86_condition condition, enum x86_reg to,
		 enum x86_reg from)
{
	note_written(c, to);
	add_rex(c, REX_W, to, from);
	add_bytes(c, 0x0f | (0x40u | condition) << 8, 2);
	add_modrm(c, MODE_REGISTER, to, from);
}

void x86_multiply(struct x86_code *c, enum x86_reg to, enum x86_reg from)
{
	note_written(c, to);
	add_rex(c, REX_W, to, from);
	add_bytes(c, 0xaf0f, 2);
	add_modrm(c, MODE_REGISTER, to, from);
}

void x86_unary(struct x86_code *c, enum x86_unary op, enum x86_reg r)
{
	note_written(c, op == X86_NOT || op == X86_NEG ? r : X86_RAX);
	if (op == X86_DIV || op == X86_IDIV)
		note_written(c, X86_RDX);
	add_registers(c, 0xf7, op, r);
}

static void shift(struct x86_code *c, enum x86_shift op, enum x86_reg r, uint8_t n)
{
	note_written(c, r);
	add_registers(c, 0xc1, op, r);
	add_byte(c, n);
}

void x86_shift_left(struct x86_code *c, enum x86_reg r, uint8_t n)
{
	shift(c, X86_SHL, r, n);
}

void x86_shift_right(struct x86_code *c, enum x86_reg r, uint8_t n)
{
	shift(c, X86_SHR, r, n);
}

void x86_shift_cl(struct x86_code *c, enum x86_shift op, enum x86_reg r)
{
	note_written(c, r);
	add_registers(c, 0xd3, op, r);
}

void x86_sign_rax(struct x86_code *c)
{
	note_written(c, X86_RDX);
	add_bytes(c, 0x9948, 2);
}

void x86_narrow(struct x86_code *c, enum x86_reg to, enum x86_reg from, unsigned size,
		bool is_signed)
{
	const unsigned opcode = extension(size, is_signed);

	note_written(c, to);
	if (size == 8) {
		x86_move(c, to, from);
	} else if (size == 4 && is_signed) {
		add_rex(c, REX_W, to, from);
		add_byte(c, 0x63);
		add_modrm(c, MODE_REGISTER, to, from);
	} else if (size == 4) {
		add_rex(c, 0, from, to);
		add_byte(c, 0x89);
		add_modrm(c, MODE_REGISTER, from, to);
	} else {
		add_rex(c, REX_W, to, from);
		add_bytes(c, 0x0f | opcode << 8, 2);
		add_modrm(c, MODE_REGISTER, to, from);
	}
}

void x86_set(struct x86_code *c, enum x86_condition condition, enum x86_reg to)
{
	note_written(c, to);
	add_bytes(c, 0x0f | (0x90u | condition) << 8, 2);
	add_modrm(c, MODE_REGISTER, 0, to);
	add_bytes(c, 0xb60f, 2);
	add_modrm(c, MODE_REGISTER, to, to);
}

void x86_prefetch_write(struct x86_code *c, struct x86_mem at)
{
	add_rex(c, 0, 1, at.base);
	add_bytes(c, 0x0d0f, 2); /* prefetchw, /1 */
	add_memory(c, 1, at);
}

void x86_counter(struct x86_code *c)
{
	note_written(c, X86_RAX);
	note_written(c, X86_RDX);
	add_bytes(c, 0x310f, 2); /* rdtsc, each half in a register */
	x86_shift_left(c, X86_RDX, 32);
	x86_alu(c, X86_OR, X86_RAX, X86_RDX);
}

void x86_save_flags(struct x86_code *c)
{
	note_written(c, X86_RAX);
	add_byte(c, 0x9f);	   /* lahf */
	add_bytes(c, 0xc0900f, 3); /* seto al */
}

void x86_restore_flags(struct x86_code *c)
{
	note_written(c, X86_RAX);
	add_bytes(c, 0x7f04, 2); /* add $0x7f, al: overflows if it is 1 */
	add_byte(c, 0x9e);	 /* sahf */
}

void x86_push(struct x86_code *c, enum x86_reg r)
{
	add_rex(c, 0, 0, r);
	add_byte(c, 0x50 | (r & 7u));
}

void x86_pop(struct x86_code *c, enum x86_reg r)
{
	note_written(c, r);
	add_rex(c, 0, 0, r);
	add_byte(c, 0x58 | (r & 7u));
}

void x86_add_rsp(struct x86_code *c, int8_t n)
{
	add_bytes(c, 0xc48348, 3);
	add_byte(c, (uint8_t)n);
}

void x86_call(struct x86_code *c, struct x86_mem function)
{
	add_access(c, 0, 0xff, 2, function);
}

void x86_ret(struct x86_code *c)
{
	add_byte(c, 0xc3);
}

void x86_jump_to(struct x86_code *c, enum x86_reg r)
{
	add_rex(c, 0, 0, r);
	add_byte(c, 0xff);
	add_modrm(c, MODE_REGISTER, 4, r);
}

uint32_t x86_jump(struct x86_code *c)
{
	add_byte(c, 0xe9);
	add_bytes(c, 0, 4);
	return c->n;
}

uint32_t x86_jump_if(struct x86_code *c, enum x86_condition condition)
{
	add_bytes(c, 0x0f | (0x80u | condition) << 8, 2);
	add_bytes(c, 0, 4);
	return c->n;
}

void x86_jump_back(struct x86_code *c, uint32_t to)
{
	const uint32_t bytes = 5;

	add_byte(c, 0xe9);
	add_bytes(c, to - (c->n + bytes - 1), 4);
}

void x86_land(struct x86_code *c, uint32_t jump)
{
	if (!c->full)
		bytes_store(c->bytes + jump - 4, c->n - jump, 4);
}
