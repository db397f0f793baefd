/* SPDX-License-Identifier: MIT */
/*
 * Functions of a real process hooked by jumps by the real keeper. Each target is a
 * fork of this test, so the plans are made here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/keeper_hooked.h"

#include <sys/time.h>
#include <ucontext.h>

/* Hooked before it runs; it must be right and end with 7. */
static void check_counts(int (*body)(void), uint64_t *counts)
{
	pid_t pid = planned(body);
	struct front *f = hooked(pid);

	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	for (uint32_t i = 0; i < NFUNCTIONS; i++)
		counts[i] = front_value(f, 0, i);
	assert_int_equal(front_free(f), 0);
	assert_int_equal(shared->wrong, 0);
}

static void test_count(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_thousand, n);
	assert_int_equal(n[WORK], 1000);
	assert_int_equal(n[LOAD], 1000);
	assert_int_equal(n[CALL], 1000);
	assert_int_equal(n[CALLEE], 2000);
	assert_int_equal(n[FAULT], 1000);
	assert_int_equal(n[SPIN], 1000);
	assert_int_equal(n[BRIEF], 1000);
	assert_int_equal(n[HOST], 1000);
	assert_int_equal(n[GIVEN], 1000);
	assert_int_equal(n[PUN], 1000);
	assert_int_equal(n[CHAIN], 1000);
}

/* More threads in all than there are slots: they are used again. */
static void test_threads(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_threads, n);
	assert_int_equal(n[WORK], 16 * 500 + 300);
	assert_int_equal(n[LOAD], 16 * 500);
}

/* Whether an address is in the program's own code, as far as this test has any. */
static bool is_own_pc(uint64_t pc)
{
	uint64_t lo = (uint64_t)(uintptr_t)hook_begin;

	return pc < lo || pc > lo + 4096;
}

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
	uint64_t here = (uint64_t)(uintptr_t)&info;

	(void)sig;
	shared->handled++;
	/* Resident text and, in this program, every stub is below or far from it. */
	if (pc < UINT64_C(0x80000000) || (sp > here ? sp - here : here - sp) > 1 << 20)
		shared->inside++;
	if (!is_own_pc(pc))
		shared->ready++;
	if (hook_load(1) != 1001)
		shared->wrong++;
}

static void start_alarm(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	struct sigaction sa = {.sa_sigaction = on_alarm,
			       .sa_flags = SA_RESTART | SA_SIGINFO};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &khz, NULL);
}

static void stop_alarm(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

static int body_signals(void)
{
	start_alarm();
	while (shared->handled < 500 || shared->calls < 5000)
		work_all();
	stop_alarm();
	signal(SIGALRM, SIG_IGN);
	return shared->inside ? 9 : 7;
}

/* Each alarm's handler hits a hooked function as well. */
static void test_signals(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_signals, n);
	assert_int_equal(n[WORK], shared->calls);
	assert_int_equal(n[CALL], shared->calls);
	assert_int_equal(n[CALLEE], shared->calls * 2);
	assert_int_equal(n[SPIN], shared->calls);
	assert_int_equal(n[BRIEF], shared->calls);
	assert_int_equal(n[HOST], shared->calls);
	assert_int_equal(n[GIVEN], shared->calls);
	assert_int_equal(n[PUN], shared->calls);
	assert_int_equal(n[CHAIN], shared->calls);
	assert_int_equal(n[LOAD], shared->loads + shared->handled);
}

static bool has_trace_of_us(void)
{
	char line[512];
	bool has = false;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		has |= strstr(line, "memfd:fpid-") != NULL;
	if (f)
		fclose(f);
	return has;
}

/* Whether the page is mapped that the punned jump leads to. */
static bool has_island(void)
{
	unsigned char is_resident;
	uint64_t page = align_down(plans[PUN].island.at.v, 4096);

	return mincore((void *)(uintptr_t)page, 4096, &is_resident) == 0;
}

/* The child of a fork: no jump, no memory of ours. */
static int fork_child(void)
{
	long v = 0;

	for (int i = 0; i < 50; i++)
		v += hook_work(i) + hook_load(i) - 1000;
	if (*(unsigned char *)hook_begin != 0x55 || v != 2500)
		return 1;
	if (has_trace_of_us() || has_island())
		return 2;
	return gs_base() == 0 ? 17 : 3;
}

static int body_fork(void)
{
	return fork_often(fork_child);
}

