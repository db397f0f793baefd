/* SPDX-License-Identifier: MIT */
/*
 * The processor as the judge: every form runs natively in a child, one
 * single step, and again from the same random registers and memory as a moved
 * copy (near and far) or emulated. Registers, flags, SSE state, memory and
 * the signal of a fault must agree.
 *
 *	CODE  the instruction	DATA  right after, so rip-relative operands reach
 *	NEAR, FAR  its copies	STACK
 *
 * The pages are shared with the child, so both see them at the same address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "tests/unit/support/hex.h"
#include "tests/unit/support/stopped_child.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/step.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"

#define PAGE  0x1000
#define CODE  0x10000000
#define DATA  0x10001000
#define NEAR  0x10100000
#define STACK 0x10200000
#define FAR   0x7e0000000000

#define ROUNDS	   24
#define FLAGS_SEEN 0xcd5 /* CF PF AF ZF SF DF OF; not TF and RF, which stepping uses */

enum {
	SMALL_RCX = 1, /* a repeat count */
	GETPID = 2,    /* rax is the number of a harmless call */
	FLAGS_TOP = 4, /* the top of the stack is fit for popf */
};

struct form {
	const char *text; /* rip-relative: 00 10 00 00 is DATA + the length */
	unsigned flags;
};

static const struct form forms[] = {
	{"55", 0}, /* push, pop, frames */
	{"41 57", 0},
	{"54", 0},
	{"5c", 0},
	{"5d", 0},
	{"41 5c", 0},
	{"6a ff", 0},
	{"68 78 56 34 12", 0},
	{"ff 33", 0},
	{"ff 35 00 10 00 00", 0},
	{"8f 05 00 10 00 00", 0},
	{"8f 04 24", 0},
	{"c9", 0},
	{"c8 10 00 00", 0},
	{"9c", 0},
	{"9d", FLAGS_TOP},
	{"48 89 e5", 0}, /* moves and arithmetic */
	{"48 83 ec 18", 0},
	{"48 01 d8", 0},
	{"4d 31 c9", 0},
	{"48 8b 03", 0},
	{"48 89 54 24 08", 0},
	{"48 8b 04 cb", SMALL_RCX},
	{"0f b6 06", 0},
	{"48 63 c7", 0},
	{"48 0f af c2", 0},
	{"48 f7 e2", 0},
	{"48 d3 e0", 0},
	{"0f a4 c2 05", 0},
	{"0f 94 c0", 0},
	{"48 0f 4c c2", 0},
	{"0f c8", 0},
	{"f3 48 0f b8 c2", 0},
	{"48 0f bc c2", 0},
	{"87 d8", 0},
	{"f0 48 0f c1 13", 0},
	{"f0 48 0f b1 16", 0},
	{"48 0f a3 d8", 0},
	{"48 98", 0},
	{"48 99", 0},
	{"9f", 0},
	{"fc", 0},
	{"f5", 0},
	{"48 b8 01 02 03 04 05 06 07 08", 0},
	{"48 a1 10 10 00 10 00 00 00 00", 0},
	{"48 8d 05 00 10 00 00", 0}, /* rip-relative */
	{"67 48 8d 05 00 10 00 00", 0},
	{"48 8b 05 00 10 00 00", 0},
	{"67 8b 05 00 10 00 00", 0},
	{"48 89 0d 00 10 00 00", 0},
	{"83 3d 00 10 00 00 05", 0},
	{"48 81 05 00 10 00 00 11 22 33 44", 0},
	{"c6 05 00 10 00 00 7f", 0},
	{"66 c7 05 00 10 00 00 34 12", 0},
	{"0f 95 05 00 10 00 00", 0},
	{"f0 ff 05 00 10 00 00", 0},
	{"f2 0f 10 05 00 10 00 00", 0},
	{"f3 0f 6f 0d 00 10 00 00", 0},
	{"66 0f 3a 0f 0d f6 0f 00 00 08", 0}, /* palignr: an aligned operand */
	{"48 69 05 00 10 00 00 03 00 00 00", 0},
	{"66 0f 6f c1", 0}, /* sse */
	{"0f 11 07", 0},
	{"66 0f ef c0", 0},
	{"f2 48 0f 2a c0", 0},
	{"66 0f d7 c1", 0},
	{"0f 5a c1", 0},
	{"d9 7c 24 08", 0}, /* x87 control word */
	{"64 48 8b 04 25 28 00 00 00", 0},
	{"65 48 89 14 25 08 00 00 00", 0},
	{"64 48 03 05 f8 ff ff ff", 0}, /* rip-relative and a segment: faults */
	{"8c e0", 0},
	{"f3 a4", SMALL_RCX}, /* strings */
	{"f3 48 ab", SMALL_RCX},
	{"f3 a6", SMALL_RCX},
	{"f2 ae", SMALL_RCX},
	{"a4", 0},
	{"8b 00", 0},		 /* faults nearly always */
	{"48 f7 f1", SMALL_RCX}, /* division error nearly always */
	{"0f 05", GETPID},
	{"f3 90", 0},
	{"90", 0}, /* emulated from here on */
	{"0f 1f 84 00 00 00 00 00", 0},
	{"f3 0f 1e fa", 0},
	{"eb 10", 0},
	{"e9 00 01 00 00", 0},
	{"f2 e9 00 ff ff ff", 0},
	{"70 10", 0},
	{"71 10", 0},
	{"72 10", 0},
	{"73 10", 0},
	{"74 10", 0},
	{"75 10", 0},
	{"76 10", 0},
	{"77 10", 0},
	{"78 10", 0},
	{"79 10", 0},
	{"7a 10", 0},
	{"7b 10", 0},
	{"7c 10", 0},
	{"7d 10", 0},
	{"7e 10", 0},
	{"7f 10", 0},
	{"0f 84 00 01 00 00", 0},
	{"2e 0f 8c 00 ff ff ff", 0},
	{"e0 10", SMALL_RCX},
	{"e1 10", SMALL_RCX},
	{"e2 10", SMALL_RCX},
	{"e2 10", 0},
	{"67 e2 10", 0},
	{"67 e1 10", SMALL_RCX},
	{"e3 10", SMALL_RCX},
	{"67 e3 10", 0},
	{"e8 00 01 00 00", 0},
	{"67 e8 00 01 00 00", 0},
	{"66 66 48 e8 00 01 00 00", 0},
	{"ff d0", 0},
	{"ff d4", 0},
	{"41 ff d3", 0},
	{"ff 13", 0},
	{"ff 14 24", 0},
	{"ff 54 24 10", 0},
	{"ff 15 00 10 00 00", 0},
	{"66 48 ff 15 00 10 00 00", 0},
	{"67 ff 15 00 10 00 00", 0},
	{"ff 14 cb", SMALL_RCX},
	{"64 ff 14 25 08 00 00 00", 0},
	{"65 ff 24 25 10 00 00 00", 0},
	{"65 67 ff 63 08", 0},
	{"64 ff 24 cd 00 00 00 00", SMALL_RCX},
	{"ff e0", 0},
	{"3e ff e2", 0},
	{"41 ff e7", 0},
	{"ff 20", 0},
	{"ff 25 00 10 00 00", 0},
	{"ff 63 f8", 0},
	{"ff 24 cd 00 10 00 10", SMALL_RCX},
	{"c3", 0}, /* copied again */
	{"f3 c3", 0},
	{"c2 20 00", 0},
};

