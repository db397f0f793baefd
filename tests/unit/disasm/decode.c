/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "tests/unit/support/hex.h"
#include "vm/base/status.h"

#define AT 0x401000

static int decode_text(const char *text, struct insn *in)
{
	uint8_t bytes[32];
	size_t n = hex_bytes(text, bytes, sizeof(bytes));

	return decode(bytes, n, taddr_of(AT), in);
}

static void test_transfers(void **state)
{
	static const struct {
		const char *text;
		enum insn_kind kind;
		uint64_t target;
		uint8_t cc;
	} cases[] = {
		{"eb fe", INSN_JMP, AT, 0},
		{"e9 00 01 00 00", INSN_JMP, AT + 0x105, 0},
		{"f2 e9 fa ff ff ff", INSN_JMP, AT, 0},	 /* bnd */
		{"74 10", INSN_JCC, AT + 0x12, 4},	 /* je */
		{"2e 7f f0", INSN_JCC, AT + 3 - 16, 15}, /* jg,pn */
		{"0f 85 00 00 00 80", INSN_JCC, 0xffffffff80401006, 5},
		{"e0 02", INSN_LOOP, AT + 4, 0},
		{"67 e3 02", INSN_LOOP, AT + 5, 3}, /* jecxz */
		{"e8 fb ff ff ff", INSN_CALL, AT, 0},
		{"67 e8 00 00 00 00", INSN_CALL, AT + 6, 0}, /* linker relaxation */
		{"66 66 48 e8 10 00 00 00", INSN_CALL, AT + 0x18,
		 0}, /* tls, general dynamic */
		{"c7 f8 06 00 00 00", INSN_TRANSACTION, AT + 12, 0}, /* xbegin */
		{"66 c7 f8 fe ff", INSN_TRANSACTION, AT + 3, 0},
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(decode_text(cases[i].text, &in), 0);
		assert_int_equal(in.kind, cases[i].kind);
		assert_int_equal(in.target.v, cases[i].target);
		assert_int_equal(in.cc, cases[i].cc);
		assert_int_equal(in.addr.v, AT);
	}
}

static void test_kinds(void **state)
{
	static const struct {
		const char *text;
		enum insn_kind kind;
		bool falls_through;
	} cases[] = {
		{"90", INSN_OTHER, true},
		{"e8 00 00 00 00", INSN_CALL, true},
		{"ff d0", INSN_CALL_INDIRECT, true},
		{"ff 10", INSN_CALL_INDIRECT, true},
		{"66 48 ff 15 00 00 00 00", INSN_CALL_INDIRECT, true}, /* tls, no plt */
		{"ff e0", INSN_JMP_INDIRECT, false},
		{"3e ff e0", INSN_JMP_INDIRECT, false}, /* notrack */
		{"f2 ff 25 00 00 00 00", INSN_JMP_INDIRECT, false},
		{"eb 00", INSN_JMP, false},
		{"75 00", INSN_JCC, true},
		{"c3", INSN_RET, false},
		{"f3 c3", INSN_RET, false},
		{"f2 c3", INSN_RET, false},
		{"c2 10 00", INSN_RET, false},
		{"0f 05", INSN_SYSCALL, true},
		{"0f 34", INSN_SYSCALL, true},
		{"cc", INSN_INT, true},
		{"cd 80", INSN_INT, true},
		{"f1", INSN_INT, true},
		{"f4", INSN_HLT, false},
		{"0f 0b", INSN_HLT, false},
		{"0f b9 c0", INSN_HLT, false},
		{"67 0f b9 40 04", INSN_HLT, false}, /* clang's trap for a sanitizer */
		{"0f ff c0", INSN_HLT, false},
		{"cb", INSN_FAR, false},
		{"48 cb", INSN_FAR, false},
		{"ca 08 00", INSN_FAR, false},
		{"48 cf", INSN_FAR, false},
		{"ff 18", INSN_FAR, true},  /* lcall */
		{"ff 28", INSN_FAR, false}, /* ljmp */
		{"0f 07", INSN_FAR, false},
		{"f3 0f 01 ec", INSN_FAR, false}, /* uiret */
		{"0f 01 d7", INSN_FAR, false},	  /* enclu */
		{"0f 01 d5", INSN_TRANSACTION, true},
		{"c6 f8 01", INSN_TRANSACTION, true},
		{"c7 00 01 00 00 00", INSN_OTHER, true},
		{"ff 30", INSN_OTHER, true}, /* push (%rax) */
		{"f3 90", INSN_OTHER, true},
		{"0f 01 d6", INSN_OTHER, true}, /* xtest */
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(decode_text(cases[i].text, &in), 0);
		assert_int_equal(in.kind, cases[i].kind);
		assert_int_equal(insn_falls_through(&in), cases[i].falls_through);
	}
}

