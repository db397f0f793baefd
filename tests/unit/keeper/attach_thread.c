/* SPDX-License-Identifier: MIT */
/*
 * A thread that was listed ends, and its number passes to a thread of another process
 * before it is seized: that one must not become a thread of ours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/threads/attach.h"
#include "tracer/keeper/threads/detach.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads a byte, and answers with the next one: a call that a stop must not end. */
static pid_t answering(int ends[2])
{
	int in[2], out[2];
	pid_t pid;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(in[0], &byte, 1) == 1) {
			byte++;
			if (write(out[1], &byte, 1) != 1)
				break;
		}
		_exit(1);
	}
	ends[0] = out[0];
	ends[1] = in[1];
	return pid;
}

static void assert_answers(const int ends[2])
{
	struct pollfd p = {.fd = ends[0], .events = POLLIN};
	char byte = 'a';

	assert_int_equal(write(ends[1], &byte, 1), 1);
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'b');
}

static int tracer_of(pid_t pid)
{
	struct procfs_status st;

	assert_int_equal(procfs_status(pid, &st), 0);
	return st.tracer;
}

static void release(struct keeper *k)
{
	while (k->tasks.processes)
		process_remove(&k->tasks, k->tasks.processes);
	wait_queue_release(&k->waits);
	map_release(&k->tasks.by_pid);
	map_release(&k->tasks.by_tid);
}

static void test_stranger(void **state)
{
	struct keeper k = {.link = -1};
	int ours[2], theirs[2];
	pid_t pid = answering(ours), stranger = answering(theirs);
	struct process *p;
	struct err e;

	(void)state;
	assert_int_equal(wait_queue_init(&k.waits), 0);
	assert_int_equal(attach_process(&k, pid, false, &e), 0);
	p = process_find(&k.tasks, pid);
	assert_int_equal(p->ntasks, 1);
	assert_int_equal(attach_thread(&k, p, stranger), 0);
	assert_int_equal(p->ntasks, 1);
	assert_null(task_find(&k.tasks, stranger));
	assert_null(process_find(&k.tasks, stranger));
	assert_int_equal(tracer_of(stranger), 0);
	assert_answers(theirs);
	assert_answers(ours);
	/* One that is traced already, and one that has gone. */
	assert_int_equal(attach_thread(&k, p, pid), 0);
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
	assert_int_equal(attach_thread(&k, p, stranger), 0);
	assert_int_equal(p->ntasks, 1);
	assert_int_equal(tracer_of(pid), getpid());
	detach_process(&k, p);
	assert_int_equal(tracer_of(pid), 0);
	assert_answers(ours);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	release(&k);
}

/* It cannot be seized, because it is a thread of another process that we trace. */
static void test_traced_stranger(void **state)
{
	struct keeper k = {.link = -1};
	int first[2], second[2];
	pid_t pid = answering(first), other = answering(second);
	struct process *p, *q;
	struct err e;

	(void)state;
	assert_int_equal(wait_queue_init(&k.waits), 0);
	assert_int_equal(attach_process(&k, pid, false, &e), 0);
	assert_int_equal(attach_process(&k, other, false, &e), 0);
	p = process_find(&k.tasks, pid);
	q = process_find(&k.tasks, other);
	/* As if its stop had not been seen yet. */
	task_remove(&k.tasks, task_find(&k.tasks, other));
	assert_int_equal(attach_thread(&k, p, other), 0);
	assert_int_equal(p->ntasks, 1);
	assert_int_equal(attach_thread(&k, q, other), 1);
	assert_int_equal(q->ntasks, 1);
	kill(pid, SIGKILL);
	kill(other, SIGKILL);
	waitpid(pid, NULL, 0);
	waitpid(other, NULL, 0);
	release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stranger),
		cmocka_unit_test(test_traced_stranger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
