/* SPDX-License-Identifier: MIT */
/*
 * A process is killed after the keeper has got its stop, and before it handles that: its
 * end is reported as any other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tracer/keeper/os/link.h"
#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/threads/handle.h"
#include "vm/base/status.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAMILY 12345

/* Executes itself once it is traced; then it waits. */
static int start_executing(unsigned options)
{
	int fds[2], pid;
	char c;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid) {
		assert_int_equal(pt_seize(pid, options), 0);
		assert_int_equal(write(fds[1], "", 1), 1);
		close(fds[0]);
		close(fds[1]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(fds[0], &c, 1) == 1)
		execl("/bin/sleep", "sleep", "1000", (char *)NULL);
	_exit(1);
}

/* Kills the stopped process, and waits until it comes to its end. */
static void kill_stopped(int pid)
{
	siginfo_t news = {0};

	kill(pid, SIGKILL);
	while (news.si_pid != pid)
		assert_int_equal(waitid(P_PID, (id_t)pid, &news,
					WEXITED | WSTOPPED | WNOWAIT | __WALL),
				 0);
}

static void start_keeper(struct keeper *k, int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	*k = (struct keeper){.link = fds[1]};
	k->siteless = (struct siteless){.program = &k->program,
					.sampler = &k->sampler,
					.tasks = &k->tasks,
					.waits = &k->waits};
	assert_int_equal(wait_queue_init(&k->waits), 0);
}

/* The types of the messages to the front, one character each. */
static void read_types(int fd, char *types)
{
	static struct keeper_msg m;

	while (recv(fd, &m, sizeof(m), MSG_DONTWAIT) > 0)
		*types++ = m.type == KEEPER_EV_EXIT   ? 'x'
			   : m.type == KEEPER_EV_EXEC ? 'e'
			   : m.type == KEEPER_EV_LOST ? 'l'
						      : '?';
	*types = '\0';
}

/* Killed at its exec; only the front that knows of a process hears of its end. */
static void test_killed_at_exec(void **state)
{
	static const struct {
		enum process_role role;
		unsigned options;
		bool is_killed;
		const char *types;
	} cases[] = {
		{ROLE_TRACED, 0, true, "x"},
		{ROLE_TRACED, PT_OPTION_EXIT, true, "ex"}, /* it has memory still */
		{ROLE_TRACED, PT_OPTION_EXIT, false, "ex"},
		{ROLE_SHARER, 0, true, ""},
		{ROLE_SHARER, 0, false, "ex"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int fds[2], status, pid;
		struct keeper k;
		struct process *p;
		char types[16];

		start_keeper(&k, fds);
		pid = start_executing(cases[i].options);
		p = process_add(&k.tasks, pid, cases[i].role, space_new());
		p->space->family = FAMILY;
		task_add(&k.tasks, p, pid, TASK_RUNNING);
		assert_int_equal(wait_queue_next(&k.waits, &status), pid);
		assert_int_equal(status >> 16, PT_EVENT_EXEC);
		if (cases[i].is_killed)
			kill_stopped(pid);
		handle_stop(&k, pid, status);
		assert_non_null(task_find(&k.tasks, pid));
		if (!cases[i].is_killed)
			kill_stopped(pid);
		while (task_find(&k.tasks, pid)) {
			assert_int_equal(wait_queue_next(&k.waits, &status), pid);
			handle_stop(&k, pid, status);
			pt_cont(pid, 0); /* as the front does when it is held */
		}
		assert_null(process_find(&k.tasks, pid));
		read_types(fds[0], types);
		assert_string_equal(types, cases[i].types);
		tasks_forget_recent(&k.tasks);
		map_release(&k.tasks.by_pid);
		map_release(&k.tasks.by_tid);
		wait_queue_release(&k.waits);
		close(fds[0]);
		close(fds[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_at_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
