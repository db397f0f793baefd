/* SPDX-License-Identifier: MIT */
/*
 * Hooks of several sites in a real process, and what happens when an instruction that
 * was moved faults: the handler sees the program's own place and registers, breakpoints
 * take over, and each probe fires once a call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "hook/target.h"
#include "tests/unit/support/keeper_front.h"

#include <sys/prctl.h>
#include <ucontext.h>

#define SLOTS 8
#define CALLS 50

long plans_load(const long *p);
long plans_test(long v);
extern char plans_begin[], plans_load_mov[], plans_load_ret[], plans_load_end[],
	plans_taken[], plans_taken_end[], plans_out[], plans_out_end[], plans_end[];

__asm__(".text\n"
	".p2align 12\n"
	"plans_begin:\n"
	"plans_load: xor %eax, %eax\n"
	"plans_load_mov: mov (%rdi), %rax\n"
	"plans_load_ret: ret\n"
	"plans_load_end: push %rbp\n" /* no padding: all sites share a detour */
	".p2align 4\n"
	"plans_test: test %rdi, %rdi\n" /* on into the function that is traced */
	"plans_taken: .byte 0x0f, 0x88\n"
	"	.long plans_out - plans_taken - 6\n" /* js plans_out */
	"	mov $1, %eax\n"
	"	ret\n"
	"plans_taken_end:\n"
	".p2align 4\n"
	"plans_out: mov $2, %eax\n"
	"	ret\n"
	"plans_out_end:\n"
	".p2align 12\n"
	"plans_end:\n");

enum { ENTRY, OFFSET, RETURN, NPROBES };

static struct shared {
	_Atomic long handled, wrong;
	_Atomic int ready, go;
} * shared;

static taddr address(const void *p)
{
	return taddr_of((uint64_t)(uintptr_t)p);
}

/* Sites of one function, ascending, and the plan that serves them all. */
struct hooked {
	char *lo, *hi;
	struct front_site sites[NPROBES];
	uint32_t nsites;
	struct hook_plan plan;
	size_t nplans;
};

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	struct hooked *h = ctx;

	(void)first;
	(void)n;
	h->plan = *plan;
	h->nplans++;
}

static void make_plan(struct hooked *h)
{
	struct hook_bytes code = {.lo = address(plans_begin),
				  .data = (const uint8_t *)plans_begin,
				  .n = (size_t)(plans_end - plans_begin)};
	struct addr_range ranges[] = {
		{address(plans_load), address(plans_load_end)},
		{address(plans_taken), address(plans_taken_end)},
		{address(plans_out), address(plans_out_end)},
	};
	struct hook_module m = {.code = &code,
				.ncode = 1,
				.functions = ranges,
				.nfunctions = ARRAY_LEN(ranges),
				.unwound = ranges,
				.nunwound = ARRAY_LEN(ranges)};
	struct hook_branches *b = hook_branches_new(&m);
	struct hook_probe_point wants[NPROBES] = {{.is_before = false}};
	struct hook_function f = {.lo = address(h->lo),
				  .hi = address(h->hi),
				  .wants = wants,
				  .plan = take_plan,
				  .ctx = h};

	for (uint32_t i = 0; i < h->nsites; i++) {
		taddr at = address(h->sites[i].at);
		bool is_new = !i || wants[f.nwants - 1].pc.v != at.v;
		struct hook_probe_point *w = &wants[is_new ? f.nwants++ : f.nwants - 1];

		w->pc = at;
		w->is_exit |= h->sites[i].kind == KEEPER_SITE_RETURN;
		w->is_before |= h->sites[i].kind != KEEPER_SITE_RETURN;
		h->sites[i].plan = &h->plan;
	}
	hook_plan_function(&m, b, &f);
	hook_branches_free(b);
	assert_int_equal(h->nplans, 1);
	assert_int_equal(h->plan.reason, HOOK_REASON_NONE);
	assert_int_equal(h->plan.nsites, h->nsites);
}

static int (*child_body)(void);

static void run_child(void)
{
	shared->ready = 1;
	while (!shared->go)
		usleep(1000);
	_exit(child_body());
}

/*
 * On a stack of its own: on this one planning has left addresses inside what is patched,
 * which the keeper takes for a handler's frame.
 */
