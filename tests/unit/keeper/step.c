/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/hex.h"
#include "tracer/keeper/space/step.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#define AT     0x401000
#define MEMORY 0x7000
#define STACK  (MEMORY + 0x80)

enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };

/* The target's memory: 256 bytes at MEMORY, and a switch that makes them read-only. */
struct memory {
	uint8_t bytes[256];
	bool read_only;
};

static int memory_read(void *ctx, taddr addr, void *buf, size_t n)
{
	struct memory *m = ctx;

	if (addr.v < MEMORY || addr.v - MEMORY > sizeof(m->bytes) - n)
		return STATUS_FAULT;
	memcpy(buf, m->bytes + (addr.v - MEMORY), n);
	return 0;
}

static int memory_write(void *ctx, taddr addr, const void *buf, size_t n)
{
	struct memory *m = ctx;

	if (m->read_only || addr.v < MEMORY || addr.v - MEMORY > sizeof(m->bytes) - n)
		return STATUS_FAULT;
	memcpy(m->bytes + (addr.v - MEMORY), buf, n);
	return 0;
}

static void decode_text(const char *text, struct insn *in)
{
	uint8_t bytes[32];
	size_t n = hex_bytes(text, bytes, sizeof(bytes));

	assert_int_equal(decode(bytes, n, taddr_of(AT), in), 0);
	assert_int_equal(in->len, n);
}

static void test_plan(void **state)
{
	static const struct {
		const char *text;
		enum step_how how;
		const char *reason;
	} cases[] = {
		{"eb 00", STEP_EMULATE, NULL},
		{"e9 00 00 00 00", STEP_EMULATE, NULL},
		{"74 00", STEP_EMULATE, NULL},
		{"0f 8f 00 00 00 00", STEP_EMULATE, NULL},
		{"e2 00", STEP_EMULATE, NULL},
		{"67 e3 00", STEP_EMULATE, NULL},
		{"e8 00 00 00 00", STEP_EMULATE, NULL},
		{"67 e8 00 00 00 00", STEP_EMULATE, NULL},
		{"ff d0", STEP_EMULATE, NULL},
		{"3e ff e0", STEP_EMULATE, NULL},
		{"ff 25 00 00 00 00", STEP_EMULATE, NULL},
		{"90", STEP_EMULATE, NULL},
		{"0f 1f 40 00", STEP_EMULATE, NULL},
		{"f3 0f 1e fa", STEP_EMULATE, NULL},
		{"f3 48 0f 1e c8", STEP_XOL, NULL},
		{"c3", STEP_XOL, NULL},
		{"c2 08 00", STEP_XOL, NULL},
		{"0f 05", STEP_XOL, NULL},
		{"55", STEP_XOL, NULL},
		{"48 8d 05 00 00 00 00", STEP_XOL, NULL},
		{"f3 a4", STEP_XOL, NULL},
		{"41 90", STEP_XOL, NULL},
		{"cc", STEP_REFUSE,
		 "it is a trap instruction (int3, int1) of the program itself"},
		{"cd 80", STEP_REFUSE, "it is a software interrupt"},
		{"f4", STEP_XOL, NULL}, /* they fault in the copy, as they should */
		{"0f 0b", STEP_XOL, NULL},
		{"48 cb", STEP_REFUSE,
		 "it changes the code segment or the privilege level"},
		{"c7 f8 00 00 00 00", STEP_REFUSE,
		 "it begins a transaction, which a breakpoint would abort"},
		{"0f 01 d5", STEP_REFUSE,
		 "it belongs to a transaction, which a breakpoint would abort"},
		{"0f 34", STEP_REFUSE, "it is sysenter, which returns elsewhere"},
	};
	uint8_t out[STEP_SLOT_MAX], len;
	const char *reason;
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		decode_text(cases[i].text, &in);
		assert_int_equal(step_plan(&in, &reason), cases[i].how);
		if (cases[i].reason)
			assert_string_equal(reason, cases[i].reason);
		else
			assert_null(reason);
		if (cases[i].how == STEP_REFUSE)
			assert_int_equal(
				step_build_slot(&in, taddr_of(AT + 0x100), out, &len),
				STATUS_UNSUP);
	}
}