/* All that an instruction may change, and how it ended. */
struct machine {
	struct regs regs;
	struct user_fpregs_struct fp;
	uint8_t data[PAGE], stack[PAGE];
	int signal; /* SIGTRAP: it ran */
};

static uint8_t *at(uint64_t addr)
{
	return (uint8_t *)(uintptr_t)addr;
}

/* xorshift64*: the same states in every run of the test. */
static uint64_t random_u64(void)
{
	static uint64_t x = 0x9e3779b97f4a7c15;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return x * 0x2545f4914f6cdd1d;
}

/*
 * Half of the values are canonical, so that a jump there is valid; all of those
 * lie where neither the kernel nor a sanitizer maps anything.
 */
static uint64_t random_value(void)
{
	uint64_t v = random_u64();

	return v & 1 ? v : (v & 0x0fffffffffff) | 0x200000000000;
}

static void random_bytes(void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 8)
		bytes_store((uint8_t *)bytes + i, random_value(), 8);
}

static void random_regs(struct regs *r, unsigned flags)
{
	uint64_t *const any[] = {&r->rax, &r->rcx, &r->rdx, &r->r8,  &r->r9, &r->r10,
				 &r->r11, &r->r12, &r->r13, &r->r14, &r->r15};

	for (size_t i = 0; i < ARRAY_LEN(any); i++)
		*any[i] = random_value();
	if (flags & SMALL_RCX)
		r->rcx &= 7;
	if (flags & GETPID)
		r->rax = 39;
	r->orig_rax = UINT64_MAX; /* no system call to restart */
	r->rbx = DATA + 0x800;
	r->rsi = DATA + 0x900;
	r->rdi = DATA + 0xa00;
	r->rbp = STACK + 0x900;
	r->rsp = STACK + 0x800;
	r->fs_base = DATA + 0x400;
	r->gs_base = DATA + 0x500;
	r->flags = (random_u64() & FLAGS_SEEN) | 0x202;
	r->rip = CODE;
}

