/* SPDX-License-Identifier: MIT */
/*
 * Stubs, byte for byte, and run: functions in memory of our own are patched
 * and called, with a shared entry of a few instructions in place of the resident
 * code, as a registered thread, as one with GS base 0, and switched off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hook/trampoline.h"
#include "tests/unit/support/hook_code.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#define STUB_AT	  (CODE_AT + 0x100000)
#define SWITCH_AT (STUB_AT - 0x1000)

static const struct stub_gate gate = {0x20008, 0x20010};

static int build(struct code *c, const char *text, struct stub *out)
{
	struct stub_request req = {.plan = &c->plan,
				   .gate = gate,
				   .site = 7,
				   .stub = taddr_of(STUB_AT),
				   .switch_word = taddr_of(SWITCH_AT)};
	uint8_t ignored[512];

	code_set(c, text, hex_bytes(text, ignored, sizeof(ignored)));
	code_plan(c);
	if (c->plan.reason)
		fail_msg("%s: %s", text, hook_reason_text(c->plan.reason));
	return stub_build(&req, out);
}

/* switch - (stub + 6) = ffffeffa; the words of the gate; the number */
static const char head[] =
	"ff 25 fa ef ff ff 65 48 89 04 25 08 00 02 00 b8 07 00 00 00 "
	"65 ff 24 25 10 00 02 00";

/* The tail is at CODE_AT + 0x10001c. */
static const struct {
	const char *text, *patch, *tail;
} tails[] = {
	/* as they are; back to CODE_AT + 5 from the tail's end, + 0x100026 */
	{"55 48 89 e5 90 c3", "e9 fb ff 0f 00", "55 48 89 e5 90 e9 df ff ef ff"},
	/* endbr64 vanishes */
	{"f3 0f 1e fa 55 48 89 e5 c3", "e9 fb ff 0f 00", "55 e9 e3 ff ef ff"},
	/* rip-relative: farther by 0x10001c */
	{"48 8b 05 00 10 00 00 c3", "e9 fb ff 0f 00",
	 "48 8b 05 e4 0f f0 ff e9 df ff ef ff"},
	/* ends in ret or a jump: no way back */
	{"31 c0 ff c0 c3", "e9 fb ff 0f 00", "31 c0 ff c0 c3"},
	{"e9 00 01 00 00", "e9 fb ff 0f 00", "e9 e4 00 f0 ff"},
	{"90 90 90 eb 10", "e9 fb ff 0f 00", "90 90 90 e9 f1 ff ef ff"},
	{"ff 25 00 01 00 00", "e9 fb ff 0f 00", "ff 25 e4 00 f0 ff"},
	{"90 90 90 ff e0", "e9 fb ff 0f 00", "90 90 90 ff e0"},
	{"90 90 3e ff e0", "e9 fb ff 0f 00", "90 90 3e ff e0"},
	/* a short conditional jump becomes a near one, to CODE_AT + 5 */
	{"74 03 b8 01 00 00 00 c3", "e9 fb ff 0f 00",
	 "0f 84 e3 ff ef ff b8 01 00 00 00 e9 db ff ef ff"},
	{"0f 8f 00 01 00 00 c3", "e9 fb ff 0f 00", "0f 8f e4 00 f0 ff e9 df ff ef ff"},
	/* jrcxz and jecxz to CODE_AT + 0x80 */
	{"e3 7e 90 90 90 c3", "e9 fb ff 0f 00",
	 "e3 02 eb 05 e9 5b 00 f0 ff 90 90 90 e9 d8 ff ef ff"},
	{"67 e3 7d 90 90 c3", "e9 fb ff 0f 00",
	 "67 e3 02 eb 05 e9 5a 00 f0 ff 90 90 e9 d8 ff ef ff"},
	{"90 90 90 e2 7b c3", "e9 fb ff 0f 00",
	 "90 90 90 e2 02 eb 05 e9 58 00 f0 ff e9 d8 ff ef ff"},
	/* calls: push *literal; jump; literal, the original return address */
	{"48 83 ec 08 e8 00 01 00 00 c3", "e9 fb ff 0f 00",
	 "48 83 ec 08 ff 35 05 00 00 00 e9 de 00 f0 ff 09 10 40 00 00 00 00 00"},
	{"48 83 ec 08 ff d0 c3", "e9 fb ff 0f 00",
	 "48 83 ec 08 ff 35 02 00 00 00 ff e0 06 10 40 00 00 00 00 00"},
	{"48 83 ec 08 41 ff 53 10 c3", "e9 fb ff 0f 00",
	 "48 83 ec 08 ff 35 04 00 00 00 41 ff 63 10 08 10 40 00 00 00 00 00"},
	{"ff 15 00 01 00 00 c3", "e9 fb ff 0f 00",
	 "ff 35 06 00 00 00 ff 25 de 00 f0 ff 06 10 40 00 00 00 00 00"},
	{"67 e8 00 01 00 00 c3", "e9 fb ff 0f 00",
	 "ff 35 05 00 00 00 e9 df 00 f0 ff 06 10 40 00 00 00 00 00"},
	/* a retargeted call: on to the callee */
	{"e8 00 01 00 00 c3", "e8 fb ff 0f 00", "e9 e4 00 f0 ff"},
	{"f3 0f 1e fa e8 00 01 00 00 c3", "e8 f7 ff 0f 00", "e9 e8 00 f0 ff"},
};

