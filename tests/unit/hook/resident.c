/* SPDX-License-Identifier: MIT */
/*
 * The way from a hooked function into resident code and out again, in this very
 * process: nothing of the thread's state changes, and every hit is counted.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ucontext.h>

#include "tests/unit/support/resident_cpu.h"
#include "tests/unit/support/resident_lab.h"

/* Hooked. add: a + b; same: changes nothing; call: the first instruction is a call. */
uint64_t f_add(uint64_t a, uint64_t b);
void f_same(void);
uint64_t f_call(uint64_t a, uint64_t b);
int f_clock(int clock, struct timespec *ts);
uint64_t f_jump(uint64_t a, void *where);
extern const unsigned char f_add_end[], f_same_end[], f_call_end[], f_clock_end[],
	f_jump_end[];

/* What f_clock goes on to, and how often it did. */
int clock_body(int clock, struct timespec *ts);
extern uint64_t clock_calls;
/* Set: f_clock first raises this signal. */
static volatile int clock_signal;

__asm__(".pushsection .text\n"
	".p2align 12\n"
	".globl hooked_begin, hooked_end\n"
	".globl f_add, f_add_end, f_same, f_same_end, f_call, f_call_end\n"
	".globl f_clock, f_clock_end, f_jump, f_jump_end\n"
	"hooked_begin:\n"
	"f_add:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea (%rdi,%rsi), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	"f_add_end:\n"
	".p2align 6\n"
	"f_same:\n"
	"	mov %r8, %r8\n"
	"	mov %r9, %r9\n"
	"	ret\n"
	"f_same_end:\n"
	".p2align 6\n"
	"f_call:\n"
	"	call callee\n"
	"	add $1, %rax\n"
	"	ret\n"
	"f_call_end:\n"
	".p2align 6\n"
	"callee:\n"
	"	lea (%rdi,%rsi), %rax\n"
	"	ret\n"
	".p2align 6\n"
	"f_clock:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	call clock_outside\n"
	"	pop %rbp\n"
	"	ret\n"
	"f_clock_end:\n"
	".p2align 6\n"
	"f_jump:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rcx\n"
	"	jmp *%rcx\n"
	"f_jump_end:\n"
	".p2align 12\n"
	"hooked_end:\n"
	"clock_outside: jmp clock_body\n"
	".popsection\n");

uint64_t clock_calls;

int clock_body(int clock, struct timespec *ts)
{
	clock_calls++;
	if (clock_signal)
		raise(clock_signal);
	return clock_gettime(clock, ts);
}

static void run_same(const void *fn, uint64_t extra_flags)
{
	struct cpu in = random_cpu(extra_flags), out;

	memset(target_stack.bytes, 0x5a, sizeof(target_stack.bytes));
	memset(&out, 0, sizeof(out));
	run_with(&in, &out, fn);
	assert_memory_equal(in.gpr, out.gpr, sizeof(in.gpr));
	assert_int_equal(in.flags, out.flags);
	assert_memory_equal(in.xmm, out.xmm, sizeof(in.xmm));
	/* The word of the call, and no other. */
	for (size_t i = 0; i < sizeof(target_stack.bytes); i++)
		if (i < 4096 - 8 || i >= 4096)
			assert_int_equal(target_stack.bytes[i], 0x5a);
}

static const uint64_t special_flags[] = {
	0,
	FLAG_DIRECTION,
	FLAG_ALIGNMENT,
	FLAG_DIRECTION | FLAG_ALIGNMENT,
};

enum { ROUNDS = 2000 };

static void test_state_is_kept(void **state)
{
	struct lab *lab = lab_new(lab_counting());

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(special_flags); i++)
		run_same(f_same, special_flags[i]);
	lab_hook(lab, f_same, f_same_end, 0);
	lab_register(lab, 0, false);
	for (int i = 0; i < ROUNDS; i++) {
		run_same(f_same, special_flags[i % 4]);
		if (i % 16 < 8) /* else the quick way */
			state_renew(lab->state);
	}
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), ROUNDS);
	assert_int_equal(lab_tcb(lab, 0)->gate.busy, 0);
	assert_int_equal(lab_tcb(lab, 0)->gate.idle, 1);
	lab_free(lab);
	run_same(f_same, 0);
}