static void test_operands(void **state)
{
	static const struct {
		const char *text;
		struct insn_mem mem;
		bool addr32;
	} cases[] = {
		{"ff 10", {0, INSN_NO_REG, 1, 0, 0}, false},
		{"41 ff 54 24 08", {12, INSN_NO_REG, 1, 0, 8}, false},
		{"ff 14 24", {4, INSN_NO_REG, 1, 0, 0}, false},
		{"ff 24 c5 00 10 40 00", {INSN_NO_REG, 0, 8, 0, 0x401000}, false},
		{"ff 24 25 f0 ff ff ff", {INSN_NO_REG, INSN_NO_REG, 1, 0, -16}, false},
		{"42 ff 64 a1 80", {1, 12, 4, 0, -128}, false},
		{"43 ff a4 6c 00 00 00 80", {12, 13, 2, 0, INT32_MIN}, false},
		{"ff 15 44 33 22 11",
		 {INSN_REG_RIP, INSN_NO_REG, 1, 0, 0x11223344},
		 false},
		{"41 ff 15 00 00 00 00", {INSN_REG_RIP, INSN_NO_REG, 1, 0, 0}, false},
		{"67 ff 25 ff ff ff ff", {INSN_REG_RIP, INSN_NO_REG, 1, 0, -1}, true},
		{"65 ff 14 25 10 00 00 00",
		 {INSN_NO_REG, INSN_NO_REG, 1, 'g', 16},
		 false},
		{"64 ff 50 30", {0, INSN_NO_REG, 1, 'f', 0x30}, false},
		{"49 8b 45 00", {13, INSN_NO_REG, 1, 0, 0}, false},
		{"64 48 8b 04 25 28 00 00 00",
		 {INSN_NO_REG, INSN_NO_REG, 1, 'f', 40},
		 false},
		{"41 8b 04 24", {12, INSN_NO_REG, 1, 0, 0}, false},
		{"42 8b 04 25 04 00 00 00", {INSN_NO_REG, 12, 1, 0, 4}, false},
		/* REX cancelled by a later prefix */
		{"41 66 8b 00", {0, INSN_NO_REG, 1, 0, 0}, false},
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct insn_mem *m = &cases[i].mem;

		assert_int_equal(decode_text(cases[i].text, &in), 0);
		assert_true(in.has_mem);
		assert_int_equal(in.reg, INSN_NO_REG);
		assert_int_equal(in.mem.base, m->base);
		assert_int_equal(in.mem.index, m->index);
		assert_int_equal(in.mem.scale, m->scale);
		assert_int_equal(in.mem.segment, m->segment);
		assert_true(in.mem.disp == m->disp);
		assert_int_equal(in.addr32, cases[i].addr32);
	}
}

static void test_registers(void **state)
{
	static const struct {
		const char *text;
		uint8_t reg;
	} cases[] = {
		{"ff d0", 0},	  {"ff d4", 4},	   {"41 ff d3", 11},
		{"41 ff e7", 15}, {"3e ff e2", 2}, {"3e 41 ff e4", 12},
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(decode_text(cases[i].text, &in), 0);
		assert_false(in.has_mem);
		assert_int_equal(in.reg, cases[i].reg);
	}
	assert_int_equal(decode_text("c2 34 12", &in), 0);
	assert_int_equal(in.ret_pop, 0x1234);
	assert_int_equal(decode_text("c3", &in), 0);
	assert_int_equal(in.ret_pop, 0);
}

