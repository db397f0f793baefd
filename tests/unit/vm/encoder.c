/* SPDX-License-Identifier: MIT */
/*
 * The encoder: every function over the registers it may be given. The disassembler says
 * what the bytes are.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "vm/native/x86.h"

#define ADDRESS	 UINT64_C(0x400000) /* of the first byte */
#define TEXT_MAX 256

static const char *const wide[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
				     "rsi", "rdi", "r8",  "r9",	 "r10", "r11",
				     "r12", "r13", "r14", "r15"};
static const char *const narrow[16] = {"eax",  "ecx",  "edx",  "ebx", "esp",  "ebp",
				       "esi",  "edi",  "r8d",  "r9d", "r10d", "r11d",
				       "r12d", "r13d", "r14d", "r15d"};
static const char *const words[16] = {"ax",   "cx",   "dx",   "bx",  "sp",   "bp",
				      "si",   "di",   "r8w",  "r9w", "r10w", "r11w",
				      "r12w", "r13w", "r14w", "r15w"};
static const char *const bytes[16] = {"al",   "cl",   "dl",   "bl",  "spl",  "bpl",
				      "sil",  "dil",  "r8b",  "r9b", "r10b", "r11b",
				      "r12b", "r13b", "r14b", "r15b"};
#define EACH_REG(r) for (enum x86_reg r = X86_RAX; r <= X86_R15; r++)

static struct x86_code code;

static void begin(void)
{
	memset(&code, 0, sizeof(code));
}

/* One blank between words. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (to > text && to[-1] != ' '))
			*to++ = *from;
	*to = '\0';
}

/* The text of the instruction at *at, which moves on. */
static const char *decoded(uint32_t *at)
{
	static char text[INSN_TEXT_MAX];
	size_t n = insn_text(code.bytes + *at, code.n - *at, taddr_of(ADDRESS + *at),
			     text);

	if (!n)
		fail_msg("no instruction at %u", *at);
	*at += (uint32_t)n;
	squeeze(text);
	return text;
}

/* All code so far is these instructions, each on a line. */
__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
	char wanted[TEXT_MAX], got[TEXT_MAX] = "";
	uint32_t at = 0;
	va_list args;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	while (at < code.n) {
		if (at)
			strcat(got, "\n");
		strcat(got, decoded(&at));
	}
	assert_string_equal(got, wanted);
	assert_false(code.full);
	begin();
}

/* ---- registers ---- */

static void test_moves(void **state)
{
	(void)state;
	begin();
	EACH_REG(to)
	{
		EACH_REG(from)
		{
			x86_move(&code, to, from);
			if (to == from)
				expect("%s", "");
			else
				expect("movq %%%s, %%%s", wide[from], wide[to]);
		}
	}
}

static void test_arithmetic(void **state)
{
	static const struct {
		enum x86_alu op;
		const char *name;
	} ops[] = {{X86_ADD, "add"},  {X86_OR, "or"},	{X86_AND, "and"},
		   {X86_SUB, "sub"},  {X86_XOR, "xor"}, {X86_CMP, "cmp"},
		   {X86_TEST, "test"}};

	(void)state;
	begin();
	EACH_REG(to)
	{
		EACH_REG(from)
		{
			for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
				x86_alu(&code, ops[i].op, to, from);
				expect("%sq %%%s, %%%s", ops[i].name, wide[from],
				       wide[to]);
			}
			x86_lowest_bit(&code, to, from);
			expect("bsfq %%%s, %%%s", wide[from], wide[to]);
			x86_multiply(&code, to, from);
			expect("imulq %%%s, %%%s", wide[from], wide[to]);
		}
	}
	x86_sign_rax(&code);
	expect("cqto");
	x86_counter(&code);
	expect("rdtsc\nshlq $0x20, %%rdx\norq %%rdx, %%rax");
}

/* f3, a prefix for the upper half of the registers, 0f c7 /7 (Intel's manual, RDPID). */
static void expect_rdpid(enum x86_reg r)
{
	const uint8_t lower[] = {0xf3, 0x0f, 0xc7, (uint8_t)(0xf8 | r)};
	const uint8_t upper[] = {0xf3, 0x41, 0x0f, 0xc7, (uint8_t)(0xf8 | (r & 7))};

	x86_processor(&code, r);
	assert_int_equal(code.n, r > 7 ? sizeof(upper) : sizeof(lower));
	assert_memory_equal(code.bytes, r > 7 ? upper : lower, code.n);
	begin();
}