static void test_copy(void **state)
{
	static const struct {
		const char *text;
		uint64_t to;
		int n; /* or the status */
		const char *copy;
	} cases[] = {
		{"55", AT + 0x100, 6, "55 e9 fb fe ff ff"},
		{"55", 0x7f0000000000, 15,
		 "55 ff 25 00 00 00 00 01 10 40 00 00 00 00 00"},
		{"48 8d 05 00 00 00 00", AT + 0x100, 12,
		 "48 8d 05 00 ff ff ff e9 fb fe ff ff"},
		{"48 8d 05 00 00 00 00", 0x7f0000000000, STATUS_RANGE, ""},
		{"c3", 0x7f0000000000, 1, "c3"},
		{"c2 08 00", AT + 0x100, 3, "c2 08 00"},
		{"0f 05", AT + 0x100, 17,
		 "0f 05 48 b9 02 10 40 00 00 00 00 00 e9 f1 fe ff ff"},
		{"0f 05", 0x7f0000000000, 26,
		 "0f 05 48 b9 02 10 40 00 00 00 00 00 "
		 "ff 25 00 00 00 00 02 10 40 00 00 00 00 00"},
	};
	uint8_t out[STEP_SLOT_MAX], expected[STEP_SLOT_MAX], len;
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = hex_bytes(cases[i].copy, expected, sizeof(expected));

		decode_text(cases[i].text, &in);
		assert_int_equal(step_build_slot(&in, taddr_of(cases[i].to), out, &len),
				 cases[i].n);
		assert_memory_equal(out, expected, n);
		if (n > 0)
			assert_int_equal(len, in.len);
	}
}

static void test_context(void **state)
{
	static const struct {
		const char *text;
		uint64_t copy;
		size_t copy_len;
		uint64_t rip; /* where the thread is found */
		bool inside;
		uint64_t home, rcx;
	} cases[] = {
		{"48 89 e5", 0x9000, 8, 0x9000, true, AT, 5},
		{"48 89 e5", 0x9000, 8, 0x9003, true, AT + 3, 5},
		{"48 89 e5", 0x9000, 8, 0x9007, true, AT + 3, 5},
		{"48 89 e5", 0x9000, 8, 0x9008, false, 0x9008, 5},
		{"48 89 e5", 0x9000, 8, 0x8fff, false, 0x8fff, 5},
		{"0f 05", 0x9000, 17, 0x9000, true, AT, 5},
		{"0f 05", 0x9000, 17, 0x9002, true, AT + 2, AT + 2},
		{"0f 05", 0x9000, 17, 0x900c, true, AT + 2, AT + 2},
		{"c3", 0x9000, 1, 0x9000, true, AT, 5},
		{"c3", 0x9000, 1, 0x9001, false, 0x9001, 5},
	};
	struct regs regs;
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		memset(&regs, 0, sizeof(regs));
		regs.rcx = 5;
		regs.rip = cases[i].rip;
		decode_text(cases[i].text, &in);
		assert_int_equal(step_pc_fixup(&in, taddr_of(cases[i].copy),
					       cases[i].copy_len, &regs),
				 cases[i].inside);
		assert_int_equal(regs.rip, cases[i].home);
		assert_int_equal(regs.rcx, cases[i].rcx);
	}
}

/* Registers every emulation case starts from. */
static struct regs start_regs(void)
{
	struct regs r;

	memset(&r, 0, sizeof(r));
	r.rip = AT;
	r.rsp = STACK;
	r.rax = MEMORY;
	r.rbx = 0x5000;
	r.r12 = 3;
	r.r13 = 0xffffffff00000000 | MEMORY;
	r.r15 = 0x123456;
	r.fs_base = MEMORY - 0x100;
	r.gs_base = MEMORY + 0x10;
	return r;
}

/* The eight bytes at MEMORY + 8 * i are 0x600000 + i. */
static void fill_memory(struct memory *m)
{
	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < sizeof(m->bytes) / 8; i++)
		bytes_store(m->bytes + 8 * i, 0x600000 + i, 8);
}

