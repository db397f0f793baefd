/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/wait_queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void *sleep_on(void *pipe_end)
{
	int tid = (int)syscall(SYS_gettid);

	if (write(*(int *)pipe_end, &tid, sizeof(tid)) == sizeof(tid))
		for (;;)
			pause();
	return NULL;
}

/* A process of two threads: its pid; the second's tid comes by the pipe. */
static int start_two(int fds[2])
{
	int pid = fork();
	pthread_t thread;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, sleep_on, &fds[1]))
		_exit(1);
	for (;;)
		pause();
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Waiting for a leader alone ends at once when the whole process is killed. */
static void test_killed_leader(void **state)
{
	struct wait_queue s;
	int fds[2], tid, status, pid;
	double start;

	(void)state;
	assert_int_equal(wait_queue_init(&s), 0);
	assert_int_equal(pipe(fds), 0);
	pid = start_two(fds);
	assert_int_equal(read(fds[0], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(pt_seize(pid, 0), 0);
	assert_int_equal(pt_seize(tid, 0), 0);
	kill(pid, SIGKILL);
	start = seconds();
	assert_int_equal(wait_queue_wait_tid(&s, pid, 8000, &status), STATUS_GONE);
	assert_true(seconds() - start < 4);
	/* Its end is still to be reported, after that of the other thread. */
	assert_int_equal(wait_queue_next(&s, &status), tid);
	assert_int_equal(wait_queue_next(&s, &status), pid);
	assert_true(WIFSIGNALED(status));
	close(fds[0]);
	close(fds[1]);
	wait_queue_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
