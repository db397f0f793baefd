/* SPDX-License-Identifier: MIT */
/*
 * Where jumps cannot go, or no longer: breakpoints take their place, and as exact.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/keeper_hooked.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <ucontext.h>

static int body_paced(void)
{
	for (int i = 0; !shared->end; i++) {
		work_all();
		shared->ready = 1;
	}
	return shared->wrong ? 1 : 7;
}

#define OTHER NFUNCTIONS /* the number of a probe of no function's entry */

/* Breakpoints that come to hooked sites, at the first byte and inside them. */
static void test_demote(void **state)
{
	/* Not on the stack: the target has a copy of that, and such a word is telling. */
	static struct front_site more[] = {
		{.at = hook_work_add, .probe = OTHER, .kind = KEEPER_SITE_OFFSET},
		{.at = hook_load, .probe = OTHER + 1, .kind = KEEPER_SITE_ENTRY},
		{.at = hook_host_load, .probe = OTHER, .kind = KEEPER_SITE_OFFSET},
		{.at = hook_pun_load, .probe = OTHER + 3, .kind = KEEPER_SITE_OFFSET},
		/* one of the heads of a chain */
		{.at = hook_chain_load, .probe = OTHER + 4, .kind = KEEPER_SITE_OFFSET},
	};
	struct front_site again[] = {ENTRY(WORK, OTHER), ENTRY(CALL, OTHER + 2)};
	pid_t pid = planned(body_paced);
	struct front *f = hooked(pid);
	uint64_t calls, loads;

	(void)state;
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	assert_int_equal(front_sites(f, pid, more, 5), 5);
	calls = front_value(f, 0, WORK);
	loads = front_value(f, 0, LOAD);
	assert_calls(10);
	/* Another probe of the first is a breakpoint now; of the other a jump still. */
	assert_int_equal(front_sites(f, pid, again, 2), 2);
	assert_int_equal(again[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(again[0].reason, KEEPER_REASON_SHARED);
	assert_int_equal(again[1].result, KEEPER_SITE_DETOUR);
	assert_calls(10);
	end_target(pid);
	assert_int_equal(front_value(f, 0, WORK), shared->calls);
	assert_int_equal(front_value(f, 0, LOAD), shared->loads);
	assert_int_equal(front_value(f, 0, HOST), shared->calls);
	assert_int_equal(front_value(f, 0, PUN), shared->calls);
	assert_int_equal(front_value(f, 0, CHAIN), shared->calls);
	assert_true(front_value(f, 0, OTHER + 4) > 0);
	assert_true(front_value(f, 0, OTHER + 3) > 0);
	assert_true(front_value(f, 0, OTHER) > 0 && front_value(f, 0, OTHER + 1) > 0);
	assert_in_range(front_value(f, 0, OTHER + 2), 1, front_value(f, 0, CALL));
	assert_int_equal(front_value(f, 0, CALL), shared->calls);
	assert_true(front_value(f, 0, OTHER + 1) <= (uint64_t)shared->loads);
	assert_true(calls < (uint64_t)shared->calls);
	assert_true(loads < (uint64_t)shared->loads);
	assert_int_equal(front_free(f), 0);
}

/* Both providers in one request. */
static void test_shared(void **state)
{
	struct front_site sites[] = {
		ENTRY(WORK, 0),
		{.at = hook_work, .probe = 1, .kind = KEEPER_SITE_ENTRY},
		ENTRY(LOAD, 2),
		{.at = (char *)hook_load + 7, .probe = 3, .kind = KEEPER_SITE_OFFSET},
	};
	struct front *f = front_new_with(SLOTS);
	pid_t pid = planned(body_thousand);

	(void)state;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 4), 4);
	assert_int_equal(sites[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(sites[0].reason, KEEPER_REASON_SHARED);
	assert_int_equal(sites[2].result, KEEPER_SITE_DETOUR); /* 7 bytes are covered */
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(front_value(f, 0, i), 1000);
	assert_int_equal(front_free(f), 0);
}

static int body_confined(void)
{
	struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, allow};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
	return body_thousand();
}

static int body_uses_gs(void)
{
	static char words[64];

	syscall(SYS_arch_prctl, ARCH_SET_GS, words);
	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
	return gs_base() == (uint64_t)(uintptr_t)words ? body_thousand() : 1;
}

static int body_locked(void)
{
	/* the sanitizer's mlockall() does nothing */
	bool is_locked = syscall(SYS_mlockall, MCL_FUTURE) == 0;

	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
	return is_locked ? body_thousand() : 1;
}

/* Processes that must not be injected into: breakpoints, and as exact. */
static void test_refused(void **state)
{
	static const struct {
		int (*body)(void);
		enum keeper_reason reason;
	} table[] = {
		{body_confined, KEEPER_REASON_SECCOMP},
		{body_uses_gs, KEEPER_REASON_GS_USED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		/* It needs no copy, which could not be mapped either. */
		struct front_site sites[] = {ENTRY(CALL, 0)};
		struct front *f = front_new_with(SLOTS);
		pid_t pid = planned(table[i].body);

		shared->go = 1;
		while (!shared->ready)
			pause_ms(1);
		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 1), 1);
		assert_int_equal(sites[0].result, KEEPER_SITE_BREAKPOINT);
		assert_int_equal(sites[0].reason, table[i].reason);
		shared->go = 2;
		assert_int_equal(wait_target(pid), 7 << 8);
		assert_int_equal(front_value(f, 0, 0), 1000);
		assert_int_equal(front_free(f), 0);
	}
}