static void test_state_is_kept_around_the_clock(void **state)
{
	struct builder *b = builder_new();
	const insn_t code[] = {I(BI, 0, 0, 0, BUILTIN_timestamp), I(TUP, 0, 0, 0, 0),
			       I(AGGR, 0, 0, 0, 0), I(END, 0, 0, 0, 0)};
	struct lab *lab;

	(void)state;
	build_agg(b, AGG_count, 0, 1, 0);
	build_clause(b, code, ARRAY_LEN(code));
	lab = lab_new(b);
	lab_hook(lab, f_same, f_same_end, 0);
	lab_register(lab, 0, false);
	for (int i = 0; i < ROUNDS; i++)
		run_same(f_same, special_flags[i % 4]);
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), ROUNDS);
	lab_free(lab);
}

static void test_counts(void **state)
{
	struct lab *lab = lab_new(lab_counting());
	const uint32_t both[] = {1, 3};
	struct resident_site *site;
	struct resident_hit *hits;

	(void)state;
	lab_hook(lab, f_add, f_add_end, 0);
	lab_hook(lab, f_call, f_call_end, 2);
	lab_register(lab, 3, false);
	for (uint64_t i = 0; i < 1000; i++) {
		assert_int_equal(f_add(i, 5), i + 5);
		assert_int_equal(f_call(i, 5), i + 6);
	}
	assert_int_equal(lab_count(lab, resident_slot(3, 0)), 2000);
	/* Two probes on the first site from now on, none on the second. */
	hits = resident_hit_table(&lab->view);
	for (uint32_t i = 0; i < 2; i++)
		hits[7 + i] = (struct resident_hit){.probe = both[i]};
	site = resident_site_table(&lab->view);
	atomic_store(&site[0].hits, resident_list(7, 2));
	atomic_store(&site[1].hits, resident_list(0, 0));
	state_renew(lab->state);
	assert_int_equal(f_add(1, 2), 3);
	assert_int_equal(f_call(1, 2), 4);
	assert_int_equal(lab_count(lab, resident_slot(3, 0)), 2002);
	/* Lists out of the table's bounds fire nothing. */
	atomic_store(&site[0].hits, resident_list(63, 2));
	state_renew(lab->state);
	assert_int_equal(f_add(1, 2), 3);
	atomic_store(&site[0].hits, resident_alone(LAB_PROBES));
	state_renew(lab->state);
	assert_int_equal(f_add(1, 2), 3);
	assert_int_equal(lab_count(lab, resident_slot(3, 0)), 2002);
	lab_free(lab);
	assert_int_equal(f_add(1, 2), 3);
}

static void *run_unregistered(void *arg)
{
	lab_use_shared_gate(arg);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(f_add(i, 1), i + 1);
	return NULL;
}

