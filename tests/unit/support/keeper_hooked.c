/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/keeper_hooked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

__asm__(".text\n"
	".globl hook_work, hook_load, hook_callee, hook_call, hook_fault\n"
	".globl hook_spin, hook_brief, hook_host, hook_given, hook_begin\n"
	".globl hook_work_add, hook_callee_ret, hook_work_end\n"
	".globl hook_load_end, hook_callee_end, hook_call_end\n"
	".globl hook_fault_end, hook_spin_end, hook_brief_end\n"
	".globl hook_host_load, hook_host_end, hook_given_end, hook_end\n"
	".globl hook_pun, hook_pun_load, hook_pun_end, hook_chain, hook_chain_load, "
	"hook_chain_end\n"
	".p2align 12\n"
	"hook_begin:\n"
	"hook_work: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"hook_work_add: lea 1(%rdi), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	"hook_work_end:\n"
	".p2align 4\n"
	"hook_load: mov hook_constant(%rip), %rax\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	"hook_load_end:\n"
	".p2align 4\n"
	"hook_callee: lea 7(%rdi), %rax\n"
	"	nopl 0(%rax)\n"
	"hook_callee_ret: ret\n"
	"hook_callee_end:\n"
	".p2align 4\n"
	"hook_call: call hook_callee\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	"hook_call_end:\n"
	".p2align 4\n"
	"hook_fault: xor %eax, %eax\n"
	"	mov (%rdi), %rax\n"
	"	ret\n"
	"hook_fault_end:\n"
	".p2align 4\n"
	"hook_spin: mov %rsi, %rcx\n" /* rdi, rcx: a repeated instruction is moved */
	"	rep stosb\n"
	"	mov %rcx, %rax\n"
	"	ret\n"
	"hook_spin_end:\n"
	".p2align 4\n"
	"hook_brief: mov %rdi, %rax\n"
	"1:	dec %rax\n"
	"	jg 1b\n"
	"	lea 2(%rdi), %rax\n"
	"	ret\n"
	"hook_brief_end:\n"
	".fill 9, 1, 0x90\n"
	".fill 140, 1, 0x55\n"
	"hook_host: mov %rdi, %rax\n"
	"2:	dec %rax\n"
	"	jg 2b\n"
	"	xor %edx, %edx\n"
	"hook_host_load: mov (%rsi), %rdx\n"
	"	lea 3(%rdi, %rdx), %rax\n"
	"	ret\n"
	"hook_host_end:\n"
	".fill 140, 1, 0x55\n"
	"hook_given: push %rbx\n"
	"3:	dec %rdi\n" /* 48 ff cf: the jump leads to hook_given + 74 */
	"	jg 3b\n"
	".rept 9\n"
	"	movabs $3, %rcx\n"
	".endr\n"
	"	lea 4(%rcx), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"hook_given_end:\n"
	".fill 140, 1, 0x55\n"
	"hook_pun: push %rbx\n"
	"hook_pun_load:\n" /* 8b 4c 3e fc: the jump leads some 63 MB down */
	"4:	mov -4(%rsi,%rdi), %ecx\n"
	"	dec %rdi\n"
	"	cmp $3, %rdi\n"
	"	jg 4b\n"
	"	lea 6(%rdi), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"hook_pun_end:\n"
	".fill 140, 1, 0x55\n"
	"hook_chain: push %rbx\n" /* two heads: the loop arrives at the second */
	"hook_chain_load:\n"
	"5:	mov -0x41(%rsi,%rdi), %ecx\n" /* 8b 4c 3e bf: as a pun, far down */
	"	dec %rdi\n"
	"	cmp $3, %rdi\n"
	"	jg 5b\n"
	"	lea 8(%rdi), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"hook_chain_end:\n"
	".p2align 12\n"
	"hook_end:\n"
	".data\n"
	"hook_constant: .quad 1000\n"
	".text\n");

long work(long v)
{
	return hook_work(v);
}

long load(long v)
{
	return hook_load(v);
}

const struct function functions[NFUNCTIONS] = {
	[WORK] = {hook_work, hook_work_end},
	[LOAD] = {hook_load, hook_load_end},
	[CALL] = {hook_call, hook_call_end},
	[CALLEE] = {hook_callee, hook_callee_end},
	[FAULT] = {hook_fault, hook_fault_end},
	[SPIN] = {hook_spin, hook_spin_end},
	[BRIEF] = {hook_brief, hook_brief_end},
	[HOST] = {hook_host, hook_host_end},
	[GIVEN] = {hook_given, hook_given_end},
	[PUN] = {hook_pun, hook_pun_end},
	[CHAIN] = {hook_chain, hook_chain_end},
};

struct hook_plan plans[NFUNCTIONS];

taddr address(const void *p)
{
	return taddr_of((uint64_t)(uintptr_t)p);
}