/* What it maps is filled at once: there is little of it, and jumps lead there. */
static void test_locked(void **state)
{
	struct front_site sites[] = {ENTRY(CALL, 0)};
	struct front *f = front_new_with(SLOTS);
	pid_t pid = planned(body_locked);

	(void)state;
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	assert_int_equal(sites[0].result, KEEPER_SITE_DETOUR);
	shared->go = 2;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_free(f), 0);
}

/* No slot for threads; bytes that are not as planned. */
static void test_no_jump(void **state)
{
	struct hook_plan stale;
	struct front_site sites[] = {
		{.at = hook_work, .kind = KEEPER_SITE_ENTRY, .plan = &stale}};
	struct front *f = front_new_with(SLOTS), *small = front_new();
	pid_t pid = planned(body_thousand);

	(void)state;
	stale = plans[WORK];
	stale.original[1] ^= 1;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	assert_int_equal(sites[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(sites[0].reason, KEEPER_REASON_CHANGED);
	release(f, pid);
	small->nslots = STATE_SLOT_FIRST_THREAD;
	seize(small, pid, 0);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
	assert_int_equal(front_free(small), 0);
}

/* More threads than slots: what is not counted is counted as dropped. */
static void test_few_slots(void **state)
{
	struct front *f = front_new_with(STATE_SLOT_FIRST_THREAD + 2 * 4);
	pid_t pid = planned(body_threads);
	uint64_t drops = 0;

	(void)state;
	seize(f, pid, 0);
	hook_all(f, pid);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	drops = state_drops(f->state, STATE_SLOT_KEEPER)->records;
	assert_true(front_value(f, 0, WORK) <= 16 * 500 + 300);
	if (front_value(f, 0, WORK) < 16 * 500 + 300)
		assert_true(drops > 0);
	assert_int_equal(shared->wrong, 0);
	assert_int_equal(front_free(f), 0);
}

static void on_usr1(int sig)
{
	(void)sig;
	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
}

/* The thread is interrupted at hook_work_add, and stays in its handler for a while. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	if (uc->uc_mcontext.gregs[REG_RIP] != (greg_t)(uintptr_t)hook_work_add)
		return;
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x100;
	on_usr1(0);
}

static int body_interrupted(void)
{
	struct sigaction sa = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &sa, NULL);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	if (hook_work(1) != 2)
		shared->wrong++;
	return body_thousand();
}

/* Bytes that a signal handler will return into are left alone. */
static void test_interrupted(void **state)
{
	struct front_site sites[] = {ENTRY(WORK, 0), ENTRY(LOAD, 1)};
	struct front *f = front_new_with(SLOTS);
	pid_t pid = planned(body_interrupted);

	(void)state;
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	assert_int_equal(sites[0].result, KEEPER_SITE_BREAKPOINT);
	assert_int_equal(sites[0].reason, KEEPER_REASON_THREADS);
	assert_int_equal(sites[1].result, KEEPER_SITE_DETOUR);
	shared->go = 2;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_value(f, 0, 1), 1000);
	assert_int_equal(front_free(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_demote, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_locked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_jump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_few_slots, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_interrupted, set_up, tear_down),
		cmocka_unit_test_as(test_quick_demote, test_demote, set_up_quick,
				    tear_down_quick),
		cmocka_unit_test_as(test_light_demote, test_demote, set_up_light,
				    tear_down_light),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