static void test_one_register(void **state)
{
	static const struct {
		enum x86_unary op;
		const char *name;
	} unary[] = {{X86_NOT, "not"},
		     {X86_NEG, "neg"},
		     {X86_DIV, "div"},
		     {X86_IDIV, "idiv"}};
	static const struct {
		enum x86_shift op;
		const char *name;
	} shifts[] = {{X86_SHL, "shl"}, {X86_SHR, "shr"}, {X86_SAR, "sar"}};

	(void)state;
	begin();
	EACH_REG(r)
	{
		for (size_t i = 0; i < ARRAY_LEN(unary); i++) {
			x86_unary(&code, unary[i].op, r);
			expect("%sq %%%s", unary[i].name, wide[r]);
		}
		for (size_t i = 0; i < ARRAY_LEN(shifts); i++) {
			x86_shift_cl(&code, shifts[i].op, r);
			expect("%sq %%cl, %%%s", shifts[i].name, wide[r]);
		}
		x86_shift_left(&code, r, 32);
		expect("shlq $0x20, %%%s", wide[r]);
		x86_shift_right(&code, r, 63);
		expect("shrq $0x3f, %%%s", wide[r]);
		expect_rdpid(r);
		x86_segment_limit(&code, r);
		expect("lsll %%%s, %%%s", narrow[r], narrow[r]);
		x86_push(&code, r);
		expect("pushq %%%s", wide[r]);
		x86_pop(&code, r);
		expect("popq %%%s", wide[r]);
	}
}

static void test_narrow(void **state)
{
	(void)state;
	begin();
	EACH_REG(to)
	{
		EACH_REG(from)
		{
			x86_narrow(&code, to, from, 1, false);
			expect("movzbq %%%s, %%%s", bytes[from], wide[to]);
			x86_narrow(&code, to, from, 1, true);
			expect("movsbq %%%s, %%%s", bytes[from], wide[to]);
			x86_narrow(&code, to, from, 2, false);
			expect("movzwq %%%s, %%%s", words[from], wide[to]);
			x86_narrow(&code, to, from, 2, true);
			expect("movswq %%%s, %%%s", words[from], wide[to]);
			x86_narrow(&code, to, from, 4, false);
			expect("movl %%%s, %%%s", narrow[from], narrow[to]);
			x86_narrow(&code, to, from, 4, true);
			expect("movslq %%%s, %%%s", narrow[from], wide[to]);
			for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
				x86_narrow(&code, to, from, 8, is_signed);
				if (to == from)
					expect("%s", "");
				else
					expect("movq %%%s, %%%s", wide[from], wide[to]);
			}
		}
	}
}

static const struct {
	enum x86_condition condition;
	const char *name;
} conditions[] = {{X86_BELOW, "b"},
		  {X86_BELOW ^ 1, "ae"},
		  {X86_EQUAL, "e"},
		  {X86_NOT_EQUAL, "ne"},
		  {X86_BELOW_OR_EQUAL, "be"},
		  {X86_BELOW_OR_EQUAL ^ 1, "a"},
		  {X86_LESS, "l"},
		  {X86_LESS ^ 1, "ge"},
		  {X86_LESS_OR_EQUAL, "le"},
		  {X86_GREATER, "g"},
		  {X86_NEGATIVE, "s"},
		  {X86_NEGATIVE ^ 1, "ns"}};

static void test_set(void **state)
{
	(void)state;
	begin();
	for (enum x86_reg to = X86_RAX; to <= X86_RDX; to++) {
		for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
			x86_set(&code, conditions[i].condition, to);
			expect("set%s %%%s\nmovzbl %%%s, %%%s", conditions[i].name,
			       bytes[to], bytes[to], narrow[to]);
		}
	}
}

/* ---- constants ---- */

/* The value that the one instruction loads, as the processor would. */
static void expect_constant(enum x86_reg to, uint64_t value)
{
	char mnemonic[16] = "", number[32] = "", name[8] = "";
	const char *text;
	uint64_t got;
	uint32_t at = 0;
	bool is_narrow;

	x86_constant(&code, to, value);
	text = decoded(&at);
	assert_int_equal(at, code.n);
	if (sscanf(text, "%15s $%31[-0-9a-fx], %%%7s", mnemonic, number, name) != 3 ||
	    strncmp(mnemonic, "mov", 3) != 0)
		fail_msg("%s", text);
	got = strtoull(number, NULL, 0); /* of -1 as well */
	is_narrow = strcmp(name, narrow[to]) == 0;
	assert_true(is_narrow || strcmp(name, wide[to]) == 0);
	assert_true(!is_narrow || value <= UINT32_MAX);
	assert_true((is_narrow ? (uint32_t)got : got) == value);
	begin();
}