/* Threads without a slot, and inert ones: every register kept, nothing counted. */
static void test_passes_through(void **state)
{
	struct lab *lab = lab_new(lab_counting());
	uint64_t *switches = lab->switches;
	pthread_t t;

	(void)state;
	lab_hook(lab, f_same, f_same_end, 0);
	lab_hook(lab, f_add, f_add_end, 0);
	lab_hook(lab, f_call, f_call_end, 0);
	assert_int_equal(pthread_create(&t, NULL, run_unregistered, lab), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	lab_use_shared_gate(lab);
	for (int i = 0; i < ROUNDS; i++)
		run_same(f_same, special_flags[i % 4]);
	lab_register(lab, 0, true);
	for (int i = 0; i < ROUNDS; i++)
		run_same(f_same, special_flags[i % 4]);
	assert_int_equal(f_call(1, 2), 4);
	/* Off by its switch: as if it were not there. */
	lab_register(lab, 0, false);
	switches[0] = (uintptr_t)lab->stubs + STUB_EPILOGUE;
	run_same(f_same, 0);
	/* No program yet. */
	atomic_store(&lab->block->generation, 0);
	assert_int_equal(f_add(1, 2), 3);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(lab_count(lab, resident_slot(0, 0) + i), 0);
	lab_free(lab);
}

static void test_keeper_died(void **state)
{
	struct lab *lab = lab_new(lab_counting());
	const void *stub = lab->stubs;

	(void)state;
	lab_hook(lab, f_same, f_same_end, 0);
	lab_hook(lab, f_add, f_add_end, 0);
	lab_register(lab, 0, false);
	/* Numbers that no stub has. */
	atomic_store(&lab->block->nsites, LAB_SITES);
	atomic_store(&lab->block->keeper, 1234);
	run_same(f_same, 0);
	atomic_store(&lab->block->keeper, 1234 | RESIDENT_KEEPER_DIED);
	run_same(f_same, 0);
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), 1);
	assert_int_equal(lab->switches[0], (uintptr_t)stub + STUB_EPILOGUE);
	assert_int_equal(lab->switches[1],
			 (uintptr_t)stub + LAB_STUB_BYTES + STUB_EPILOGUE);
	atomic_store(&lab->block->keeper, 0);
	assert_int_equal(f_add(1, 2), 3);
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), 1);
	lab_free(lab);
}

/* A clause that asks the clock twice and counts once. */
static struct lab *lab_with_clock(void)
{
	struct builder *b = builder_new();
	const insn_t code[] = {
		I(BI, 0, 0, 0, BUILTIN_timestamp),
		I(BI, 1, 0, 0, BUILTIN_walltimestamp),
		I(TUP, 0, 0, 0, 0),
		I(AGGR, 0, 1, 0, 0),
		I(END, 0, 0, 0, 0),
	};
	struct lab *lab;

	build_agg(b, AGG_count, 0, 1, 0);
	build_clause(b, code, ARRAY_LEN(code));
	lab = lab_new(b);
	lab->block->clock = (uintptr_t)f_clock;
	lab_register(lab, 0, false);
	clock_calls = 0;
	return lab;
}

static uint64_t drops(struct lab *lab)
{
	return atomic_load(&state_drops(lab->state, resident_slot(0, 0))->records) +
	       atomic_load(&state_drops(lab->state, resident_slot(0, 1))->records);
}

/* The clock itself is hooked: its hits run on level two, those in there are lost. */
static void test_levels(void **state)
{
	struct lab *lab = lab_with_clock();

	(void)state;
	lab_hook(lab, f_same, f_same_end, 0);
	lab_hook(lab, f_clock, f_clock_end, 1);
	for (uint64_t i = 1; i <= 100; i++) {
		run_same(f_same, special_flags[i % 4]);
		assert_int_equal(lab_count(lab, resident_slot(0, 0)), i);
		assert_int_equal(lab_count(lab, resident_slot(0, 1)), 2 * i);
		assert_int_equal(drops(lab), 4 * i);
		assert_int_equal(clock_calls, 6 * i);
	}
	assert_int_equal(atomic_load(&lab_tcb(lab, 0)->gate.lost), 0);
	assert_int_equal(lab_tcb(lab, 0)->gate.busy, 0);
	assert_int_equal(lab_tcb(lab, 0)->gate.idle, 1);
	lab_free(lab);
}

static volatile uint64_t handler_result;

static void call_hooked(int sig)
{
	clock_signal = 0;
	handler_result = f_add((uint64_t)sig, 1000);
}

