/* SPDX-License-Identifier: MIT */
/*
 * The real keeper on real processes, by breakpoints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/keeper_trapped.h"

#include <elf.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

static int body_thousand(void)
{
	for (int i = 0; i < 1000; i++)
		work_once();
	return shared->wrong ? 1 : 7;
}

static void test_count(void **state)
{
	struct front_site sites[] = {WORK_ENTRY, WORK_RETURN, LOAD_ENTRY};
	struct front *f = front_new();
	pid_t pid = target(body_thousand);
	struct keeper_msg m;

	(void)state;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 3), 3);
	shared->go = 1;
	expect_event(f, KEEPER_EV_EXIT, pid, &m);
	assert_int_equal(m.exit.wait_status, 7 << 8);
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_value(f, 0, 1), 1000);
	assert_int_equal(front_value(f, 0, 2), 1000);
	/* arg1 at return: 2 + 3 + ... + 1001 */
	assert_int_equal(front_value(f, 1, 1), 1000 * 1003 / 2);
	assert_int_equal(front_free(f), 0);
}

#define ONE_PAGE 8 /* blocks */

/* Memory that the keeper may write to for clauses: of the exchange and of control. */
static long blocks(const struct front *f)
{
	struct stat exchange, control;

	assert_int_equal(fstat(f->files[STATE_EXCHANGE], &exchange), 0);
	assert_int_equal(fstat(f->files[STATE_CONTROL], &control), 0);
	return exchange.st_blocks + control.st_blocks;
}

/* The first hits wait for no memory; where the keeper runs no clause there is none. */
static void test_first(void **state)
{
	struct front_site sites[] = {WORK_ENTRY, WORK_RETURN, LOAD_ENTRY};
	struct front_site hold = {.at = live_tail, .kind = KEEPER_SITE_HOLD};
	struct front *f = front_new();
	pid_t pid = target(body_thousand);
	struct keeper_msg m;
	long before, ready;

	(void)state;
	seize(f, pid, 0);
	before = blocks(f);
	assert_int_equal(front_sites(f, pid, &hold, 1), 1);
	assert_true(blocks(f) <= before + ONE_PAGE);
	assert_int_equal(front_sites(f, pid, sites, 3), 3);
	ready = blocks(f);
	assert_true(ready > before + ONE_PAGE);
	shared->go = 1;
	expect_event(f, KEEPER_EV_EXIT, pid, &m);
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(blocks(f), ready);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_free(f), 0);
}

/* Sites are set before the target runs; it must be right and end with 7. */
static void check_counts(int (*body)(void), uint64_t *counts)
{
	struct front_site sites[] = {
		WORK_ENTRY,
		WORK_RETURN,
		LOAD_ENTRY,
		{.at = live_tail, .probe = 3, .kind = KEEPER_SITE_ENTRY},
		{.at = live_tail_jump,
		 .probe = 4,
		 .kind = KEEPER_SITE_RETURN,
		 .base = live_tail,
		 .size = (uint32_t)(live_tail_end - (char *)live_tail)},
		{.at = live_getpid_call, .probe = 5, .kind = KEEPER_SITE_OFFSET},
	};
	struct front *f = front_new();
	pid_t pid = target(body);

	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 6), 6);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	for (uint32_t i = 0; i < 6; i++)
		counts[i] = front_value(f, 0, i);
	assert_int_equal(front_free(f), 0);
	assert_int_equal(shared->wrong, 0);
}

static int body_kinds(void)
{
	for (int i = 0; i < 500; i++) {
		if (live_tail(i) != i + 1)
			shared->wrong++;
		if (live_getpid() != getpid())
			shared->wrong++;
	}
	return 7;
}

static void test_kinds(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_kinds, n);
	assert_int_equal(n[0], 500);
	assert_int_equal(n[3], 500);
	assert_int_equal(n[4], 500); /* the tail call leaves live_tail */
	assert_int_equal(n[5], 500);
}

static void test_threads(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_threads, n);
	assert_int_equal(n[0], 16 * 500 + 300);
	assert_int_equal(n[1], 16 * 500 + 300);
	assert_int_equal(n[2], 16 * 500);
}

