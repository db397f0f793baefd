/* SPDX-License-Identifier: MIT */
/* Which differences make a process another's peer no more. */
#include "tracer/keeper/os/credentials.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define USERS	 "Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\n"
#define GROUPS	 "Groups:\t4 24 8 \n"
#define CAPS	 "CapInh:\t00\nCapPrm:\t00\nCapEff:\t00\nCapBnd:\t1ff\nCapAmb:\t00\n"
#define CONFINED "NoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n"
#define REST	 GROUPS CAPS CONFINED
#define STATUS	 "Name:\tUid: 9\nState:\tR\n" USERS "FDSize:\t64\n" REST

static const struct credentials_files ns = {"user:[1]", "pid:[2]", ""};

static const struct {
	const char *status;
	struct credentials_files files;
	const char *word;
} cases[] = {
	{STATUS, {"user:[1]", "pid:[2]", ""}, NULL},
	/* Nothing else in the file counts. */
	{"Name:\tother\nState:\tS\n" USERS "Threads:\t9\n" REST "SigPnd:\t01\n",
	 {"user:[1]", "pid:[2]", ""},
	 NULL},
	/* One of real, effective, saved and file system. */
	{"Uid:\t0\t7\t7\t7\nGid:\t8\t8\t8\t8\n" REST,
	 {"user:[1]", "pid:[2]", ""},
	 "user"},
	{"Uid:\t7\t0\t7\t7\nGid:\t8\t8\t8\t8\n" REST,
	 {"user:[1]", "pid:[2]", ""},
	 "user"},
	{"Uid:\t7\t7\t0\t7\nGid:\t8\t8\t8\t8\n" REST,
	 {"user:[1]", "pid:[2]", ""},
	 "user"},
	{"Uid:\t7\t7\t7\t0\nGid:\t8\t8\t8\t8\n" REST,
	 {"user:[1]", "pid:[2]", ""},
	 "user"},
	{"Uid:\t7\t7\t7\t7\nGid:\t8\t8\t0\t8\n" REST,
	 {"user:[1]", "pid:[2]", ""},
	 "group"},
	{USERS "Groups:\t4 8 \n" CAPS CONFINED,
	 {"user:[1]", "pid:[2]", ""},
	 "supplementary groups"},
	{USERS "Groups:\t\n" CAPS CONFINED,
	 {"user:[1]", "pid:[2]", ""},
	 "supplementary groups"},
	{USERS GROUPS "CapInh:\t00\nCapPrm:\t80\nCapEff:\t00\nCapBnd:\t1ff\n"
		      "CapAmb:\t00\n" CONFINED,
	 {"user:[1]", "pid:[2]", ""},
	 "capabilities"},
	{USERS GROUPS "CapInh:\t00\nCapPrm:\t00\nCapEff:\t00\nCapBnd:\t1\n"
		      "CapAmb:\t00\n" CONFINED,
	 {"user:[1]", "pid:[2]", ""},
	 "capabilities"},
	{USERS GROUPS CAPS "NoNewPrivs:\t1\nSeccomp:\t0\nSeccomp_filters:\t0\n",
	 {"user:[1]", "pid:[2]", ""},
	 "no_new_privs"},
	{USERS GROUPS CAPS "NoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t1\n",
	 {"user:[1]", "pid:[2]", ""},
	 "seccomp filter"},
	{STATUS, {"user:[9]", "pid:[2]", ""}, "user namespace"},
	{STATUS, {"user:[1]", "pid:[9]", ""}, "process namespace"},
	{STATUS, {"user:[1]", "pid:[2]", "confined (enforce)\n"}, "security label"},
};

static void test_differences(void **state)
{
	struct credentials a, b;

	(void)state;
	assert_int_equal(credentials_parse(STATUS, &ns, &a), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got;

		assert_int_equal(
			credentials_parse(cases[i].status, &cases[i].files, &b), 0);
		got = credentials_difference(&a, &b);
		if (!cases[i].word != !got || (got && strcmp(got, cases[i].word) != 0))
			fail_msg("case %zu: %s", i, got ? got : "no difference");
		credentials_release(&b);
	}
	credentials_release(&a);
}

/* Without users it is no such text. What an old kernel does not report is the same. */
static void test_texts(void **state)
{
	static const char *const bad[] = {"", "\n", "Uid", "Name:\tUid: 9\n",
					  "Gid:\t1\n"};
	struct credentials a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(credentials_parse(bad[i], &ns, &a), STATUS_BADFMT);
		assert_null(a.value[0]);
	}
	assert_int_equal(credentials_parse(USERS GROUPS, &ns, &a), 0);
	assert_int_equal(credentials_parse("Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\n"
					   "Groups:\t4 24 8",
					   &ns, &b),
			 0);
	assert_null(credentials_difference(&a, &b));
	credentials_release(&a);
	credentials_release(&b);
	credentials_release(&b);
}

/* A child is a peer until it sets a bit that it cannot take back. */
static void test_threads(void **state)
{
	struct credentials mine, its;
	int ready[2], go[2];
	char byte = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) == 1 &&
		    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		    write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(credentials_read(getpid(), &mine), 0);
	assert_int_equal(credentials_read(pid, &its), 0);
	assert_null(credentials_difference(&mine, &its));
	credentials_release(&its);
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(credentials_read(pid, &its), 0);
	assert_string_equal(credentials_difference(&mine, &its), "no_new_privs");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	credentials_release(&its);
	assert_int_equal(credentials_read(pid, &its), STATUS_GONE);
	assert_null(its.value[0]);
	credentials_release(&mine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
