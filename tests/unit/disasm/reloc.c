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

static void decode_text(const char *text, uint64_t addr, struct insn *in)
{
	uint8_t bytes[32];
	size_t n = hex_bytes(text, bytes, sizeof(bytes));

	assert_int_equal(decode(bytes, n, taddr_of(addr), in), 0);
	assert_int_equal(in->len, n);
}

struct copy_case {
	const char *text;
	uint64_t from, to;
	const char *copy;
};

static void check_copies(const struct copy_case *cases, size_t n)
{
	uint8_t out[RELOC_MAX], expected[RELOC_MAX];
	const char *reason;
	struct insn in;

	for (size_t i = 0; i < n; i++) {
		size_t len = hex_bytes(cases[i].copy, expected, sizeof(expected));

		decode_text(cases[i].text, cases[i].from, &in);
		assert_int_equal(reloc_copy(&in, taddr_of(cases[i].to), out,
					    sizeof(out), &reason),
				 len);
		assert_null(reason);
		assert_memory_equal(out, expected, len);
	}
}

static void test_unchanged(void **state)
{
	static const char *const cases[] = {
		"55",
		"48 89 e5",
		"54", /* push %rsp */
		"5c", /* pop %rsp */
		"48 83 ec 18",
		"c9",
		"c8 10 00 01",
		"64 48 8b 04 25 28 00 00 00", /* stack protector */
		"65 8b 00",
		"8c e0",	  /* mov %fs, %eax */
		"f3 48 0f ae d8", /* wrgsbase */
		"f3 a4",	  /* rep movsb */
		"f2 ae",
		"9c",
		"9d",
		"48 b8 01 02 03 04 05 06 07 08",
		"48 a1 01 02 03 04 05 06 07 08",
		"48 8b 84 24 80 00 00 00",
		"48 8d 04 25 00 00 00 00",
		"f0 48 0f b1 0f", /* lock cmpxchg */
		"0f a2",
		"0f 31",
		"c5 fd 6f 07",
		"62 f1 7c 48 28 07",
		"62 f3 7d 48 25 c1 ff",
		"f3 90",
		"f3 48 0f 1e c8", /* rdsspq */
		"d9 7c 24 02",
		"c3",
		"f3 c3",
		"c2 08 00",
	};
	struct copy_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		c = (struct copy_case){cases[i], 0x401000, 0x7f0000000000, cases[i]};
		check_copies(&c, 1);
	}
}

static void test_displacements(void **state)
{
	static const struct copy_case cases[] = {
		{"48 8d 3d 00 01 00 00", 0x1000, 0x2000, "48 8d 3d 00 f1 ff ff"},
		{"48 8d 3d 00 01 00 00", 0x2000, 0x1000, "48 8d 3d 00 11 00 00"},
		{"83 3d 00 01 00 00 05", 0x1000, 0x1010, "83 3d f0 00 00 00 05"},
		{"48 81 3d fc ff ff ff 01 02 03 04", 0x5000, 0x4000,
		 "48 81 3d fc 0f 00 00 01 02 03 04"},
		{"66 0f 3a 0f 05 00 00 00 00 08", 0x1000, 0x1001,
		 "66 0f 3a 0f 05 ff ff ff ff 08"},
		{"c5 fb 10 05 00 00 00 00", 0x1000, 0xf00, "c5 fb 10 05 00 01 00 00"},
		{"62 f1 7c 48 28 05 00 00 00 00", 0x1000, 0xf00,
		 "62 f1 7c 48 28 05 00 01 00 00"},
		{"ff 35 00 00 00 00", 0x1000, 0xf00, "ff 35 00 01 00 00"},
		{"f0 48 0f c1 05 00 00 00 00", 0x1000, 0xf00,
		 "f0 48 0f c1 05 00 01 00 00"},
		/* the two ends of what reaches */
		{"8b 05 00 00 00 00", 0x7fffffff1000, 0x7fff7fff1001,
		 "8b 05 ff ff ff 7f"},
		{"8b 05 00 00 00 00", 0x7fff00000000, 0x7fff80000000,
		 "8b 05 00 00 00 80"},
		/* eip-relative: only the low half of the distance counts */
		{"67 8b 05 00 01 00 00", 0x1000, 0x7f0000002000,
		 "67 8b 05 00 f1 ff ff"},
	};

	(void)state;
	check_copies(cases, ARRAY_LEN(cases));
}