static void test_fork(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_fork, n);
	assert_int_equal(n[WORK], 30);
	assert_int_equal(n[LOAD], 30);
}

static void test_vfork(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_vfork, n);
	assert_int_equal(n[WORK], 40);
	assert_int_equal(n[LOAD], 40);
}

static int body_execute(void)
{
	char *const argv[] = {"false", NULL};

	work_once();
	execve("/bin/false", argv, environ);
	return 99;
}

static void test_exec(void **state)
{
	pid_t pid = planned(body_execute);
	struct front *f = hooked(pid);
	struct keeper_msg m;

	(void)state;
	shared->go = 1;
	assert_true(front_event(f, 10000, &m));
	assert_int_equal(m.type, KEEPER_EV_EXEC);
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid).status, 0);
	assert_int_equal(wait_target(pid), 1 << 8);
	assert_int_equal(front_value(f, 0, WORK), 1);
	assert_int_equal(front_free(f), 0);
}

static void *endless_thread(void *arg)
{
	while (!shared->end) {
		work_all();
		if (arg)
			pause_ms(1);
	}
	return NULL;
}

/* Threads that run, threads that sleep, signals, and threads that come and go. */
static int body_endless(void)
{
	pthread_t t[16], brief;
	char *const argv[] = {"true", NULL};

	start_alarm();
	for (long i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, endless_thread, (void *)(i & 3));
	while (!shared->end) {
		pid_t pid;

		if (shared->calm == 1) {
			stop_alarm();
			shared->calm = 2;
		}
		if (pthread_create(&brief, NULL, brief_thread, NULL) == 0)
			pthread_join(brief, NULL);
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0)
			wait_status(pid);
	}
	for (int i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	return shared->wrong ? 1 : shared->inside ? 9 : 7;
}

static int count_fds(pid_t pid)
{
	char path[64];
	int n = 0;

	for (int fd = 0; fd < 256; fd++) {
		char link[64];

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		n += readlink(path, link, sizeof(link)) > 0;
	}
	return n;
}

/*
 * Attached to and left every few milliseconds, for RESTLESS_MS or some seconds. Where others
 * want the processors as well a turn takes longer: each change of threads waits for a slice.
 */
static void test_restless(void **state)
{
	struct front *f = front_new_with(SLOTS);
	pid_t pid = planned(body_endless);
	const char *text = getenv("RESTLESS_MS");
	long end, turns = 0;
	struct look *before;

	(void)state;
	start_under_load();
	pause_ms(100);
	before = look_at(pid, hook_begin);
	end = now_ms() + (text ? atol(text) : 3000);
	for (; now_ms() < end || !front_value(f, 0, WORK); turns++) {
		long ms = rand() % 4;

		seize(f, pid, 0);
		hook_all(f, pid);
		pause_ms(ms);
		release(f, pid);
		assert_looks(pid, before);
		pause_ms(3 - ms);
	}
	print_message("%ld times\n", turns);
	look_free(before);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

/* Hooks and detaches again under load, several times: nothing is left. */
static void test_release(void **state)
{
	struct front *f = front_new_with(SLOTS);
	pid_t pid = planned(body_endless);
	struct look *before;
	int fds;

	(void)state;
	start_under_load();
	pause_ms(100);
	fds = count_fds(pid);
	before = look_at(pid, hook_begin);
	for (int i = 0; i < 10; i++) {
		seize(f, pid, 0);
		hook_all(f, pid);
		assert_int_equal(count_fds(pid), fds);
		pause_ms(50);
		assert_calls(50); /* of which few may have begun before */
		release(f, pid);
		assert_looks(pid, before);
	}
	assert_true(front_value(f, 0, WORK) > 100);
	look_free(before);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

/* The front wants no more sites before any is set: nothing changes, and later all are. */
static void test_ended(void **state)
{
	pid_t pid = planned(body_endless);
	struct front_site jump = ENTRY(WORK, WORK);
	struct front_site breakpoint = {.at = functions[LOAD].lo, .probe = LOAD};
	struct front *f = front_new_with(SLOTS);
	struct look *before = look_at(pid, hook_begin);

	(void)state;
	seize(f, pid, 0);
	f->ends_sites = true;
	assert_int_equal(front_sites(f, pid, &jump, 1), 0);
	assert_int_equal(jump.result, 0);
	assert_int_equal(front_sites(f, pid, &breakpoint, 1), 0);
	assert_int_equal(breakpoint.result, 0);
	assert_looks(pid, before);
	f->ends_sites = false;
	hook_all(f, pid);
	start_under_load();
	assert_calls(50);
	release(f, pid);
	assert_looks(pid, before);
	assert_true(front_value(f, 0, WORK) > 0);
	look_free(before);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

static void test_front_killed(void **state)
{
	pid_t pid = planned(body_endless), keeper, front;
	struct look *before;

	(void)state;
	start_under_load();
	before = look_at(pid, hook_begin);
	for (int i = 0; i < 5; i++) {
		front = doomed_front(pid, hooked, &keeper);
		pause_ms(50);
		assert_goes_on();
		kill(front, SIGKILL);
		waitpid(front, NULL, 0);
		wait_gone(keeper);
		assert_looks(pid, before);
	}
	look_free(before);
	assert_goes_on();
	end_target(pid);
}

/*
 * With the keeper killed, the sites pass: by the robust word, one by one. A thread
 * that it steps just then, out of a stub and on to its signal, would die of the
 * trap: there are no signals any more.
 */
static void test_keeper_killed(void **state)
{
	pid_t pid = planned(body_endless), keeper, front;

	(void)state;
	start_under_load();
	front = doomed_front(pid, hooked, &keeper);
	shared->calm = 1;
	while (shared->calm == 1)
		pause_ms(10);
	pause_ms(200);
	assert_goes_on();
	kill(keeper, SIGKILL);
	pause_ms(200);
	assert_goes_on();
	shared->end = 1;
	/* No one holds signals back any more: a handler may interrupt a stub. */
	shared->inside = 0;
	assert_int_equal(wait_target(pid) & 0x7f, 0);
	assert_int_equal(shared->wrong, 0);
	kill(front, SIGKILL);
	waitpid(front, NULL, 0);
}

static void *fault_page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	shared->handled++;
	if (info->si_addr != fault_page || pc != (uint64_t)shared->calm)
		shared->wrong++;
	mprotect(fault_page, 4096, PROT_READ | PROT_WRITE);
}

static void start_faults(const char *at)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	shared->calm = (long)(uintptr_t)at;
	fault_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &sa, NULL);
}