static int body_signals(void)
{
	const struct itimerval off = {{0, 0}, {0, 0}};

	start_alarm();
	while (shared->handled < 300 || shared->calls < 5000)
		work_once();
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	return 7;
}

/* Each alarm's handler hits a site as well; copies are left before delivery. */
static void test_signals(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_signals, n);
	assert_int_equal(n[0], shared->calls);
	assert_int_equal(n[1], shared->calls);
	assert_int_equal(n[2], shared->loads + shared->handled);
}

static int body_fork(void)
{
	return fork_often(fork_child);
}

static void test_fork(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_fork, n);
	assert_int_equal(n[0], 30);
	assert_int_equal(n[2], 30);
}

static void test_vfork(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_vfork, n);
	assert_int_equal(n[0], 40);
	assert_int_equal(n[2], 40);
}

static int body_execute(void)
{
	char *const argv[] = {"false", NULL};

	execve("/bin/false", argv, environ);
	return 99;
}

static uint64_t auxv_entry(pid_t pid)
{
	Elf64_auxv_t a;
	char path[64];
	uint64_t found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (!found && fread(&a, sizeof(a), 1, f) == 1)
		if (a.a_type == AT_ENTRY)
			found = a.a_un.a_val;
	fclose(f);
	return found;
}

/* As -c: seized before it executes, held at the new image and at its entry. */
static void test_exec(void **state)
{
	struct front *f = front_new();
	struct keeper_msg m;
	struct front_site hold = {.kind = KEEPER_SITE_HOLD};
	pid_t pid = target(body_execute);

	(void)state;
	seize(f, pid, KEEPER_SEIZE_CREATED);
	shared->go = 1;
	expect_event(f, KEEPER_EV_EXEC, pid, &m);
	hold.at = (void *)(uintptr_t)auxv_entry(pid);
	assert_int_equal(front_sites(f, pid, &hold, 1), 1);
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid).status, 0);
	expect_event(f, KEEPER_EV_HOLD, pid, &m);
	assert_int_equal(m.hold.addr.v, (uintptr_t)hold.at);
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid).status, 0);
	expect_event(f, KEEPER_EV_EXIT, pid, &m);
	assert_int_equal(m.exit.wait_status, 1 << 8);
	assert_int_equal(wait_target(pid), 1 << 8);
	assert_int_equal(front_free(f), 0);
}

static void *exec_thread(void *arg)
{
	(void)arg;
	body_execute();
	return NULL;
}

static int body_exec_thread(void)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, thread_body, NULL);
	pthread_create(&t, NULL, exec_thread, NULL);
	while (!shared->end)
		work_once();
	return 1;
}

/* A thread that is not the leader executes while others hit sites. */
static void test_exec_by_thread(void **state)
{
	struct front_site sites[] = {WORK_ENTRY, LOAD_ENTRY};
	struct front *f = front_new();
	struct keeper_msg m;
	pid_t pid = target(body_exec_thread);

	(void)state;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	shared->go = 1;
	expect_event(f, KEEPER_EV_EXEC, pid, &m);
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid).status, 0);
	expect_event(f, KEEPER_EV_EXIT, pid, &m);
	assert_int_equal(wait_target(pid), 1 << 8);
	assert_int_equal(front_free(f), 0);
}

static int body_epoll(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0);

	signal(SIGCHLD, SIG_IGN);
	while (!shared->end) {
		/* with nothing to wait for it can say only that the time is over */
		if (epoll_wait(fd, &event, 1, 200) != 0)
			shared->wrong++;
		work_once();
	}
	return shared->wrong ? 1 : 7;
}

/* times: seized, given a signal that it ignores after ms, and released. */
static void check_no_eintr(int times, unsigned ms)
{
	struct front *f = front_new();
	pid_t pid = target(body_epoll);

	shared->go = 1;
	for (int i = 0; i < times; i++) {
		struct front_site sites[] = {LOAD_ENTRY, WORK_ENTRY};

		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 2), 2);
		pause_ms(ms);
		kill(pid, SIGCHLD);
		pause_ms(ms);
		release(f, pid);
	}
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