static void random_machine(const struct machine *idle, unsigned flags,
			   struct machine *m)
{
	*m = *idle;
	random_regs(&m->regs, flags);
	random_bytes(m->data, PAGE);
	random_bytes(m->stack, PAGE);
	random_bytes(m->fp.xmm_space, sizeof(m->fp.xmm_space));
	if (flags & FLAGS_TOP)
		bytes_store(m->stack + (m->regs.rsp - STACK),
			    (random_u64() & FLAGS_SEEN) | 0x202, 8);
}

static void put_machine(pid_t pid, struct machine *m)
{
	memcpy(at(DATA), m->data, PAGE);
	memcpy(at(STACK), m->stack, PAGE);
	assert_int_equal(pt_set_regs(pid, &m->regs), 0);
	assert_int_equal(ptrace(PTRACE_SETFPREGS, pid, NULL, &m->fp), 0);
}

static void get_machine(pid_t pid, struct machine *m)
{
	memcpy(m->data, at(DATA), PAGE);
	memcpy(m->stack, at(STACK), PAGE);
	assert_int_equal(pt_regs(pid, &m->regs), 0);
	assert_int_equal(ptrace(PTRACE_GETFPREGS, pid, NULL, &m->fp), 0);
}

static void single_step(pid_t pid, struct machine *m)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, 0), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	get_machine(pid, m);
	m->signal = WSTOPSIG(status);
}

/* Steps on while the pc is in the n bytes at addr: a rep, or a copy with its jump. */
static void run_inside(pid_t pid, struct machine *m, uint64_t addr, size_t n)
{
	put_machine(pid, m);
	do {
		single_step(pid, m);
	} while (m->signal == SIGTRAP && m->regs.rip - addr < n);
}

static void run_native(pid_t pid, const struct insn *in, struct machine *m)
{
	memcpy(at(CODE), in->bytes, in->len);
	run_inside(pid, m, CODE, 1);
	memset(at(CODE), 0xcc, PAGE);
}

static void run_copy(pid_t pid, const struct insn *in, uint64_t to, struct machine *m)
{
	uint8_t len;
	int n = step_build_slot(in, taddr_of(to), at(to), &len);

	if (n == STATUS_RANGE) {
		assert_true(in->rip_relative && to == FAR);
		run_native(pid, in, m);
		return;
	}
	assert_true(n > 0);
	m->regs.rip = to;
	run_inside(pid, m, to, (size_t)n);
	step_pc_fixup(in, taddr_of(to), (size_t)n, &m->regs);
	memset(at(to), 0xcc, PAGE);
}

static bool is_page(uint64_t addr, size_t n, uint64_t page)
{
	return addr >= page && addr - page <= PAGE - n;
}

static int machine_read(void *ctx, taddr addr, void *buf, size_t n)
{
	struct machine *m = ctx;

	if (is_page(addr.v, n, DATA))
		memcpy(buf, m->data + (addr.v - DATA), n);
	else if (is_page(addr.v, n, STACK))
		memcpy(buf, m->stack + (addr.v - STACK), n);
	else
		return STATUS_FAULT;
	return 0;
}

static int machine_write(void *ctx, taddr addr, const void *buf, size_t n)
{
	struct machine *m = ctx;

	if (is_page(addr.v, n, DATA))
		memcpy(m->data + (addr.v - DATA), buf, n);
	else if (is_page(addr.v, n, STACK))
		memcpy(m->stack + (addr.v - STACK), buf, n);
	else
		return STATUS_FAULT;
	return 0;
}