static int body_fault(void)
{
	start_faults((char *)hook_fault + 2);
	for (int i = 0; i < 50; i++) {
		mprotect(fault_page, 4096, PROT_NONE);
		if (hook_fault(fault_page) != 0)
			shared->wrong++;
	}
	return shared->handled == 50 ? 7 : 1;
}

static int body_host_fault(void)
{
	start_faults(hook_host_load);
	for (int i = 0; i < 50; i++) {
		mprotect(fault_page, 4096, PROT_NONE);
		if (hook_host(2, fault_page) != 5)
			shared->wrong++;
	}
	return shared->handled == 50 ? 7 : 1;
}

/* A moved instruction that faults: the handler sees its own place; one hit a call. */
static void test_fault(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_fault, n);
	assert_int_equal(n[FAULT], 50);
	check_counts(body_host_fault, n);
	assert_int_equal(n[HOST], 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_vfork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_release, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_restless, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ended, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_front_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_keeper_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
		cmocka_unit_test_as(test_quick_count, test_count, set_up_quick,
				    tear_down_quick),
		cmocka_unit_test_as(test_quick_threads, test_threads, set_up_quick,
				    tear_down_quick),
		cmocka_unit_test_as(test_quick_signals, test_signals, set_up_quick,
				    tear_down_quick),
		cmocka_unit_test_as(test_quick_fork, test_fork, set_up_quick,
				    tear_down_quick),
		cmocka_unit_test_as(test_quick_release, test_release, set_up_quick,
				    tear_down_quick),
		cmocka_unit_test_as(test_quick_keeper_killed, test_keeper_killed,
				    set_up_quick, tear_down_quick),
		cmocka_unit_test_as(test_light_count, test_count, set_up_light,
				    tear_down_light),
		cmocka_unit_test_as(test_light_threads, test_threads, set_up_light,
				    tear_down_light),
		cmocka_unit_test_as(test_light_signals, test_signals, set_up_light,
				    tear_down_light),
		cmocka_unit_test_as(test_light_release, test_release, set_up_light,
				    tear_down_light),
		cmocka_unit_test_as(test_light_restless, test_restless, set_up_light,
				    tear_down_light),
		cmocka_unit_test_as(test_light_keeper_killed, test_keeper_killed,
				    set_up_light, tear_down_light),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