static void test_constants(void **state)
{
	static const uint64_t values[] = {
		0,
		1,
		5,
		0x7f,
		0x80,
		0xff,
		0x7fffffff,
		0x80000000,
		0xfffffffe,
		UINT32_MAX,
		UINT64_C(1) << 32,
		UINT64_C(0x123456789abcdef0),
		INT64_MAX,
		UINT64_C(1) << 63,
		UINT64_MAX,
		UINT64_MAX - 1,
		UINT64_MAX - 0x7f,
		UINT64_MAX - 0x7fffffff,
		UINT64_MAX - 0x80000000,
	};

	(void)state;
	begin();
	EACH_REG(to)
	{
		for (size_t i = 0; i < ARRAY_LEN(values); i++)
			expect_constant(to, values[i]);
	}
}

/* ---- memory ---- */

static const int32_t displacements[] = {0,    1,    8,	     127,      128,	 -1,
					-128, -129, 0x12345, -0x12345, INT32_MAX};

/* The operand as the disassembler writes it. */
static const char *place(struct x86_mem m)
{
	static char text[64];
	uint64_t distance = (uint64_t)(m.at < 0 ? -(int64_t)m.at : m.at);
	const char *sign = m.at < 0 ? "-" : "";

	if (!m.at)
		snprintf(text, sizeof(text), "(%%%s)", wide[m.base]);
	else if (distance < 10)
		snprintf(text, sizeof(text), "%s%d(%%%s)", sign, (int)distance,
			 wide[m.base]);
	else
		snprintf(text, sizeof(text), "%s0x%" PRIx64 "(%%%s)", sign, distance,
			 wide[m.base]);
	return text;
}

static void expect_parts(struct x86_mem m, enum x86_reg r)
{
	x86_load_part(&code, r, m, 1, false);
	expect("movzbq %s, %%%s", place(m), wide[r]);
	x86_load_part(&code, r, m, 1, true);
	expect("movsbq %s, %%%s", place(m), wide[r]);
	x86_load_part(&code, r, m, 2, false);
	expect("movzwq %s, %%%s", place(m), wide[r]);
	x86_load_part(&code, r, m, 2, true);
	expect("movswq %s, %%%s", place(m), wide[r]);
	x86_load_part(&code, r, m, 4, false);
	expect("movl %s, %%%s", place(m), narrow[r]);
	x86_load_part(&code, r, m, 4, true);
	expect("movslq %s, %%%s", place(m), wide[r]);
	x86_load_part(&code, r, m, 8, false);
	expect("movq %s, %%%s", place(m), wide[r]);
}

static void test_memory(void **state)
{
	(void)state;
	begin();
	EACH_REG(base)
	{
		for (size_t i = 0; i < ARRAY_LEN(displacements); i++) {
			const struct x86_mem m = {base, displacements[i]};

			EACH_REG(r)
			{
				x86_load(&code, r, m);
				expect("movq %s, %%%s", place(m), wide[r]);
				x86_load32(&code, r, m);
				expect("movl %s, %%%s", place(m), narrow[r]);
				x86_store(&code, m, r);
				expect("movq %%%s, %s", wide[r], place(m));
				x86_store32(&code, m, r);
				expect("movl %%%s, %s", narrow[r], place(m));
				expect_parts(m, r);
			}
			x86_store_constant(&code, m, 0x1234);
			expect("movq $0x1234, %s", place(m));
			x86_store_constant(&code, m, -2);
			expect("movq $-2, %s", place(m));
			x86_store32_constant(&code, m, 0x12345678);
			expect("movl $0x12345678, %s", place(m));
			x86_call(&code, m);
			expect("callq *%s", place(m));
			x86_prefetch_write(&code, m);
			expect("prefetchw %s", place(m));
		}
	}
}

/* Not TEST, which has no such form. */
static void test_memory_operands(void **state)
{
	static const struct {
		enum x86_alu op;
		const char *name;
	} ops[] = {{X86_ADD, "add"}, {X86_OR, "or"},   {X86_AND, "and"},
		   {X86_SUB, "sub"}, {X86_XOR, "xor"}, {X86_CMP, "cmp"}};

	(void)state;
	begin();
	EACH_REG(base)
	{
		EACH_REG(r)
		{
			for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
				const struct x86_mem m = {base, displacements[i]};

				x86_alu_from(&code, ops[i].op, r, m);
				expect("%sq %s, %%%s", ops[i].name, place(m), wide[r]);
				x86_alu_to(&code, ops[i].op, m, r);
				expect("%sq %%%s, %s", ops[i].name, wide[r], place(m));
			}
			for (size_t i = 0; i < ARRAY_LEN(displacements); i++) {
				const struct x86_mem m = {base, displacements[i]};

				x86_add_locked(&code, m, r);
				expect("lock addq %%%s, %s", wide[r], place(m));
				x86_add_constant(&code, r, base, m.at);
				expect("leaq %s, %%%s", place(m), wide[r]);
			}
		}
	}
}