/* Where the disp32 of a rip-relative operand is, in every encoding family. */
static void test_rip_relative(void **state)
{
	static const struct {
		const char *text;
		uint8_t disp_offset; /* 0: not rip-relative */
		uint8_t len;
	} cases[] = {
		{"48 8d 3d 00 01 00 00", 3, 7},
		{"8b 05 00 01 00 00", 2, 6},
		{"67 8b 05 00 01 00 00", 3, 7},
		{"83 3d 00 01 00 00 05", 2, 7},
		{"48 81 3d 00 01 00 00 01 02 03 04", 3, 11},
		{"66 81 3d 00 01 00 00 01 02", 3, 9},
		{"f6 05 00 01 00 00 01", 2, 7},
		{"f7 1d 00 01 00 00", 2, 6},
		{"f2 0f 10 05 00 01 00 00", 4, 8},
		{"66 0f 38 00 05 00 01 00 00", 5, 9},
		{"66 0f 3a 0f 05 00 01 00 00 08", 5, 10},
		{"c5 fb 10 05 00 01 00 00", 4, 8},
		{"c4 e3 79 0f 05 00 01 00 00 08", 5, 10},
		{"62 f1 7c 48 28 05 00 01 00 00", 6, 10},
		{"62 f3 7d 48 25 05 00 01 00 00 ff", 6, 11}, /* vpternlogd */
		{"ff 35 00 01 00 00", 2, 6},
		{"f0 48 0f c1 05 00 01 00 00", 5, 9},
		{"48 8b 04 25 00 01 00 00", 0, 8},
		{"48 8b 85 00 01 00 00", 0, 7},
		{"48 a1 00 01 02 03 04 05 06 07", 0, 10},
		{"89 e8", 0, 2},
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(decode_text(cases[i].text, &in), 0);
		assert_int_equal(in.rip_relative, cases[i].disp_offset != 0);
		assert_int_equal(in.disp_offset, cases[i].disp_offset);
		assert_int_equal(in.len, cases[i].len);
	}
}

static void test_nops(void **state)
{
	static const struct {
		const char *text;
		bool is_nop, is_endbr;
	} cases[] = {
		{"90", true, false},
		{"66 90", true, false},
		{"48 90", true, false},
		{"41 90", false, false}, /* xchg %r8d, %eax */
		{"f3 90", false, false}, /* pause */
		{"0f 1f 00", true, false},
		{"0f 1f c0", true, false},
		{"66 2e 0f 1f 84 00 00 00 00 00", true, false},
		{"f3 0f 1e fa", false, true},
		{"f3 0f 1e fb", false, false},
		{"f3 48 0f 1e c8", false, false}, /* rdsspq %rax writes rax */
		{"0f 0d 08", false, false},
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(decode_text(cases[i].text, &in), 0);
		assert_int_equal(in.is_nop, cases[i].is_nop);
		assert_int_equal(in.is_endbr, cases[i].is_endbr);
	}
}

static void test_lengths(void **state)
{
	static const struct {
		const char *text; /* always followed by other bytes */
		uint8_t len;
	} cases[] = {
		{"48 b8 01 02 03 04 05 06 07 08", 10},
		{"b8 01 02 03 04", 5},
		{"66 b8 01 02", 4},
		{"c8 10 00 00", 4},
		{"6b c0 05", 3},
		{"69 c0 05 00 00 00", 6},
		{"66 69 c0 05 00", 5},
		{"66 48 05 01 02 03 04", 7},
		{"67 a1 00 00 00 00", 6},
		{"8f 00", 2},
		{"41 8f c7", 3},
		{"8f e8 78 c0 c1 01", 6},	   /* vprotb (XOP) */
		{"8f ea 78 10 c0 01 02 03 04", 9}, /* bextr with imm32 (XOP) */
		{"66 0f 78 c0 01 02", 6},	   /* extrq */
		{"f6 d8", 2},
		{"f6 c1 01", 3},
		{"f7 c1 01 00 00 00", 6},
		{"0f 0f c1 b4", 4}, /* 3DNow! */
		{"0f 20 c0", 3},    /* mov %cr0, %rax */
		{"c5 f8 77", 3},
		{"c4 e2 71 00 01", 5},
		{"c4 e2 71 90 04 11", 6},    /* gather, vector index */
		{"62 f3 7d 48 25 c1 ff", 7}, /* younger than capstone 4 from here on */
		{"62 f2 7d 48 50 41 01", 7}, /* vpdpbusd */
		{"62 f5 7c 48 58 c1", 6},    /* vaddph */
		{"66 0f 38 cf c1", 5},	     /* gf2p8mulb */
		{"66 0f 3a ce c1 01", 6},
		{"f3 0f c7 f8", 4},    /* rdpid */
		{"f3 48 0f ae e8", 5}, /* incsspq */
		{"0f 01 e8", 3},       /* serialize */
		{"0f 1c 00", 3},       /* cldemote */
		{"f3 48 a5", 3},
		{"9b", 1},
		{"66 66 2e 0f 1f 84 00 00 00 00 00", 11},
		{"66 66 66 66 66 2e 0f 1f 84 00 00 00 00 00", 14},
	};
	uint8_t bytes[32];
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memset(bytes, 0x90, sizeof(bytes));
		hex_bytes(cases[i].text, bytes, sizeof(bytes));
		assert_int_equal(decode(bytes, sizeof(bytes), taddr_of(AT), &in), 0);
		assert_int_equal(in.len, cases[i].len);
		assert_int_equal(in.kind, INSN_OTHER);
		assert_memory_equal(in.bytes, bytes, in.len);
		/* one byte less is no whole instruction, and no byte beyond is read */
		for (size_t n = 0; n < cases[i].len; n++)
			assert_int_equal(decode(bytes, n, taddr_of(AT), &in),
					 STATUS_BADFMT);
	}
}