static void start_child(int (*body)(void))
{
	static ucontext_t context;
	const size_t n = 256 * 1024;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child_body = body;
	getcontext(&context);
	context.uc_stack.ss_sp = mmap(NULL, n, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	context.uc_stack.ss_size = n;
	makecontext(&context, run_child, 0);
	setcontext(&context);
}

/* Runs body() hooked; the number of hits of each probe. */
static void run_hooked(struct hooked *h, int (*body)(void), uint64_t *counts)
{
	struct front *f = front_new_with(SLOTS);
	int status;
	pid_t pid;

	make_plan(h);
	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (pid == 0)
		start_child(body);
	while (!shared->ready)
		usleep(1000);
	assert_int_equal(front_request(f, KEEPER_REQ_SEIZE, pid).status, 0);
	assert_int_equal(front_sites(f, pid, h->sites, h->nsites), h->nsites);
	for (uint32_t i = 0; i < h->nsites; i++)
		if (h->sites[i].result != KEEPER_SITE_DETOUR)
			fail_msg("site %u of %u is no jump: reason %d", i, h->nsites,
				 (int)h->sites[i].reason);
	shared->go = 1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 7 << 8);
	for (uint32_t i = 0; i < NPROBES; i++)
		counts[i] = front_value(f, 0, i);
	assert_int_equal(front_free(f), 0);
	assert_int_equal(shared->wrong, 0);
}

static long *page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	const greg_t *regs = uc->uc_mcontext.gregs;

	(void)sig;
	shared->handled++;
	if (info->si_addr != page ||
	    regs[REG_RIP] != (greg_t)(uintptr_t)plans_load_mov ||
	    regs[REG_RDI] != (greg_t)(uintptr_t)page || regs[REG_RAX] != 0)
		shared->wrong++;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	*page = 42;
}

static int body_fault(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < CALLS; i++) {
		mprotect(page, 4096, PROT_NONE);
		if (plans_load(page) != 42)
			shared->wrong++;
	}
	return shared->handled == CALLS ? 7 : 1;
}

#define AT_ENTRY                                                                       \
	{                                                                              \
		.at = plans_load, .probe = ENTRY, .kind = KEEPER_SITE_ENTRY            \
	}
#define AT_OFFSET                                                                      \
	{                                                                              \
		.at = plans_load_mov, .probe = OFFSET, .kind = KEEPER_SITE_OFFSET      \
	}
#define AT_RETURN                                                                      \
	{                                                                              \
		.at = plans_load_ret, .probe = RETURN, .kind = KEEPER_SITE_RETURN,     \
		.base = plans_load, .size = 6                                          \
	}

/* Whichever sites the detour with the instruction that faults has. */
static void test_fault(void **state)
{
	static const struct {
		struct front_site sites[NPROBES];
		uint32_t n;
		uint64_t counts[NPROBES];
	} cases[] = {
		{{AT_ENTRY}, 1, {CALLS, 0, 0}},
		{{AT_OFFSET, AT_RETURN}, 2, {0, CALLS, CALLS}},
		{{AT_RETURN}, 1, {0, 0, CALLS}},
		{{AT_ENTRY, AT_RETURN}, 2, {CALLS, 0, CALLS}},
		{{AT_ENTRY, AT_OFFSET, AT_RETURN}, 3, {CALLS, CALLS, CALLS}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct hooked h = {.lo = (char *)plans_load, .hi = plans_load_end};
		uint64_t counts[NPROBES];

		memcpy(h.sites, cases[i].sites, sizeof(h.sites));
		h.nsites = cases[i].n;
		run_hooked(&h, body_fault, counts);
		for (int k = 0; k < NPROBES; k++)
			if (counts[k] != cases[i].counts[k])
				fail_msg("case %zu: probe %d fired %d times", i, k,
					 (int)counts[k]);
	}
}

static int body_taken(void)
{
	for (long i = 0; i < CALLS; i++)
		if (plans_test(i % 5 ? i : -1) != (i % 5 ? 1 : 2))
			shared->wrong++;
	return 7;
}

/* One conditional jump: entry each time, exit only when it is taken. */
static void test_taken(void **state)
{
	struct hooked h = {.lo = plans_taken,
			   .hi = plans_taken_end,
			   .sites = {{.at = plans_taken,
				      .probe = ENTRY,
				      .kind = KEEPER_SITE_ENTRY},
				     {.at = plans_taken,
				      .probe = RETURN,
				      .kind = KEEPER_SITE_RETURN,
				      .base = plans_taken,
				      .size = 12}},
			   .nsites = 2};
	uint64_t counts[NPROBES];

	(void)state;
	run_hooked(&h, body_taken, counts);
	assert_int_equal(counts[ENTRY], CALLS);
	assert_int_equal(counts[RETURN], CALLS / 5);
}

static int set_up(void **state)
{
	(void)state;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return shared == MAP_FAILED;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_taken),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