static void test_narrow_constants(void **state)
{
	(void)state;
	begin();
	EACH_REG(to)
	{
		x86_shift_right32(&code, to, 15);
		expect("shrl $0xf, %%%s", narrow[to]);
		x86_and32(&code, to, 0x1ffe0);
		expect("andl $0x1ffe0, %%%s", narrow[to]);
		x86_add32(&code, to, 0x12345678);
		expect("addl $0x12345678, %%%s", narrow[to]);
		x86_compare32(&code, to, 0x12345);
		expect("cmpl $0x12345, %%%s", narrow[to]);
		EACH_REG(from)
		{
			x86_multiply32(&code, to, from, 0x12345678);
			expect("imull $0x12345678, %%%s, %%%s", narrow[from],
			       narrow[to]);
			x86_highest_bit(&code, to, from);
			expect("bsrq %%%s, %%%s", wide[from], wide[to]);
			for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
				x86_move_if(&code, conditions[i].condition, to, from);
				expect("cmov%sq %%%s, %%%s", conditions[i].name,
				       wide[from], wide[to]);
			}
		}
	}
}

static void expect_address(enum x86_reg to, struct x86_mem m, struct x86_index index)
{
	struct insn i;

	x86_address(&code, to, m, index);
	assert_int_equal(decode(code.bytes, code.n, taddr_of(ADDRESS), &i), 0);
	assert_int_equal(i.len, code.n);
	assert_int_equal(i.opcode, 0x8d);
	assert_true(i.has_mem);
	assert_int_equal(i.mem.base, m.base);
	assert_int_equal(i.mem.index, index.reg);
	assert_int_equal(i.mem.scale, 1 << index.log2_scale);
	assert_int_equal(i.mem.disp, m.at);
	/* REX.W, and the register of the instruction */
	assert_int_equal(code.bytes[0] & 0xf8, 0x48);
	assert_int_equal((code.bytes[0] >> 2 & 1) << 3 | (code.bytes[2] >> 3 & 7), to);
	begin();
}

static void test_address(void **state)
{
	(void)state;
	begin();
	EACH_REG(to)
	{
		EACH_REG(base)
		{
			EACH_REG(index)
			{
				if (index == X86_RSP)
					continue;
				for (uint8_t scale = 0; scale < 4; scale++)
					expect_address(
						to, (struct x86_mem){base, -8},
						(struct x86_index){index, scale});
			}
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(displacements); i++)
		expect_address(X86_RCX, (struct x86_mem){X86_R13, displacements[i]},
			       (struct x86_index){X86_RAX, 3});
}

/* ---- control ---- */

static void test_stack(void **state)
{
	(void)state;
	begin();
	x86_add_rsp(&code, 8);
	expect("addq $8, %%rsp");
	x86_add_rsp(&code, -8);
	expect("addq $-8, %%rsp");
	x86_ret(&code);
	expect("retq");
}

static void test_jumps(void **state)
{
	(void)state;
	begin();
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
		uint32_t jump = x86_jump_if(&code, conditions[i].condition);

		x86_push(&code, X86_R12);
		x86_land(&code, jump);
		expect("j%s 0x%" PRIx64 "\npushq %%r12", conditions[i].name,
		       ADDRESS + 8);
	}
	for (uint32_t n = 0; n < 300; n += 100) {
		uint32_t jump = x86_jump(&code), at = 0;
		char wanted[64];

		for (uint32_t k = 0; k < n; k++)
			x86_ret(&code);
		x86_land(&code, jump);
		snprintf(wanted, sizeof(wanted), "jmp 0x%" PRIx64, ADDRESS + 5 + n);
		assert_string_equal(decoded(&at), wanted);
		begin();
		for (uint32_t k = 0; k < n; k++)
			x86_ret(&code);
		at = code.n;
		x86_jump_back(&code, 0);
		snprintf(wanted, sizeof(wanted), "jmp 0x%" PRIx64, ADDRESS);
		assert_string_equal(decoded(&at), wanted);
		begin();
	}
}

static void test_flags(void **state)
{
	(void)state;
	begin();
	x86_save_flags(&code);
	expect("lahf\nseto %%al");
	x86_restore_flags(&code);
	expect("addb $0x7f, %%al\nsahf");
	EACH_REG(r)
	{
		x86_jump_to(&code, r);
		expect("jmpq *%%%s", wide[r]);
	}
}