static void test_bytes(void **state)
{
	uint8_t expected[STUB_MAX];
	struct stub stub;
	struct code c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		size_t n = hex_bytes(head, expected, sizeof(expected));

		assert_int_equal(n, STUB_EPILOGUE);
		n += hex_bytes(tails[i].tail, expected + n, sizeof(expected) - n);
		assert_int_equal(build(&c, tails[i].text, &stub), 0);
		if (stub.n != n || memcmp(stub.bytes, expected, n) != 0)
			fail_msg("%s: wrong stub", tails[i].text);
		assert_int_equal(hex_bytes(tails[i].patch, expected, 5), 5);
		if (memcmp(stub.patch, expected, 5) != 0)
			fail_msg("%s: wrong patch", tails[i].text);
		assert_int_equal(stub.sp_fix, c.plan.tactic == HOOK_CALL ? 8 : 0);
	}
}

struct point_case {
	int at, pc, sp_fix; /* pc from CODE_AT */
	bool is_spilled;
};

static void check_points(const char *text, const struct point_case *points, size_t n)
{
	struct stub stub;
	struct code c;

	assert_int_equal(build(&c, text, &stub), 0);
	assert_int_equal(stub.npoints, n);
	for (size_t i = 0; i < n; i++) {
		const struct stub_point *p = stub_point_at(&stub, (size_t)points[i].at);

		if (!p)
			fail_msg("%s: no point at %d", text, points[i].at);
		assert_int_equal(p->pc.v - CODE_AT, points[i].pc);
		assert_int_equal(p->sp_fix, points[i].sp_fix);
		assert_int_equal(p->is_spilled, points[i].is_spilled);
	}
	assert_null(stub_point_at(&stub, 1));
	assert_null(stub_point_at(&stub, stub.n));
}

static void test_points(void **state)
{
	static const struct point_case three[] = {
		{0, 0, 0, false},  {6, 0, 0, false},  {15, 0, 0, false},
		{20, 0, 0, true},  {28, 0, 0, false}, {29, 1, 0, false},
		{32, 4, 0, false}, {36, 8, 0, false},
	};
	static const struct point_case call[] = {
		{0, 0, 0, false},  {6, 0, 0, false},  {15, 0, 0, false},
		{20, 0, 0, true},  {28, 0, 0, false}, {32, 4, 0, false},
		{38, 4, 8, false},
	};
	static const struct point_case loop[] = {
		{0, 0, 0, false},    {6, 0, 0, false},	{15, 0, 0, false},
		{20, 0, 0, true},    {28, 0, 0, false}, {30, 2, 0, false},
		{32, 128, 0, false}, {37, 2, 0, false}, {38, 3, 0, false},
		{39, 4, 0, false},   {40, 5, 0, false},
	};
	/* whoever is in the stub of a retargeted call has called */
	static const struct point_case retargeted[] = {
		{0, 261, 0, false}, {6, 261, 0, false},	 {15, 261, 0, false},
		{20, 261, 0, true}, {28, 261, 0, false},
	};

	(void)state;
	check_points("55 48 89 e5 48 83 ec 10 c3", three, ARRAY_LEN(three));
	check_points("48 83 ec 08 ff d0 c3", call, ARRAY_LEN(call));
	check_points("e3 7e 90 90 90 c3", loop, ARRAY_LEN(loop));
	check_points("e8 00 01 00 00 c3", retargeted, ARRAY_LEN(retargeted));
}

