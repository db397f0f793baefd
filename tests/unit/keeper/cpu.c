/* SPDX-License-Identifier: MIT */
/*
 * The CPU policy on a child that is not even traced: resuming it fails, but
 * what happens to the two affinities is the same.
 */
#include "tracer/keeper/os/cpu.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MANY 64 /* events: more than the keeper roams for, less than a period */

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int own_cpus(void)
{
	cpu_set_t mask;

	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	return CPU_COUNT(&mask);
}

static cpu_set_t mask_of(pid_t pid)
{
	cpu_set_t mask;

	assert_int_equal(sched_getaffinity(pid, sizeof(mask), &mask), 0);
	return mask;
}

static bool is_same(const cpu_set_t *before, pid_t pid)
{
	cpu_set_t now = mask_of(pid);

	return CPU_EQUAL(before, &now);
}

/* Two children hit in turn, or one alone, or one that lives on the last CPU only. */
static void test_policy(void **state)
{
	static const struct {
		bool takes_turns, has_one_cpu, is_pinned;
	} cases[] = {
		{false, false, true},
		{false, true, true},
		{true, false, false},
	};
	int ncpus = own_cpus();

	(void)state;
	if (ncpus < 2) {
		print_message("skipped: one CPU leaves nothing to choose\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		pid_t child[2] = {start_child(), start_child()};
		cpu_set_t all = mask_of(0), one, before;
		struct cpu c;
		size_t last = CPU_SETSIZE - 1;

		while (!CPU_ISSET(last, &all))
			last--;
		CPU_ZERO(&one);
		CPU_SET(last, &one);
		if (cases[i].has_one_cpu)
			sched_setaffinity(child[0], sizeof(one), &one);
		before = mask_of(child[0]);
		cpu_init(&c);
		for (int n = 0; n < MANY; n++) {
			cpu_cont(&c, child[cases[i].takes_turns ? n % 2 : 0]);
			assert_true(is_same(&before, child[0]));
		}
		assert_int_equal(own_cpus(), cases[i].is_pinned ? 1 : ncpus);
		if (cases[i].has_one_cpu)
			assert_int_equal(c.pinned, last);
		sched_setaffinity(0, sizeof(all), &all);
		end_child(child[0]);
		end_child(child[1]);
	}
}

/* The pair roams again now and then. */
static void test_roams(void **state)
{
	pid_t child = start_child();
	cpu_set_t all = mask_of(0);
	struct cpu c;
	int pinned = 0, roaming = 0;

	(void)state;
	cpu_init(&c);
	for (int n = 0; n < 4096 && c.is_on; n++) {
		cpu_cont(&c, child);
		pinned += c.pinned >= 0;
		roaming += c.pinned < 0;
	}
	assert_true(!c.is_on || (pinned > 3500 && roaming > 16));
	sched_setaffinity(0, sizeof(all), &all);
	end_child(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_roams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
