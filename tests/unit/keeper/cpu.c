/* SPDX-License-Identifier: MIT */
/*
 * The CPU policy on a child that is not even traced: resuming it fails, but
 * what happens to the two affinities is the same.
 */
#include "tracer/keeper/cpu/cpu.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MANY   64    /* events: before other ways are tried */
#define PERIOD 20000 /* events: each way is tried */
#define GAP    5000U /* ns between two events */

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

/* The last CPU that the keeper may use, alone. */
static cpu_set_t last_cpu(size_t *last)
{
	cpu_set_t all = mask_of(0), one;

	*last = CPU_SETSIZE - 1;
	while (!CPU_ISSET(*last, &all))
		(*last)--;
	CPU_ZERO(&one);
	CPU_SET(*last, &one);
	return one;
}

/* One child alone, or two in turn, or one that lives on the last CPU only. */
static void test_policy(void **state)
{
	static const struct {
		bool takes_turns, has_one_cpu;
	} cases[] = {{false, false}, {false, true}, {true, false}};

	(void)state;
	if (own_cpus() < 2) {
		print_message("skipped: one CPU leaves nothing to choose\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		pid_t child[2] = {start_child(), start_child()};
		cpu_set_t all = mask_of(0), one, before;
		struct cpu c;
		size_t last;

		one = last_cpu(&last);
		if (cases[i].has_one_cpu)
			sched_setaffinity(child[0], sizeof(one), &one);
		before = mask_of(child[0]);
		cpu_init(&c);
		for (unsigned n = 0; n < MANY; n++) {
			cpu_cont(&c, child[cases[i].takes_turns ? n % 2 : 0], n * GAP);
			assert_true(is_same(&before, child[0]));
			assert_true(is_same(&all, child[1]));
			assert_int_equal(own_cpus(), 1);
		}
		if (cases[i].has_one_cpu)
			assert_int_equal(c.pinned, last);
		sched_setaffinity(0, sizeof(all), &all);
		end_child(child[0]);
		end_child(child[1]);
	}
}

/* What the program sets between two stops stays. */
static void test_changed(void **state)
{
	pid_t child = start_child();
	cpu_set_t all = mask_of(0), one;
	struct cpu c;
	size_t last;

	(void)state;
	one = last_cpu(&last);
	cpu_init(&c);
	for (unsigned n = 0; n < MANY; n++) {
		const cpu_set_t *set = n % 3 ? &all : &one;

		sched_setaffinity(child, sizeof(*set), set);
		cpu_cont(&c, child, n * GAP);
		assert_true(is_same(set, child));
	}
	sched_setaffinity(0, sizeof(all), &all);
	end_child(child);
}

/* What the program sets while its mask is narrow stays, too. */
static void test_widened(void **state)
{
	pid_t child = start_child();
	cpu_set_t all = mask_of(0), one;
	struct cpu c;
	size_t last;

	(void)state;
	one = last_cpu(&last);
	cpu_init(&c);
	c.only = one;
	sched_setaffinity(child, sizeof(one), &one);
	cpu_widen(&c, child, &all);
	assert_true(is_same(&all, child));
	cpu_widen(&c, child, &one);
	assert_true(is_same(&all, child));
	end_child(child);
}

/* What a child has that was made while its parent's mask was narrow. */
static void test_child(void **state)
{
	pid_t parent = start_child(), child = start_child();
	cpu_set_t all = mask_of(0), one;
	struct cpu c;
	size_t last;

	(void)state;
	one = last_cpu(&last);
	cpu_init(&c);
	sched_setaffinity(child, sizeof(one), &one);
	cpu_note_child(&c, parent, child);
	assert_true(is_same(&one, child)); /* the program's own: none was narrow yet */
	cpu_cont(&c, parent, 0);
	sched_setaffinity(0, sizeof(all), &all);
	cpu_note_child(&c, parent, child);
	assert_true(is_same(&all, child));
	sched_setaffinity(parent, sizeof(one), &one);
	sched_setaffinity(child, sizeof(one), &one);
	cpu_note_child(&c, parent, child);
	assert_true(is_same(&one, child));
	end_child(parent);
	end_child(child);
}

/* Each way in which a CPU is chosen, while it is the fastest one. */
static void test_ways(void **state)
{
	pid_t child = start_child();
	cpu_set_t all = mask_of(0);

	(void)state;
	for (int fast = 0; fast < CPU_WAYS; fast++) {
		unsigned pinned = 0, roaming = 0;
		uint64_t now = 0;
		struct cpu c;

		cpu_init(&c);
		for (unsigned n = 0; n < PERIOD && c.is_on; n++) {
			cpu_cont(&c, child, now);
			now += (int)c.ways.tried == fast ? GAP : 4 * GAP;
			pinned += c.pinned >= 0 && own_cpus() == 1;
			roaming += c.pinned < 0 && is_same(&all, 0);
			assert_true(is_same(&all, child));
		}
		assert_true(!c.is_on || pinned + roaming == PERIOD);
		assert_true(!c.is_on || (pinned > 16 && roaming > 16));
		assert_true(!c.is_on || (roaming > pinned) == (fast == CPU_WAY_ROAM));
		sched_setaffinity(0, sizeof(all), &all);
	}
	end_child(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policy),	cmocka_unit_test(test_changed),
		cmocka_unit_test(test_widened), cmocka_unit_test(test_child),
		cmocka_unit_test(test_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