/* Neither our stops nor a signal that the program ignores may show as EINTR. */
static void test_no_eintr(void **state)
{
	(void)state;
	check_no_eintr(20, 5);
}

/* The same when it is released where it makes the call again. */
static void test_released_at_call(void **state)
{
	(void)state;
	check_no_eintr(200, 0);
}

static void on_trap(int sig)
{
	(void)sig;
	shared->handled++;
}

static int body_trap(void)
{
	struct sigaction sa = {.sa_handler = on_trap};

	sigaction(SIGTRAP, &sa, NULL);
	for (int i = 0; i < 50; i++) {
		work_once();
		kill(getpid(), SIGTRAP);
		syscall(SYS_tgkill, getpid(), gettid(), SIGTRAP);
		work_once();
		__asm__ volatile("int3");
	}
	return shared->handled == 150 ? 7 : 1;
}

/* The target's own SIGTRAPs, sent or by its own int3, are its own. */
static void test_own_sigtrap(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_trap, n);
	assert_int_equal(n[0], 100);
	assert_int_equal(n[2], 100);
}

#define TRAP_AFTER_NS 500000

void live_spin(void);
__asm__(".p2align 4\n"
	"live_spin: nop\n"
	"1:	jmp 1b\n"
	"	ret\n");

static timer_t trap_timer;

static void arm(void)
{
	const struct itimerspec once = {.it_value.tv_nsec = TRAP_AFTER_NS};

	timer_settime(trap_timer, 0, &once, NULL);
}

/* Ends the spin, or comes again when that has begun. */
static void on_timed_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	if (*pc != (greg_t)(uintptr_t)live_spin + 1) {
		arm();
		return;
	}
	*pc += 2;
	shared->handled++;
	shared->wrong += info->si_code != SI_TIMER;
}

static int body_spin(void)
{
	struct sigaction sa = {.sa_sigaction = on_timed_trap, .sa_flags = SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTRAP};

	sigaction(SIGTRAP, &sa, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &trap_timer);
	for (int i = 0; i < 20; i++) {
		arm();
		live_spin();
	}
	return shared->handled == 20 && !shared->wrong ? 7 : 1;
}

/* One that comes where our own byte's trap would leave the pc. */
static void test_own_sigtrap_there(void **state)
{
	struct front_site sites[] = {
		{.at = live_spin, .probe = 6, .kind = KEEPER_SITE_ENTRY}};
	struct front *f = front_new();
	pid_t pid = target(body_spin);

	(void)state;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 6), 20);
	assert_int_equal(front_free(f), 0);
}

static void *fault_page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	shared->handled++;
	if (info->si_addr != fault_page)
		shared->wrong++;
	mprotect(fault_page, 4096, PROT_READ | PROT_WRITE);
}

long live_fault(long *p);
extern char live_fault_end[];
__asm__(".p2align 4\n"
	"live_fault: mov (%rdi), %rax\n"
	"	ret\n"
	"live_fault_end:\n");

static int body_fault(void)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	fault_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < 50; i++) {
		mprotect(fault_page, 4096, PROT_NONE);
		if (live_fault(fault_page) != 0)
			shared->wrong++;
	}
	return shared->handled == 50 ? 7 : 1;
}

static void check_fault(void)
{
	struct front_site sites[] = {
		{.at = live_fault, .probe = 6, .kind = KEEPER_SITE_ENTRY}};
	struct front *f = front_new();
	pid_t pid = target(body_fault);

	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(shared->wrong, 0);
	assert_int_equal(front_value(f, 0, 6), 50);
	assert_int_equal(front_free(f), 0);
}

/* A moved instruction that faults: the handler sees the original; one hit a call. */
static void test_fault(void **state)
{
	(void)state;
	check_fault();
}

/* The same where hits need no registers but the pc. */
static void test_fault_counted(void **state)
{
	(void)state;
	front_only_counts = true;
	check_fault();
	front_only_counts = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_vfork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec_by_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_eintr, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_released_at_call, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_own_sigtrap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_own_sigtrap_there, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fault_counted, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
