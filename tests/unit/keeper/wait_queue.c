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

/* 1 ms is forgiven in 20; at 2 s it ends, and does not begin again. */
static void test_patience(void **state)
{
	struct patience p = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_true(patience_spend(&p, 1000));
		p.at_ms -= 1000 * PATIENCE_FORGIVING;
	}
	assert_true(patience_spend(&p, 1000));
	assert_true(patience_spend(&p, 900));
	assert_false(patience_spend(&p, 1000));
	p.at_ms -= 100000 * PATIENCE_FORGIVING;
	assert_false(patience_spend(&p, 0));
}

struct owner {
	struct patience patience;
	int tid, served;
	bool is_asked;
};

static struct patience *patience_with(void *ctx, int tid)
{
	struct owner *o = ctx;

	return tid == o->tid ? &o->patience : NULL;
}

static bool serve_others(void *ctx)
{
	struct owner *o = ctx;

	assert_int_equal(o->patience.waits, 1);
	return ++o->served % 2;
}

static bool is_asked(void *ctx)
{
	return ((struct owner *)ctx)->is_asked;
}

static int start_spinning(void)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		__asm__ volatile("");
}

/* A thread that does not come back: others are served, then it is lost, after seconds. */
static double lose(bool is_asked_for)
{
	struct owner o = {.is_asked = is_asked_for};
	struct wait_queue s;
	int status;
	double start, took;

	assert_int_equal(wait_queue_init(&s), 0);
	s.hooks = (struct wait_queue_hooks){.ctx = &o,
					    .patience = patience_with,
					    .serve_others = serve_others,
					    .is_asked = is_asked};
	o.tid = start_spinning();
	assert_int_equal(pt_seize(o.tid, 0), 0);
	start = seconds();
	assert_int_equal(wait_queue_wait_step(&s, o.tid, &status), STATUS_GONE);
	took = seconds() - start;
	assert_true(wait_queue_is_lost(&s, o.tid));
	assert_true(s.has_lost);
	assert_true(o.served > 20); /* a busy machine gives us few turns */
	assert_int_equal(o.patience.waits, 0);
	/* Nothing waits for it any more; it can be stopped all the same. */
	start = seconds();
	for (int i = 0; i < 1000; i++)
		assert_int_equal(wait_queue_wait_step(&s, o.tid, &status), STATUS_GONE);
	assert_true(seconds() - start < 1);
	assert_int_equal(pt_interrupt(o.tid), 0);
	assert_int_equal(wait_queue_wait_tid(&s, o.tid, 8000, &status), 0);
	kill(o.tid, SIGKILL);
	assert_int_equal(wait_queue_next(&s, &status), o.tid);
	wait_queue_release(&s);
	return took;
}

/* After 10 s at most; where others want the processors as well, our looks come late. */
static void test_lost(void **state)
{
	(void)state;
	assert_true(lose(false) < 40);
}

/* In half the time when the front asks: 1 s, and what our last look comes late. */
static void test_lost_asked(void **state)
{
	int tries = 0;

	(void)state;
	while (lose(true) >= 1.8)
		assert_int_not_equal(++tries, 10);
}

/* Once all must end, no wait takes longer than a look. */
static void test_hurry(void **state)
{
	struct deadline hurry = deadline_in(100);
	struct wait_queue s;
	int status, pid = start_spinning();
	double start = seconds();

	(void)state;
	assert_int_equal(wait_queue_init(&s), 0);
	assert_int_equal(pt_seize(pid, 0), 0);
	s.hurry = &hurry;
	for (int i = 0; i < 20; i++)
		assert_int_equal(wait_queue_wait_tid(&s, pid, 5000, &status),
				 STATUS_BUSY);
	assert_true(seconds() - start < 4);
	kill(pid, SIGKILL);
	assert_int_equal(wait_queue_next(&s, &status), pid);
	wait_queue_release(&s);
}

/* It traps once it is traced; its end is a stop as well. */
static int start_trapping(void)
{
	int fds[2], pid;
	char c;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid) {
		assert_int_equal(pt_seize(pid, PT_OPTION_EXIT), 0);
		assert_int_equal(write(fds[1], "", 1), 1);
		close(fds[0]);
		close(fds[1]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fds[0], &c, 1) == 1)
		raise(SIGTRAP);
	_exit(1);
}

/*
 * A thread is killed while its stop is handled, which is given up then: that it ends, the
 * next stop, is still reported.
 */
static void test_killed_while_open(void **state)
{
	siginfo_t news = {0};
	struct wait_queue s;
	int status, pid = start_trapping();

	(void)state;
	assert_int_equal(wait_queue_init(&s), 0);
	assert_int_equal(wait_queue_next(&s, &status), pid);
	assert_int_equal(WSTOPSIG(status), SIGTRAP);
	assert_int_equal(s.open, pid);
	kill(pid, SIGKILL);
	while (news.si_pid != pid || news.si_status >> 8 != PT_EVENT_EXIT)
		assert_int_equal(waitid(P_PID, (id_t)pid, &news,
					WEXITED | WSTOPPED | WNOWAIT | __WALL),
				 0);
	wait_queue_close(&s);
	assert_true(wait_queue_has(&s, pid));
	assert_int_equal(wait_queue_next(&s, &status), pid);
	assert_int_equal(status >> 16, PT_EVENT_EXIT);
	assert_int_equal(pt_cont(pid, 0), 0);
	assert_int_equal(wait_queue_next(&s, &status), pid);
	assert_true(WIFSIGNALED(status));
	wait_queue_release(&s);
}

/* A stop that has been handled is not reported again. */
static void test_closed(void **state)
{
	struct wait_queue s;
	int status, pid = start_trapping();

	(void)state;
	assert_int_equal(wait_queue_init(&s), 0);
	assert_int_equal(wait_queue_next(&s, &status), pid);
	wait_queue_close(&s);
	assert_false(wait_queue_has(&s, pid));
	assert_int_equal(s.open, 0);
	kill(pid, SIGKILL);
	assert_int_equal(wait_queue_next(&s, &status), pid);
	assert_int_equal(status >> 16, PT_EVENT_EXIT);
	pt_cont(pid, 0);
	wait_queue_next(&s, &status);
	wait_queue_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_leader),
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_lost_asked),
		cmocka_unit_test(test_hurry),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_killed_while_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