static void run_emulated(const struct insn *in, struct machine *m)
{
	struct step_memory mem = {m, machine_read, machine_write};

	m->signal = step_emulate(in, &m->regs, &mem) == 0 ? SIGTRAP : SIGSEGV;
}

/* What stepping and moving may leave different: TF, RF, the x87 instruction pointer. */
static void normalize(struct machine *m)
{
	m->regs.flags &= FLAGS_SEEN;
	m->regs.orig_rax = 0;
	m->fp.rip = 0;
	m->fp.rdp = 0;
	/* an access to a non-canonical stack address is SIGBUS natively */
	if (m->signal == SIGBUS)
		m->signal = SIGSEGV;
}

/*
 * A call to an address that is not canonical faults at the call. Some processors have
 * pushed the return address then: it is below the stack pointer, which has not moved.
 */
static void ignore_push(struct machine *native, const struct insn *in,
			const struct machine *ours)
{
	const uint64_t to = native->regs.rsp - sizeof(uint64_t), back = CODE + in->len;

	if (native->signal == SIGTRAP || !is_page(to, sizeof(back), STACK))
		return;
	if (memcmp(native->stack + (to - STACK), &back, sizeof(back)) == 0)
		memcpy(native->stack + (to - STACK), ours->stack + (to - STACK),
		       sizeof(back));
}

static void compare(const struct form *f, struct machine *native, struct machine *ours)
{
	normalize(native);
	normalize(ours);
	if (memcmp(native, ours, sizeof(*native)) == 0)
		return;
	print_message("differs: %s\n", f->text);
	assert_int_equal(ours->signal, native->signal);
	assert_true(ours->regs.rip == native->regs.rip);
	assert_true(ours->regs.rsp == native->regs.rsp);
	assert_true(ours->regs.rcx == native->regs.rcx);
	assert_memory_equal(&ours->regs, &native->regs, sizeof(ours->regs));
	assert_memory_equal(&ours->fp, &native->fp, sizeof(ours->fp));
	assert_memory_equal(ours->data, native->data, PAGE);
	assert_memory_equal(ours->stack, native->stack, PAGE);
	fail();
}

/* Returns whether the instruction ran without a fault. */
static bool check_round(pid_t pid, const struct machine *idle, const struct form *f)
{
	static struct machine start, native, ours;
	uint8_t bytes[INSN_MAX];
	size_t n = hex_bytes(f->text, bytes, sizeof(bytes));
	const char *reason;
	struct insn in;
	enum step_how how;

	assert_int_equal(decode(bytes, n, taddr_of(CODE), &in), 0);
	assert_int_equal(in.len, n);
	how = step_plan(&in, &reason);
	assert_int_not_equal(how, STEP_REFUSE);
	random_machine(idle, f->flags, &start);
	native = ours = start;
	run_native(pid, &in, &native);
	if (how == STEP_EMULATE) {
		run_emulated(&in, &ours);
		ignore_push(&native, &in, &ours);
		compare(f, &native, &ours);
		return native.signal == SIGTRAP;
	}
	run_copy(pid, &in, NEAR, &ours);
	compare(f, &native, &ours);
	ours = start;
	run_copy(pid, &in, FAR, &ours);
	compare(f, &native, &ours);
	return native.signal == SIGTRAP;
}

static void map_page(uint64_t addr)
{
	void *p = mmap(at(addr), PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(p, at(addr));
	memset(p, 0xcc, PAGE);
}

static void test_against_processor(void **state)
{
	static const uint64_t pages[] = {CODE, DATA, NEAR, STACK, FAR};
	static struct machine idle;
	size_t ran = 0;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pages); i++)
		map_page(pages[i]);
	pid = stopped_child();
	get_machine(pid, &idle);
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		for (int round = 0; round < ROUNDS; round++)
			ran += check_round(pid, &idle, &forms[i]);
	}
	end_child(pid);
	/* the rest faulted alike; most must have run, or nothing was compared */
	print_message("%zu of %zu ran\n", ran, ARRAY_LEN(forms) * ROUNDS);
	assert_true(ran > ARRAY_LEN(forms) * ROUNDS * 3 / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