static void check_inside(const char *text, const int *offsets)
{
	struct stub stub;
	struct code c;

	assert_int_equal(build(&c, text, &stub), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(
			stub_offset_of(&stub, &c.plan, taddr_of(CODE_AT + (uint64_t)i)),
			offsets[i]);
}

/* Threads that stood among the bytes when they were patched. */
static void test_inside(void **state)
{
	(void)state;
	check_inside("55 48 89 e5 48 83 ec 10 c3 c3",
		     (const int[]){-1, 29, -1, -1, 32, -1, -1, -1, -1, -1});
	check_inside("f3 0f 1e fa 55 48 89 e5 c3 c3",
		     (const int[]){-1, -1, -1, -1, 28, -1, -1, -1, -1, -1});
	check_inside("48 83 ec 08 ff d0 c3 c3 c3 c3",
		     (const int[]){-1, -1, -1, -1, 32, -1, -1, -1, -1, -1});
	check_inside("e8 00 01 00 00 c3 c3 c3 c3 c3",
		     (const int[]){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1});
}

static void test_out_of_reach(void **state)
{
	struct stub_request req = {.gate = gate, .site = 7};
	struct stub stub;
	struct code c;

	(void)state;
	code_set(&c, "48 8b 05 00 10 00 00 c3", 8);
	code_plan(&c);
	req.plan = &c.plan;
	req.stub = taddr_of(CODE_AT + 0x7fff0000);
	req.switch_word = req.stub;
	assert_int_equal(stub_build(&req, &stub), 0);
	req.stub = taddr_of(CODE_AT + 0x80000006);
	req.switch_word = req.stub;
	assert_int_equal(stub_build(&req, &stub), STATUS_RANGE);
	req.stub = taddr_of(CODE_AT + 0x100000000);
	assert_int_equal(stub_build(&req, &stub), STATUS_RANGE);
	req.stub = taddr_of(STUB_AT);
	req.switch_word = taddr_of(STUB_AT + 0x80000006);
	assert_int_equal(stub_build(&req, &stub), STATUS_RANGE);
	req.switch_word.v--;
	assert_int_equal(stub_build(&req, &stub), 0);
	req.gate.enter_at = INT32_MAX;
	assert_int_equal(stub_build(&req, &stub), 0);
	req.gate.enter_at++;
	assert_int_equal(stub_build(&req, &stub), STATUS_RANGE);
}

/* Everything but the points, which do not depend on the place. */
static void assert_same_stub(const char *text, const struct stub *a,
			     const struct stub *b)
{
	if (a->n != b->n || memcmp(a->bytes, b->bytes, a->n) ||
	    memcmp(a->patch, b->patch, sizeof(a->patch)) ||
	    memcmp(a->island, b->island, sizeof(a->island)) ||
	    memcmp(a->prologues, b->prologues, sizeof(a->prologues)))
		fail_msg("%s: another stub than one that was built there", text);
}

/* What is built at one place and moved is what is built at the other. */
static void test_placed(void **state)
{
	static const struct stub_gate other_gate = {0x40018, 0x40020};
	static const int64_t away[] = {0x10, -0x12345, 0x7ffd0000, -0x7ffd0000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tails); i++) {
		struct stub first, moved, there;
		struct code c;

		assert_int_equal(build(&c, tails[i].text, &first), 0);
		for (size_t k = 0; k < ARRAY_LEN(away); k++) {
			const taddr at = taddr_of(CODE_AT + (uint64_t)away[k]);
			const struct stub_request req = {.plan = &c.plan,
							 .gate = other_gate,
							 .site = 0x1234567,
							 .stub = at,
							 .switch_word =
								 taddr_add(at, 0x800)};
			int status = stub_build(&req, &there);

			moved = first;
			assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &moved),
					 status);
			if (!status)
				assert_same_stub(tails[i].text, &moved, &there);
		}
	}
}