/* Everything but the registers in the table stays as it was. */
static void test_emulate(void **state)
{
	static const struct {
		const char *text;
		uint64_t rip;
		bool pushes; /* the address after it */
	} cases[] = {
		{"90", AT + 1, false},
		{"66 0f 1f 44 00 00", AT + 6, false},
		{"f3 0f 1e fa", AT + 4, false},
		{"eb 10", AT + 0x12, false},
		{"e9 fb ff ff ff", AT, false},
		{"e8 00 01 00 00", AT + 0x105, true},
		{"ff e3", 0x5000, false},
		{"3e 41 ff e7", 0x123456, false},
		{"ff e4", STACK, false},
		{"ff d3", 0x5000, true},
		{"ff d4", STACK, true}, /* the old rsp */
		{"41 ff d7", 0x123456, true},
		{"ff 20", 0x600000, false},
		{"ff 60 08", 0x600001, false},
		{"42 ff 24 e0", 0x600003, false},
		{"42 ff 64 e0 08", 0x600004, false},
		{"ff 24 24", 0x600010, false},
		{"ff 54 24 08", 0x600011, true}, /* through the old rsp */
		{"ff 14 25 20 70 00 00", 0x600004, true},
		{"67 41 ff 65 08", 0x600001, false},
		{"64 ff 24 25 08 01 00 00", 0x600001, false},
		{"65 ff 14 25 00 00 00 00", 0x600002, true},
		{"65 42 ff 24 e5 00 00 00 00", 0x600005, false},
		{"ff 25 0a 60 c0 ff", 0x600002, false}, /* rip-relative */
		{"67 ff 25 09 60 c0 ff", 0x600002, false},
		{"66 48 ff 15 08 60 c0 ff", 0x600002, true},
	};
	struct regs regs, expected;
	struct memory m;
	struct step_memory mem = {&m, memory_read, memory_write};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fill_memory(&m);
		regs = expected = start_regs();
		decode_text(cases[i].text, &in);
		expected.rip = cases[i].rip;
		if (cases[i].pushes)
			expected.rsp -= 8;
		assert_int_equal(step_emulate(&in, &regs, &mem), 0);
		assert_int_equal(regs.rip, expected.rip);
		assert_memory_equal(&regs, &expected, sizeof(regs));
		assert_int_equal(bytes_load(m.bytes + 0x78, 8),
				 cases[i].pushes ? AT + in.len : 0x60000f);
	}
}

/* All sixteen conditions under all sets of the five flags: the formulas of the SDM. */
static void test_conditions(void **state)
{
	struct step_memory none = {0};
	struct insn in;

	(void)state;
	for (unsigned set = 0; set < 32; set++) {
		bool c = set & 1, p = set & 2, z = set & 4, s = set & 8, o = set & 16;
		bool truth[16] = {o,	  !o,	     c,		  !c,	       z, !z,
				  c || z, !(c || z), s,		  !s,	       p, !p,
				  s != o, s == o,    z || s != o, !z && s == o};

		for (unsigned cc = 0; cc < 16; cc++) {
			struct regs regs = start_regs();
			uint8_t bytes[] = {(uint8_t)(0x70 | cc), 0x40};

			regs.flags = 0x202 | (c ? CF : 0) | (p ? PF : 0) |
				     (z ? ZF : 0) | (s ? SF : 0) | (o ? OF : 0);
			assert_int_equal(decode(bytes, 2, taddr_of(AT), &in), 0);
			assert_int_equal(step_emulate(&in, &regs, &none), 0);
			assert_int_equal(regs.rip, AT + 2 + (truth[cc] ? 0x40 : 0));
		}
	}
}

static void test_loops(void **state)
{
	static const struct {
		const char *text;
		uint64_t rcx, flags;
		bool taken;
		uint64_t left;
	} cases[] = {
		{"e2 10", 2, 0, true, 1},
		{"e2 10", 1, 0, false, 0},
		{"e2 10", 0, 0, true, UINT64_MAX},
		{"e2 10", 0x100000000, 0, true, 0xffffffff},
		{"67 e2 10", 0x100000001, 0, false, 0},
		{"67 e2 10", 0x100000000, 0, true, 0xffffffff},
		{"e1 10", 2, ZF, true, 1},
		{"e1 10", 2, 0, false, 1},
		{"e1 10", 1, ZF, false, 0},
		{"e0 10", 2, 0, true, 1},
		{"e0 10", 2, ZF, false, 1},
		{"e0 10", 1, 0, false, 0},
		{"e3 10", 0, 0, true, 0},
		{"e3 10", 0x100000000, 0, false, 0x100000000},
		{"67 e3 10", 0x100000000, 0, true, 0x100000000},
		{"67 e3 10", 1, 0, false, 1},
	};
	struct step_memory none = {0};
	struct regs regs;
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		regs = start_regs();
		regs.rcx = cases[i].rcx;
		regs.flags = 0x202 | cases[i].flags;
		decode_text(cases[i].text, &in);
		assert_int_equal(step_emulate(&in, &regs, &none), 0);
		assert_int_equal(regs.rip, AT + in.len + (cases[i].taken ? 0x10 : 0));
		assert_true(regs.rcx == cases[i].left);
		assert_int_equal(regs.flags, 0x202 | cases[i].flags);
	}
}