/* A handler that interrupts resident code and calls a hooked function. */
static void test_signal_inside(void **state)
{
	struct lab *lab = lab_with_clock();

	(void)state;
	signal(SIGUSR1, call_hooked);
	lab_hook(lab, f_same, f_same_end, 0);
	lab_hook(lab, f_add, f_add_end, 1);
	for (int i = 0; i < 100; i++) {
		clock_signal = SIGUSR1;
		run_same(f_same, special_flags[i % 4]);
		assert_int_equal(handler_result, SIGUSR1 + 1000);
	}
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), 100);
	assert_int_equal(lab_count(lab, resident_slot(0, 1)), 100);
	assert_int_equal(drops(lab), 0);
	signal(SIGUSR1, SIG_DFL);
	lab_free(lab);
}

static struct lab *trapped_lab;
static greg_t trapped[NGREG];
static int ntraps;

static void take_trap(int sig, siginfo_t *si, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	(void)si;
	memcpy(trapped, uc->uc_mcontext.gregs, sizeof(trapped));
	lab_tcb(trapped_lab, 0)->gate.pending = 0;
	ntraps++;
}

static void compare_trapped(const struct cpu *in)
{
	const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
			       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
			       REG_R12, REG_R13, REG_R14, REG_R15};

	for (int i = 0; i < 16; i++)
		assert_int_equal((uint64_t)trapped[order[i]],
				 in->gpr[i] - (i == CPU_RSP ? 8 : 0));
	assert_int_equal((uint64_t)trapped[REG_EFL] & ~UINT64_C(0x10000), in->flags);
	assert_int_equal(trapped[REG_RIP],
			 trapped_lab->place.text + trapped_lab->text->leave_trap);
	assert_int_equal(lab_tcb(trapped_lab, 0)->level[0].regs.rip,
			 (uintptr_t)trapped_lab->stubs + STUB_EPILOGUE);
}

/* A signal is kept back: the firing ends in a trap with the target's registers. */
static void test_pending(void **state)
{
	struct sigaction sa = {.sa_sigaction = take_trap,
			       .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static unsigned char alternate[65536];
	const stack_t ss = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

	(void)state;
	trapped_lab = lab_new(lab_counting());
	ntraps = 0;
	assert_int_equal(sigaltstack(&ss, NULL), 0);
	assert_int_equal(sigaction(SIGTRAP, &sa, NULL), 0);
	lab_hook(trapped_lab, f_same, f_same_end, 0);
	lab_register(trapped_lab, 0, false);
	for (int i = 0; i < 200; i++) {
		/* A handler would inherit the alignment flag, and libc dies of it. */
		struct cpu in = random_cpu(i % 2 ? FLAG_DIRECTION : 0), out;

		lab_tcb(trapped_lab, 0)->gate.pending = 1;
		state_renew(trapped_lab->state);
		run_with(&in, &out, f_same);
		assert_int_equal(ntraps, i + 1);
		compare_trapped(&in);
		assert_memory_equal(in.gpr, out.gpr, sizeof(in.gpr));
		assert_int_equal(in.flags, out.flags);
	}
	assert_int_equal(lab_count(trapped_lab, resident_slot(0, 0)), 200);
	signal(SIGTRAP, SIG_DFL);
	lab_free(trapped_lab);
}

enum { THREADS = 4, CALLS = 200000 };

struct worker {
	struct lab *lab;
	pthread_t thread;
	uint32_t index;
	uint64_t sum;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	lab_register(w->lab, w->index, false);
	for (uint64_t i = 0; i < CALLS; i++)
		w->sum += f_add(i, 1);
	lab_set_gs(0);
	return NULL;
}

static void start(struct worker *workers, struct lab *lab)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.lab = lab, .index = i};
		assert_int_equal(
			pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
}

static void finish(struct worker *workers, struct lab *lab)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
		assert_int_equal(workers[i].sum,
				 (uint64_t)CALLS * (CALLS - 1) / 2 + CALLS);
		assert_int_equal(lab_count(lab, resident_slot(i, 0)), CALLS);
		assert_int_equal(lab_count(lab, resident_slot(i, 1)), 0);
	}
}