static int by_lo(const void *a, const void *b)
{
	const struct addr_range *x = a, *y = b;

	return (x->lo.v > y->lo.v) - (x->lo.v < y->lo.v);
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	assert_true(first == 0 && n == 1);
	*(struct hook_plan *)ctx = *plan;
}

static void plan_entry(const struct hook_module *m, const struct hook_branches *b,
		       int function)
{
	const struct hook_probe_point want = {.pc = address(functions[function].lo),
					      .is_before = true};
	const struct hook_function f = {.lo = want.pc,
					.hi = address(functions[function].hi),
					.islands = hook_islands_new(),
					.wants = &want,
					.nwants = 1,
					.plan = take_plan,
					.ctx = &plans[function]};
	enum hook_tactic tactic = function == CALL    ? HOOK_CALL
				  : function == CHAIN ? HOOK_JMP_CHAIN
				  : function == PUN   ? HOOK_JMP_PUN
				  : function >= BRIEF ? HOOK_JMP_SHORT
						      : HOOK_JMP;

	hook_plan_function(m, b, &f);
	hook_islands_free(f.islands);
	assert_int_equal(plans[function].tactic, tactic);
	assert_int_equal(plans[function].island.ninsns > 0,
			 function == HOST || function == GIVEN);
	assert_int_equal(plans[function].covered == 1,
			 function == GIVEN || function == PUN);
	assert_int_equal(plans[function].nheads, function == CHAIN ? 2 : 0);
}

static void plan_functions(void)
{
	struct hook_bytes code = {.lo = address(hook_begin),
				  .data = (const uint8_t *)hook_begin,
				  .n = (size_t)(hook_end - hook_begin)};
	struct addr_range ranges[NFUNCTIONS];
	struct hook_module m = {.code = &code,
				.ncode = 1,
				.functions = ranges,
				.nfunctions = NFUNCTIONS,
				.unwound = ranges,
				.nunwound = NFUNCTIONS};
	struct hook_branches *b;

	for (int i = 0; i < NFUNCTIONS; i++)
		ranges[i] = (struct addr_range){address(functions[i].lo),
						address(functions[i].hi)};
	qsort(ranges, NFUNCTIONS, sizeof(*ranges), by_lo);
	b = hook_branches_new(&m);
	for (int i = 0; i < NFUNCTIONS; i++)
		plan_entry(&m, b, i);
	hook_branches_free(b);
}

pid_t planned(int (*body)(void))
{
	plan_functions();
	return target(body);
}

int set_up_quick(void **state)
{
	front_only_counts = true;
	return set_up(state);
}

int tear_down_quick(void **state)
{
	front_only_counts = false;
	return tear_down(state);
}

int set_up_light(void **state)
{
	front_is_light = true;
	return set_up_quick(state);
}

int tear_down_light(void **state)
{
	front_is_light = false;
	return tear_down_quick(state);
}

void hook_all(struct front *f, pid_t pid)
{
	struct front_site sites[] = {
		/* ascending */
		ENTRY(WORK, WORK),   ENTRY(LOAD, LOAD),	  ENTRY(CALLEE, CALLEE),
		ENTRY(CALL, CALL),   ENTRY(FAULT, FAULT), ENTRY(SPIN, SPIN),
		ENTRY(BRIEF, BRIEF), ENTRY(HOST, HOST),	  ENTRY(GIVEN, GIVEN),
		ENTRY(PUN, PUN),     ENTRY(CHAIN, CHAIN),
	};

	assert_int_equal(front_sites(f, pid, sites, NFUNCTIONS), NFUNCTIONS);
	for (int i = 0; i < NFUNCTIONS; i++) {
		assert_int_equal(sites[i].reason, KEEPER_REASON_NONE);
		assert_int_equal(sites[i].result, KEEPER_SITE_DETOUR);
	}
}

void work_all(void)
{
	char buf[128] = {0};
	long zero = 0;

	work_once();
	if (hook_call(10) != 27 || hook_callee(1) != 8)
		shared->wrong++;
	if (hook_fault(&zero) != 0 || hook_spin(buf, 32) != 0)
		shared->wrong++;
	if (hook_brief(3) != 5 || hook_host(2, &zero) != 5 || hook_given(2) != 7 ||
	    hook_pun(5, buf) != 9 || hook_chain(5, buf + 0x41) != 11)
		shared->wrong++;
}

int body_thousand(void)
{
	for (int i = 0; i < 1000; i++)
		work_all();
	return shared->wrong ? 1 : 7;
}

struct front *hooked(pid_t pid)
{
	struct front *f = front_new_with(SLOTS);

	seize(f, pid, 0);
	hook_all(f, pid);
	return f;
}

uint64_t gs_base(void)
{
	uint64_t base = 1;

	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	return base;
}