/* Out of reach for the operand, for the way back, for the switch and for the gate. */
static void test_placed_too_far(void **state)
{
	struct stub first, moved;
	struct code c;
	struct stub_request req = {.plan = &c.plan, .gate = gate};

	(void)state;
	assert_int_equal(build(&c, "48 8b 05 00 10 00 00 c3", &first), 0);
	for (uint64_t at = CODE_AT + 0x7ffffe00; at < CODE_AT + 0x80000200; at++) {
		struct stub there;

		req.stub = req.switch_word = taddr_of(at);
		moved = first;
		assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &moved),
				 stub_build(&req, &there));
	}
	req.stub = taddr_of(STUB_AT);
	req.switch_word = taddr_of(STUB_AT + 0x80000006);
	moved = first;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &moved), STATUS_RANGE);
	req.switch_word.v--;
	req.gate.spill_at = INT32_MAX + UINT32_C(1);
	moved = first;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &moved), STATUS_RANGE);
}

/* An operand of 32 bits has no distance: the processor cuts it off. */
static void test_not_placed(void **state)
{
	struct stub_request req = {.gate = gate,
				   .stub = taddr_of(STUB_AT),
				   .switch_word = taddr_of(STUB_AT)};
	struct stub stub;
	struct code c;

	(void)state;
	assert_int_equal(build(&c, "67 48 8b 05 00 10 00 00 c3", &stub), 0);
	req.plan = &c.plan;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &stub), STATUS_UNSUP);
	assert_int_equal(build(&c, "55 48 89 e5 90 c3", &stub), 0);
	c.plan.tactic = HOOK_JMP_PUN;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &stub), STATUS_UNSUP);
	c.plan.tactic = HOOK_JMP_CHAIN;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &stub), STATUS_UNSUP);
	c.plan.tactic = HOOK_JMP;
	c.plan.island.ninsns = 1;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &stub), STATUS_UNSUP);
	c.plan.island.ninsns = 0;
	assert_int_equal(stub_place(&req, taddr_of(STUB_AT), &stub), 0);
}

static void test_no_plan(void **state)
{
	struct stub_request req = {.gate = gate};
	struct stub stub;
	struct code c;

	(void)state;
	req.plan = &c.plan;
	code_set(&c, "c3 00 00", 1);
	code_plan(&c);
	assert_int_equal(stub_build(&req, &stub), STATUS_INVAL);
	code_set(&c, "55 48 89 e5 90 c3", 6);
	code_plan(&c);
	c.plan.original[0] = 0x06; /* not what was planned */
	req.stub = taddr_of(STUB_AT);
	req.switch_word = req.stub;
	assert_int_equal(stub_build(&req, &stub), STATUS_INVAL);
}

/*
 * Running them. The gate's words are at RUN_GATE (of threads without a slot) and RUN_SLOT: rax, enter,
 * tail, a place for rcx, and a count of entries that changes no flags.
 */
#define RUN_GATE  0x30000000u
#define RUN_SLOT  UINT64_C(0x30008000)
#define RUN_CODE  UINT64_C(0x31000000)
#define RUN_STUB  UINT64_C(0x31010000)
#define RUN_WORD  UINT64_C(0x31020000)
#define RUN_BYTES 0x30000

struct words {
	uint64_t rax, enter, epilogue, rcx, count;
};

void test_entry(void);
uint64_t test_call(uint64_t function, uint64_t rdi, uint64_t rsi, uint64_t *flags);
uint64_t test_callee(uint64_t rdi);