static void test_threads(void **state)
{
	struct lab *lab = lab_new(lab_counting());
	struct worker workers[THREADS];

	(void)state;
	lab_hook(lab, f_add, f_add_end, 0);
	start(workers, lab);
	finish(workers, lab);
	lab_free(lab);
}

/* The table is replaced by larger ones under running threads. */
static void test_program_replaced(void **state)
{
	struct lab *lab = lab_new(lab_counting());
	struct worker workers[THREADS];

	(void)state;
	lab_hook(lab, f_add, f_add_end, 0);
	start(workers, lab);
	for (size_t i = 1; i <= 200; i++) {
		lab_program(lab, i * 100);
		usleep(100);
	}
	finish(workers, lab);
	/* None any more. */
	lab_register(lab, THREADS, false);
	f_add(1, 1);
	atomic_store(&lab->block->program, 0);
	atomic_fetch_add(&lab->block->generation, 1);
	state_renew(lab->state);
	assert_int_equal(f_add(1, 1), 2);
	assert_int_equal(lab_count(lab, resident_slot(THREADS, 0)), 1);
	lab_free(lab);
}

struct visitor {
	struct lab *lab;
	pthread_t thread;
	uint32_t tid;
};

/* Gets area 0, hits a site, and tells who it is. */
static void *visit(void *arg)
{
	struct visitor *v = arg;

	v->tid = (uint32_t)syscall(SYS_gettid);
	lab_register(v->lab, 0, false);
	f_call(1, 1);
	lab_set_gs(0);
	return NULL;
}

/* An area that served one thread serves the next under its own identity. */
static void test_tcb_reused(void **state)
{
	struct builder *b = builder_new();
	const insn_t code[] = {I(BI, 0, 0, 0, BUILTIN_tid), I(TUP, 0, 0, 0, 0),
			       I(TPI, 0, 0, 8, 0), I(REC, 0, 0, 0, 0),
			       I(END, 0, 0, 0, 0)};
	struct visitor v;

	(void)state;
	build_field(b, field_int(8, false));
	build_action(b, ACTION_trace, 1);
	build_clause(b, code, ARRAY_LEN(code));
	v.lab = lab_new(b);
	lab_hook(v.lab, f_call, f_call_end, 0);
	for (int i = 0; i < 3; i++) {
		const struct record *r;
		uint64_t tid;

		assert_int_equal(pthread_create(&v.thread, NULL, visit, &v), 0);
		assert_int_equal(pthread_join(v.thread, NULL), 0);
		r = lab_record(v.lab, resident_slot(0, 0));
		assert_non_null(r);
		assert_int_equal(r->tid, v.tid);
		memcpy(&tid, (const char *)(r + 1) + sizeof(struct record_item), 8);
		assert_int_equal(tid, v.tid);
	}
	lab_free(v.lab);
}

static jmp_buf away;

static void jump_away(void)
{
	longjmp(away, 1);
}

/* Nothing of ours is on the stack, so a function may be left in any way. */
static void test_longjmp(void **state)
{
	struct lab *lab = lab_new(lab_counting());

	(void)state;
	lab_hook(lab, f_jump, f_jump_end, 0);
	lab_register(lab, 0, false);
	for (volatile int i = 0; i < 1000; i = i + 1)
		if (!setjmp(away))
			f_jump(1, (void *)(uintptr_t)jump_away);
	assert_int_equal(lab_count(lab, resident_slot(0, 0)), 1000);
	lab_free(lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_is_kept),
		cmocka_unit_test(test_state_is_kept_around_the_clock),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_passes_through),
		cmocka_unit_test(test_keeper_died),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_signal_inside),
		cmocka_unit_test(test_pending),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_program_replaced),
		cmocka_unit_test(test_tcb_reused),
		cmocka_unit_test(test_longjmp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