/* rcx after a syscall names the original place wherever the copy is. */
static void test_syscall(void **state)
{
	static const struct copy_case cases[] = {
		{"0f 05", 0x7f1122334455, 0x10000,
		 "0f 05 48 b9 57 44 33 22 11 7f 00 00"},
	};

	(void)state;
	check_copies(cases, ARRAY_LEN(cases));
}

static void test_out_of_reach(void **state)
{
	static const struct {
		const char *text;
		uint64_t from, to;
	} cases[] = {
		{"8b 05 00 00 00 00", 0x7fffffff1000, 0x7fff7fff1000},
		{"8b 05 00 00 00 00", 0x7fff00000000, 0x7fff80000001},
		{"48 8d 05 ff ff ff 7f", 0x10001, 0x10000},
		{"48 8d 05 00 00 00 80", 0x10000, 0x10001},
		{"48 8d 05 00 00 00 00", 0x401000, 0x7f0000000000},
	};
	uint8_t out[RELOC_MAX];
	const char *reason;
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		decode_text(cases[i].text, cases[i].from, &in);
		assert_int_equal(reloc_copy(&in, taddr_of(cases[i].to), out,
					    sizeof(out), &reason),
				 STATUS_RANGE);
		assert_string_equal(reason,
				    "its operand is out of reach from the copy");
	}
}

static void test_refusals(void **state)
{
	static const char jump[] =
		"it is a jump: its target is relative, so it must be emulated";
	static const char call[] =
		"it is a call: it pushes its own address, so it must be emulated";
	static const char indirect[] = "it is an indirect jump, which must be emulated";
	static const char trap[] =
		"it is a trap instruction (int3, int1) of the program itself";
	static const char far[] = "it changes the code segment or the privilege level";
	static const struct {
		const char *text, *reason;
		bool never; /* refused in every way, not only as a copy */
	} cases[] = {
		{"eb 00", jump, false},
		{"75 00", jump, false},
		{"e2 00", jump, false},
		{"e8 00 00 00 00", call, false},
		{"ff d0", call, false},
		{"ff 25 00 00 00 00", indirect, false},
		{"cc", trap, true},
		{"f1", trap, true},
		{"cd 80", "it is a software interrupt", true},
		{"cb", far, true},
		{"48 cf", far, true},
		{"ff 28", far, true},
		{"f3 0f 01 ec", far, true},
		{"c7 f8 00 00 00 00",
		 "it begins a transaction, which a breakpoint would abort", true},
		{"0f 01 d5",
		 "it belongs to a transaction, which a breakpoint would abort", true},
		{"c6 f8 01",
		 "it belongs to a transaction, which a breakpoint would abort", true},
		{"0f 34", "it is sysenter, which returns elsewhere", true},
	};
	uint8_t out[RELOC_MAX];
	const char *reason;
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		decode_text(cases[i].text, 0x401000, &in);
		assert_int_equal(
			reloc_copy(&in, taddr_of(0x400000), out, sizeof(out), &reason),
			STATUS_UNSUP);
		assert_string_equal(reason, cases[i].reason);
		assert_int_equal(insn_refusal(&in) != NULL, cases[i].never);
	}
}

static void test_emit(void **state)
{
	static const struct {
		uint64_t from, to;
		int status;
		const char *bytes;
	} cases[] = {
		{0x1000, 0x1005, 0, "e9 00 00 00 00"},
		{0x1000, 0x1000, 0, "e9 fb ff ff ff"},
		{0x1000, 0x80001004, 0, "e9 ff ff ff 7f"},
		{0x1000, 0x80001005, STATUS_RANGE, ""},
		{0x80000000, 5, 0, "e9 00 00 00 80"},
		{0x80000000, 4, STATUS_RANGE, ""},
	};
	static const uint8_t absolute[EMIT_JMP_ABS] = {0xff, 0x25, 0, 0, 0, 0, 8,
						       7,    6,	   5, 4, 3, 2, 1};
	uint8_t out[EMIT_JMP_ABS], expected[EMIT_JMP_REL32];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = hex_bytes(cases[i].bytes, expected, sizeof(expected));

		assert_int_equal(emit_jmp_rel32(taddr_of(cases[i].from),
						taddr_of(cases[i].to), out),
				 cases[i].status);
		assert_memory_equal(out, expected, n);
	}
	assert_int_equal(emit_jmp_abs(taddr_of(0x0102030405060708), out), EMIT_JMP_ABS);
	assert_memory_equal(out, absolute, sizeof(absolute));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unchanged), cmocka_unit_test(test_displacements),
		cmocka_unit_test(test_syscall),	  cmocka_unit_test(test_out_of_reach),
		cmocka_unit_test(test_refusals),  cmocka_unit_test(test_emit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