static void test_text(void **state)
{
	static const struct {
		const char *code, *text;
		size_t length;
	} cases[] = {
		{"c3 00", "retq", 1},
		{"48 83 ec 10 90", "subq    $0x10, %rsp", 4},
		{"e8 fb ff ff ff", "callq   0x401000", 5},
		{"48 83 ec", "", 0}, /* not all of it */
		{"06", "", 0},
	};
	char text[INSN_TEXT_MAX];
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint8_t bytes[32];
		size_t n = hex_bytes(cases[i].code, bytes, sizeof(bytes));

		assert_int_equal(insn_text(bytes, n, taddr_of(AT), text),
				 cases[i].length);
		assert_string_equal(text, cases[i].text);
	}
	/* decode() sees no difference. */
	assert_int_equal(decode_text("48 83 ec 10", &in), 0);
}

static void test_undecodable(void **state)
{
	static const char *const cases[] = {
		"",
		"06", /* push %es */
		"27", /* daa */
		"60", /* pusha */
		"82 c0 01",
		"9a 00 00 00 00 00 00",		    /* far call with an immediate */
		"ce",				    /* into */
		"d5 00 a1 00 00 00 00 00 00 00 00", /* jmpabs of APX */
		"d6",
		"ea 00 00 00 00 00 00",
		"0f 04",
		"0f 0a",
		"0f 39 00",
		"ff f8", /* group 5, /7 */
		"fe d0",
		"ff d8",    /* far call through a register */
		"f0 ff 10", /* lock call */
		"f0 e9 00 00 00 00",
		"66 e8 00 00 00 00", /* differs between vendors */
		"66 e9 00 00 00 00",
		"66 0f 84 00 00 00 00",
		"66 74 00",
		"66 c3",
		"66 ff e0",
		"66 c5 f8 77", /* prefixes that VEX forbids */
		"40 c5 f8 77",
		"f0 62 f1 7c 48 28 c0",
		"62 f4 7c 08 01 c0", /* EVEX map 4: APX */
		"62 f9 7c 48 28 c0",
		"c4 e7 7b f6 c0 00 00 00 00",			   /* VEX map 7 */
		"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", /* 16 bytes */
		"f3 f3 f3",					   /* prefixes alone */
	};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(decode_text(cases[i], &in), STATUS_BADFMT);
}

/* What decode() accepts, and whether the library agrees, with any ModRM. */
static size_t compare_opcode(uint8_t *bytes, size_t at, uint8_t map, uint8_t opcode)
{
	char text[INSN_TEXT_MAX];
	struct insn in;
	size_t n = 0;

	if (map)
		bytes[at++] = map;
	bytes[at++] = opcode;
	for (unsigned modrm = 0; modrm < 256; modrm++) {
		size_t asked;

		bytes[at] = (uint8_t)modrm;
		if (decode(bytes, INSN_MAX, taddr_of(AT), &in) ||
		    in.kind != INSN_OTHER || in.opcode != opcode)
			continue; /* or what was taken for the opcode is a prefix */
		asked = insn_text(bytes, INSN_MAX, taddr_of(AT), text);
		/* Of this map the encoding is trusted where the library knows none. */
		assert_true(asked == in.len || (!asked && map));
		n++;
	}
	return n;
}

/* The disassembler library has every instruction that decode() accepts without asking. */
static void test_agreed(void **state)
{
	static const char *const prefixes[] = {"",   "66", "2e",    "3e",
					       "48", "41", "66 48", "66 2e"};
	size_t n = 0;

	(void)state;
	for (size_t p = 0; p < ARRAY_LEN(prefixes); p++)
		for (unsigned op = 0; op < 512; op++) {
			uint8_t bytes[INSN_MAX] = {0};
			size_t at = hex_bytes(prefixes[p], bytes, sizeof(bytes));

			if (op != 0x0f)
				n += compare_opcode(bytes, at, op < 256 ? 0 : 0x0f,
						    (uint8_t)op);
		}
	assert_true(n > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transfers),    cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_operands),     cmocka_unit_test(test_registers),
		cmocka_unit_test(test_rip_relative), cmocka_unit_test(test_nops),
		cmocka_unit_test(test_text),	     cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_undecodable),  cmocka_unit_test(test_agreed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