__asm__(".pushsection .text\n"
	"test_entry:\n"
	"	mov	%rcx, %gs:0x30000018\n"
	"	mov	%gs:0x30000020, %rcx\n"
	"	lea	1(%rcx), %rcx\n"
	"	mov	%rcx, %gs:0x30000020\n"
	"	mov	%gs:0x30000018, %rcx\n"
	"	mov	%gs:0x30000000, %rax\n"
	"	jmp	*%gs:0x30000010\n"
	/* calls with known registers and flags; the stack below must stay as it is */
	"test_call:\n"
	"	push	%rbx\n"
	"	push	%r12\n"
	"	push	%rcx\n"
	"	mov	%rdi, %r11\n"
	"	mov	%rsi, %rdi\n"
	"	mov	%rdx, %rsi\n"
	"	mov	%rdi, %rcx\n"
	"	mov	$0x1234567890, %rax\n"
	"	lea	test_callee(%rip), %r10\n"
	"	mov	$0x5a5a5a5a5a5a5a5a, %rbx\n"
	"	lea	-256(%rsp), %r8\n"
	"1:	mov	%rbx, (%r8)\n"
	"	add	$8, %r8\n"
	"	cmp	%rsp, %r8\n"
	"	jne	1b\n"
	"	cmp	%rsi, %rdi\n"
	"	call	*%r11\n"
	"	pushf\n"
	"	pop	%rdx\n"
	"	pop	%rcx\n"
	"	mov	%rdx, (%rcx)\n"
	"	pop	%r12\n"
	"	pop	%rbx\n"
	"	ret\n"
	"test_callee:\n"
	"	lea	3(%rdi,%rdi,4), %rax\n"
	"	ret\n"
	".popsection\n");

/* Each ends in ret; %r10 holds the address of a function. */
struct program {
	const char *text;
	size_t size; /* of the function; 0: all */
};

static const struct program programs[] = {
	{"55 48 89 e5 8d 47 02 5d c3", 0},    /* push, mov, lea */
	{"f3 0f 1e fa 55 48 89 f8 5d c3", 0}, /* endbr64 */
	{"48 8b 44 24 f0 c3", 0},	      /* the red zone, as it was */
	{"48 8b 44 24 e8 c3", 0},	      /* ... farther down */
	{"48 8b 84 24 70 ff ff ff c3", 0},    /* ... and below it */
	{"9c 58 90 90 90 c3", 0},	      /* the flags at entry */
	{"48 8b 05 01 00 00 00 c3 11 22 33 44 55 66 77 08", 0}, /* rip-relative */
	{"75 05 b8 01 00 00 00 c3", 0}, /* jcc past its first bytes */
	{"7c 06 b8 07 00 00 00 c3 b8 09 00 00 00 c3", 0},
	{"67 e3 06 90 90 90 90 90 c3 b8 21 00 00 00 c3", 0}, /* jecxz */
	{"e3 05 b8 05 00 00 00 c3", 0},
	/* loop: counts rcx down, to its first byte or out */
	{"48 ff c0 90 e2 02 eb 04 31 c0 eb 00 c3", 0},
	{"41 50 41 ff d2 41 58 c3", 0}, /* a moved indirect call */
	{"48 83 ec 08 e8 05 00 00 00 48 83 c4 08 c3 8d 47 09 c3", 0}, /* a moved call */
	{"e8 01 00 00 00 c3 8d 47 0b c3", 0}, /* a retargeted one */
	{"f3 0f 1e fa e8 01 00 00 00 c3 8d 47 0d c3", 0},
	{"41 ff e2 90 90 90", 3}, /* a tail call */
	{"eb 03 cc cc cc 8d 47 0e c3", 2},
	{"48 ff c7 40 f6 c7 0f 75 f7 48 89 f8 c3", 0}, /* back to the first byte */
	{"31 c0 c3 90 90", 3},		/* padding, function of 3 bytes */
	{"48 8d 04 24 48 29 e0 c3", 0}, /* rsp is what it was */
	{"c3 90 90 90 90", 1},
};

static void set_gs(uint64_t base)
{
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, base), 0);
}

