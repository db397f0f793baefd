/* SPDX-License-Identifier: MIT */
/* How instructions make the value of a register. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "disasm/disasm.h"
#include "tests/unit/support/hex.h"
#include "vm/base/status.h"

#define AT UINT64_C(0x1000)

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R14 = 14, R15 };

#define BIT(reg) (1u << (reg))

static const struct case_of {
	const char *text;
	unsigned reg;
	uint8_t source, loaded;
	uint32_t from;
	uint64_t target;
} cases[] = {
	/* mov, movzx, movsx, cltq */
	{"48 89 d0", RAX, INSN_COPIES, 0, BIT(RDX), 0},
	{"48 89 d0", RDX, INSN_KEEPS, 0, 0, 0},
	{"4d 8b f9", R15, INSN_COPIES, 0, BIT(R9), 0},
	{"48 63 04 ba", RAX, INSN_LOADS, 4, 0, 0},
	{"48 63 c7", RAX, INSN_COPIES, 0, BIT(RDI), 0},
	{"48 8b 04 fa", RAX, INSN_LOADS, 8, 0, 0},
	{"8b 04 ba", RAX, INSN_LOADS, 4, 0, 0},
	{"0f b6 04 3a", RAX, INSN_LOADS, 1, 0, 0},
	{"49 0f bf 04 78", RAX, INSN_LOADS, 2, 0, 0},
	{"0f b7 c1", RAX, INSN_COPIES, 0, BIT(RCX), 0},
	{"48 98", RAX, INSN_COPIES, 0, BIT(RAX), 0},
	{"48 89 04 24", RAX, INSN_KEEPS, 0, 0, 0},
	/* constants and addresses */
	{"48 8d 15 f9 0f 00 00", RDX, INSN_NAMES, 0, 0, 0x2000},
	{"48 8d 15 f9 0f 00 00", RAX, INSN_KEEPS, 0, 0, 0},
	{"b8 03 10 40 00", RAX, INSN_NAMES, 0, 0, 0x401003},
	{"49 be 03 10 40 00 01 00 00 00", R14, INSN_NAMES, 0, 0, 0x100401003},
	{"48 c7 c0 03 10 40 00", RAX, INSN_NAMES, 0, 0, 0x401003},
	{"31 c0", RAX, INSN_NAMES, 0, 0, 0},
	/* sums */
	{"48 01 d0", RAX, INSN_SUMS, 0, BIT(RAX) | BIT(RDX), 0},
	{"48 03 14 fa", RDX, INSN_SUMS, 8, BIT(RDX), 0},
	{"48 29 d0", RAX, INSN_SUMS, 0, BIT(RAX) | BIT(RDX), 0},
	{"48 8d 14 b2", RDX, INSN_SUMS, 0, BIT(RDX) | BIT(RSI), 0},
	{"4a 8d 14 f5 00 00 00 00", RDX, INSN_SUMS, 0, BIT(R14), 0},
	{"48 8d 42 10", RAX, INSN_SUMS, 0, BIT(RDX), 0},
	{"48 8d 42 00", RAX, INSN_COPIES, 0, BIT(RDX), 0},
	{"49 8d 04 24", RAX, INSN_COPIES, 0, BIT(12), 0},
	{"48 83 c0 05", RAX, INSN_SUMS, 0, BIT(RAX), 0},
	{"48 05 00 01 00 00", RAX, INSN_SUMS, 0, BIT(RAX), 0},
	{"48 c1 e1 06", RCX, INSN_SUMS, 0, BIT(RCX), 0},
	{"48 6b c1 13", RAX, INSN_SUMS, 0, BIT(RCX), 0},
	{"48 0f af c1", RAX, INSN_SUMS, 0, BIT(RAX) | BIT(RCX), 0},
	{"48 f7 d8", RAX, INSN_SUMS, 0, BIT(RAX), 0},
	{"48 ff c0", RAX, INSN_SUMS, 0, BIT(RAX), 0},
	/* what keeps most bits, and what none */
	{"48 83 e0 f0", RAX, INSN_COPIES, 0, BIT(RAX), 0},
	{"48 25 00 ff ff ff", RAX, INSN_COPIES, 0, BIT(RAX), 0},
	{"64 48 33 14 25 30 00 00 00", RDX, INSN_COPIES, 0, BIT(RDX), 0},
	{"48 c1 ca 11", RDX, INSN_COPIES, 0, BIT(RDX), 0},
	{"58", RAX, INSN_MAKES, 0, 0, 0},
	{"41 5e", R14, INSN_MAKES, 0, 0, 0},
	{"e8 00 00 00 00", RAX, INSN_MAKES, 0, 0, 0},
	{"e8 00 00 00 00", RBX, INSN_KEEPS, 0, 0, 0},
	{"ff d2", R8, INSN_MAKES, 0, 0, 0},
	{"48 0f 44 c2", RAX, INSN_MAKES, 0, 0, 0},
	{"48 87 d0", RDX, INSN_MAKES, 0, 0, 0},
	{"48 92", RDX, INSN_MAKES, 0, 0, 0},
	{"48 f7 e1", RDX, INSN_MAKES, 0, 0, 0},
	{"0f 94 c0", RAX, INSN_MAKES, 0, 0, 0},
	{"66 48 0f 7e c0", RAX, INSN_MAKES, 0, 0, 0},
	{"0f a2", RDX, INSN_MAKES, 0, 0, 0},
	{"48 0f bc c1", RAX, INSN_MAKES, 0, 0, 0},
	{"49 0f ca", 10, INSN_MAKES, 0, 0, 0},
	{"49 0f ca", RDX, INSN_KEEPS, 0, 0, 0},
	/* none */
	{"48 39 d0", RAX, INSN_KEEPS, 0, 0, 0},
	{"48 3d 00 01 00 00", RAX, INSN_KEEPS, 0, 0, 0},
	{"48 83 f8 05", RAX, INSN_KEEPS, 0, 0, 0},
	{"48 85 c0", RAX, INSN_KEEPS, 0, 0, 0},
	{"a8 01", RAX, INSN_KEEPS, 0, 0, 0},
	{"48 f7 c0 01 00 00 00", RAX, INSN_KEEPS, 0, 0, 0},
	{"50", RAX, INSN_KEEPS, 0, 0, 0},
	{"90", RAX, INSN_KEEPS, 0, 0, 0},
	{"0f 1f 40 00", RAX, INSN_KEEPS, 0, 0, 0},
	{"48 01 10", RAX, INSN_KEEPS, 0, 0, 0},
	{"f3 0f 6f 06", RAX, INSN_KEEPS, 0, 0, 0},
	{"c5 f8 28 06", RAX, INSN_KEEPS, 0, 0, 0},
};

static void test_sources(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct case_of *c = &cases[i];
		struct insn_value v;
		uint8_t bytes[16];
		size_t n = hex_bytes(c->text, bytes, sizeof(bytes));

		if (insn_value(bytes, n, taddr_of(AT), c->reg, &v) != 0)
			fail_msg("%s: cannot be read", c->text);
		if (v.source != c->source || v.loaded != c->loaded ||
		    v.from != c->from ||
		    (c->source == INSN_NAMES && v.target.v != c->target))
			fail_msg("%s: source %d, loaded %d, from %x, target %lx",
				 c->text, v.source, v.loaded, v.from,
				 (unsigned long)v.target.v);
	}
}

static void test_unread(void **state)
{
	static const uint8_t cut[] = {0xe8, 0, 0};
	struct insn_value v;

	(void)state;
	assert_int_equal(insn_value(cut, sizeof(cut), taddr_of(AT), RAX, &v),
			 STATUS_BADFMT);
	assert_int_equal(v.source, INSN_KEEPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