/* The registers that code writes are noted. */
#define WRITES(call, mask)                                                             \
	do {                                                                           \
		begin();                                                               \
		call;                                                                  \
		assert_int_equal(code.written, mask);                                  \
	} while (0)

static void test_written(void **state)
{
	const struct x86_mem m = {X86_RSI, 8};
	const struct x86_index i = {X86_R9, 3};
	const uint32_t rax = 1u << X86_RAX, rdx = 1u << X86_RDX;

	(void)state;
	EACH_REG(r)
	{
		const uint32_t it = UINT32_C(1) << r;

		WRITES(x86_move(&code, r, r ^ 1), it);
		WRITES(x86_move(&code, r, r), 0);
		WRITES(x86_constant(&code, r, 5), it);
		WRITES(x86_load(&code, r, m), it);
		WRITES(x86_load32(&code, r, m), it);
		WRITES(x86_load_part(&code, r, m, 2, true), it);
		WRITES(x86_load_part(&code, r, m, 4, true), it);
		WRITES(x86_store(&code, m, r), 0);
		WRITES(x86_address(&code, r, m, i), it);
		WRITES(x86_alu(&code, X86_XOR, r, X86_RSI), it);
		WRITES(x86_alu(&code, X86_CMP, r, X86_RSI), 0);
		WRITES(x86_alu(&code, X86_TEST, r, X86_RSI), 0);
		WRITES(x86_alu_from(&code, X86_ADD, r, m), it);
		WRITES(x86_alu_from(&code, X86_CMP, r, m), 0);
		WRITES(x86_alu_to(&code, X86_ADD, m, r), 0);
		WRITES(x86_multiply32(&code, r, X86_RSI, 3), it);
		WRITES(x86_shift_right32(&code, r, 3), it);
		WRITES(x86_shift_left(&code, r, 3), it);
		WRITES(x86_shift_right(&code, r, 3), it);
		WRITES(x86_add_locked(&code, m, r), 0);
		WRITES(x86_and32(&code, r, 3), it);
		WRITES(x86_compare32(&code, r, 3), 0);
		WRITES(x86_add32(&code, r, 3), it);
		WRITES(x86_add_constant(&code, r, X86_RSI, 3), it);
		WRITES(x86_highest_bit(&code, r, X86_RSI), it);
		WRITES(x86_lowest_bit(&code, r, X86_RSI), it);
		WRITES(x86_processor(&code, r), it);
		WRITES(x86_segment_limit(&code, r), it);
		WRITES(x86_store32(&code, m, r), 0);
		WRITES(x86_move_if(&code, X86_LESS, r, X86_RSI), it);
		WRITES(x86_multiply(&code, r, X86_RSI), it);
		WRITES(x86_unary(&code, X86_NOT, r), it);
		WRITES(x86_unary(&code, X86_NEG, r), it);
		WRITES(x86_unary(&code, X86_DIV, r), rax | rdx);
		WRITES(x86_unary(&code, X86_IDIV, r), rax | rdx);
		WRITES(x86_shift_cl(&code, X86_SAR, r), it);
		WRITES(x86_narrow(&code, r, X86_RSI, 2, true), it);
		WRITES(x86_pop(&code, r), it);
		WRITES(x86_push(&code, r), 0);
		WRITES(x86_jump_to(&code, r), 0);
	}
	WRITES(x86_prefetch_write(&code, m), 0);
	WRITES(x86_sign_rax(&code), rdx);
	WRITES(x86_counter(&code), rax | rdx);
	WRITES(x86_set(&code, X86_LESS, X86_RDX), rdx);
	WRITES(x86_save_flags(&code), rax);
	WRITES(x86_restore_flags(&code), rax);
}

/* What does not fit is left out whole, and nothing is written past the buffer. */
static void test_full(void **state)
{
	(void)state;
	for (uint32_t left = 0; left < 16; left++) {
		uint32_t jump;

		begin();
		jump = x86_jump(&code);
		while (code.n < X86_CODE_MAX - left)
			x86_ret(&code);
		assert_false(code.full);
		x86_constant(&code, X86_R8, UINT64_MAX / 3);
		assert_true(code.n <= X86_CODE_MAX);
		assert_int_equal(code.full, left < 10);
		x86_ret(&code);
		x86_land(&code, jump);
		assert_true(code.n <= X86_CODE_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_one_register),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_operands),
		cmocka_unit_test(test_narrow_constants),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