/* Nothing changes when the thread must take the fault itself. */
static void test_faults(void **state)
{
	static const struct {
		const char *text;
		uint64_t rbx, rsp;
		bool read_only;
	} cases[] = {
		{"ff 23", 0x5000, STACK, false}, /* jmp *(%rbx) */
		{"ff 13", 0x5000, STACK, false},
		{"ff 63 01", MEMORY + 248, STACK, false}, /* over the end */
		{"e8 00 00 00 00", 0, MEMORY, false},	  /* push below the stack */
		{"ff d3", 0x5000, MEMORY + 7, false},
		{"ff 13", MEMORY, STACK, true},
		{"ff e3", 0x800000000000, STACK, false}, /* not canonical */
		{"ff d3", 0xdeadbeefdeadbeef, STACK, false},
	};
	struct regs regs, before;
	struct memory m, whole;
	struct step_memory mem = {&m, memory_read, memory_write};
	struct insn in;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fill_memory(&m);
		m.read_only = cases[i].read_only;
		whole = m;
		regs = start_regs();
		regs.rbx = cases[i].rbx;
		regs.rsp = cases[i].rsp;
		before = regs;
		decode_text(cases[i].text, &in);
		assert_int_equal(step_emulate(&in, &regs, &mem), STATUS_FAULT);
		assert_memory_equal(&regs, &before, sizeof(regs));
		assert_memory_equal(&m, &whole, sizeof(m));
	}
}

static void test_target(void **state)
{
	static const struct {
		const char *text;
		int status;
		uint64_t target;
	} cases[] = {
		{"eb 10", 0, AT + 0x12},    {"74 10", 0, AT + 0x12}, /* ZF is set */
		{"75 10", 0, AT + 2},	    {"e2 10", 0, AT + 0x12},
		{"e3 10", 0, AT + 0x12},    {"ff 60 08", 0, 0x600001},
		{"ff e3", 0, 0x5000},	    {"ff 24 25 00 00 00 00", STATUS_FAULT, 0},
		{"c3", 0, 0x600010},	    {"f3 c3", 0, 0x600010},
		{"c2 08 00", 0, 0x600010},  {"e8 00 01 00 00", 0, AT + 0x105},
		{"55", 0, AT + 1},	    {"0f 05", 0, AT + 2},
		{"48 cb", STATUS_UNSUP, 0}, {"0f 0b", STATUS_UNSUP, 0},
		{"cc", STATUS_UNSUP, 0},    {"c7 f8 00 00 00 00", STATUS_UNSUP, 0},
	};
	struct memory m;
	struct step_memory mem = {&m, memory_read, memory_write};
	struct regs regs = start_regs();
	const struct regs before = start_regs();
	struct insn in;
	taddr target;

	(void)state;
	fill_memory(&m);
	regs.flags = ZF;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		decode_text(cases[i].text, &in);
		assert_int_equal(step_target(&in, &regs, &mem, &target),
				 cases[i].status);
		if (cases[i].status == 0)
			assert_int_equal(target.v, cases[i].target);
		assert_int_equal(regs.rip, before.rip);
		assert_int_equal(regs.rsp, before.rsp);
		assert_int_equal(regs.rcx, before.rcx);
	}
	regs.rsp = 0x10;
	decode_text("c3", &in);
	assert_int_equal(step_target(&in, &regs, &mem, &target), STATUS_FAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),	   cmocka_unit_test(test_copy),
		cmocka_unit_test(test_context),	   cmocka_unit_test(test_emulate),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_loops),
		cmocka_unit_test(test_faults),	   cmocka_unit_test(test_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