static void *map_at(uint64_t at, size_t n, int prot)
{
	void *p = mmap((void *)(uintptr_t)at, n, prot,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(p, (void *)(uintptr_t)at);
	return p;
}

static const uint64_t inputs[][2] = {
	{0, 0},
	{1, 0},
	{0, 1},
	{5, 5},
	{7, 100},
	{UINT32_MAX, 3},
	{1u << 31, 2},
	{UINT64_MAX, UINT64_MAX},
	{UINT64_C(1) << 63, 1},
};

struct result {
	uint64_t value, flags;
};

static void run_all(struct result out[ARRAY_LEN(inputs)])
{
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
		out[i].value =
			test_call(RUN_CODE, inputs[i][0], inputs[i][1], &out[i].flags);
}

static void check_same(const char *text, const struct result *a, const struct result *b)
{
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		if (a[i].value != b[i].value || a[i].flags != b[i].flags)
			fail_msg("%s, input %zu: %llx %llx instead of %llx %llx", text,
				 i, (unsigned long long)b[i].value,
				 (unsigned long long)b[i].flags,
				 (unsigned long long)a[i].value,
				 (unsigned long long)a[i].flags);
	}
}

static void patch_program(const struct program *p, struct stub *stub)
{
	struct stub_request req = {.gate = {RUN_GATE + offsetof(struct words, rax),
					    RUN_GATE + offsetof(struct words, enter)},
				   .site = 9,
				   .stub = taddr_of(RUN_STUB),
				   .switch_word = taddr_of(RUN_WORD)};
	struct code c;
	size_t size;

	code_set(&c, p->text, p->size);
	size = p->size ? p->size : c.part.n;
	c.part.lo = c.function.lo = c.entry.lo = taddr_of(RUN_CODE);
	c.function.hi = c.entry.hi = taddr_of(RUN_CODE + size);
	code_plan(&c);
	if (c.plan.reason)
		fail_msg("%s: %s", p->text, hook_reason_text(c.plan.reason));
	req.plan = &c.plan;
	assert_int_equal(stub_build(&req, stub), 0);
	memcpy((void *)(uintptr_t)RUN_STUB, stub->bytes, stub->n);
	memcpy((void *)(uintptr_t)c.plan.patch.v, stub->patch, HOOK_JUMP);
}

static void run_program(const struct program *p, struct words *nobody,
			struct words *slot)
{
	uint64_t *word = (uint64_t *)(uintptr_t)RUN_WORD;
	struct result plain[ARRAY_LEN(inputs)], hooked[ARRAY_LEN(inputs)];
	struct stub stub;

	hex_bytes(p->text, (uint8_t *)(uintptr_t)RUN_CODE, 64);
	run_all(plain);
	patch_program(p, &stub);
	*word = RUN_STUB + STUB_EPILOGUE;
	nobody->count = slot->count = 0;
	run_all(hooked);
	check_same(p->text, plain, hooked);
	assert_int_equal(nobody->count + slot->count, 0);
	*word = RUN_STUB + STUB_ON;
	run_all(hooked);
	check_same(p->text, plain, hooked);
	assert_true(nobody->count >= ARRAY_LEN(inputs));
	assert_int_equal(slot->count, 0);
	set_gs(RUN_SLOT - RUN_GATE);
	run_all(hooked);
	set_gs(0);
	check_same(p->text, plain, hooked);
	assert_int_equal(slot->count, nobody->count);
}

static void test_run(void **state)
{
	struct words *nobody = map_at(RUN_GATE, 0x10000, PROT_READ | PROT_WRITE);
	struct words *slot = (void *)((uint8_t *)nobody + (RUN_SLOT - RUN_GATE));

	(void)state;
	map_at(RUN_CODE, RUN_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC);
	nobody->enter = slot->enter = (uint64_t)(uintptr_t)test_entry;
	nobody->epilogue = slot->epilogue = RUN_STUB + STUB_EPILOGUE;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		run_program(&programs[i], nobody, slot);
	munmap((void *)(uintptr_t)RUN_CODE, RUN_BYTES);
	munmap(nobody, 0x10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_out_of_reach),
		cmocka_unit_test(test_placed),
		cmocka_unit_test(test_placed_too_far),
		cmocka_unit_test(test_not_placed),
		cmocka_unit_test(test_no_plan),
		cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
