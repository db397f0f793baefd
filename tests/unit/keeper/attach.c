/* SPDX-License-Identifier: MIT */
/*
 * The real keeper comes to processes and leaves them, or is left: whatever they are
 * doing, they are as before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/support/keeper_trapped.h"

#include <limits.h>
#include <sys/ptrace.h>
#include <time.h>

static int tracer_of(pid_t tid)
{
	char path[64], line[256];
	int tracer = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid: %d", &tracer);
	if (f)
		fclose(f);
	return tracer;
}

/* Attach to 64 busy threads and detach again, several times: nothing is left. */
static void test_detach(void **state)
{
	struct front *f = front_new();
	pid_t pid = target(body_endless);
	struct look *before;
	long fastest = LONG_MAX;

	(void)state;
	start_under_load();
	pause_ms(200);
	before = look_at(pid, live_work);
	for (int i = 0; i < 5; i++) {
		struct front_site sites[] = {WORK_ENTRY, WORK_RETURN, LOAD_ENTRY};
		long start;

		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 3), 3);
		assert_calls(200); /* of which few may have begun before */
		start = now_ms();
		release(f, pid);
		start = now_ms() - start;
		fastest = start < fastest ? start : fastest;
		assert_int_equal(tracer_of(pid), 0);
		assert_looks(pid, before);
	}
	/* One of five: a machine with other work to do has its pauses. */
	assert_true(fastest < 2000);
	assert_true(front_value(f, 0, 0) > 100);
	look_free(before);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

static struct front *attached_as(pid_t pid, uint32_t flags)
{
	struct front_site sites[] = {WORK_ENTRY, WORK_RETURN, LOAD_ENTRY};
	struct front *f = front_new();

	seize(f, pid, flags);
	front_sites(f, pid, sites, 3);
	return f;
}

static struct front *attached(pid_t pid)
{
	return attached_as(pid, 0);
}

static struct front *attached_created(pid_t pid)
{
	return attached_as(pid, KEEPER_SEIZE_CREATED);
}

static void test_front_killed(void **state)
{
	pid_t pid = target(body_endless), keeper, front;
	struct look *before;

	(void)state;
	start_under_load();
	before = look_at(pid, live_work);
	front = doomed_front(pid, attached, &keeper);
	pause_ms(100);
	kill(front, SIGKILL);
	waitpid(front, NULL, 0);
	wait_gone(keeper);
	assert_int_equal(tracer_of(pid), 0);
	assert_looks(pid, before);
	look_free(before);
	assert_goes_on();
	end_target(pid);
}

/* What was created by the run does not outlive it. */
static void test_front_killed_created(void **state)
{
	pid_t pid = target(body_endless), keeper, front;

	(void)state;
	front = doomed_front(pid, attached_created, &keeper);
	shared->go = 1;
	pause_ms(100);
	kill(front, SIGKILL);
	waitpid(front, NULL, 0);
	assert_int_equal(wait_target(pid), SIGKILL);
	wait_gone(keeper);
}

static char state_of(pid_t pid)
{
	char path[64], line[512] = "", *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f || !fgets(line, sizeof(line), f))
		return '?';
	fclose(f);
	p = strrchr(line, ')');
	return p ? p[2] : '?';
}

static void assert_comes_to(pid_t pid, char state)
{
	for (int i = 0; i < 3000 && state_of(pid) != state; i++)
		pause_ms(10);
	assert_int_equal(state_of(pid), state);
}

static int body_slow(void)
{
	while (!shared->end) {
		work_once();
		usleep(1000);
	}
	return shared->wrong ? 1 : 7;
}

/* Job control: a stop stays one, our own stops do not end it, nor the detach. */
static void test_group_stop(void **state)
{
	struct front_site sites[] = {WORK_ENTRY};
	struct front_site more[] = {LOAD_ENTRY};
	struct front *f = front_new();
	pid_t pid = target(body_slow);
	int status;
	long calls;

	(void)state;
	shared->go = 1;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	pause_ms(50);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	pause_ms(50);
	calls = shared->calls;
	/* needs a thread to map scratch memory: the stopped one */
	assert_int_equal(front_sites(f, pid, more, 1), 1);
	pause_ms(50);
	assert_int_equal(shared->calls, calls);
	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, WCONTINUED), pid);
	assert_goes_on();
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	release(f, pid);
	assert_comes_to(pid, 'T');
	kill(pid, SIGCONT);
	assert_goes_on();
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

static int body_brief(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread_body, NULL);
	usleep(1000);
	return 7; /* exits while they run */
}

/* Processes that exit at any moment of being attached to: never an abort or a hang. */
static void test_exit_during_attach(void **state)
{
	struct front *f = front_new();
	unsigned seized = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		pid_t pid = target(body_brief);
		struct keeper_msg r;

		shared->go = 1;
		usleep((unsigned)i * 20);
		r = front_request(f, KEEPER_REQ_SEIZE, pid);
		if (r.status == 0) {
			struct front_site sites[] = {WORK_ENTRY, LOAD_ENTRY};
			size_t bytes = sizeof(struct keeper_sites);
			int fd = front_memfd(NULL, bytes);

			seized++;
			(void)sites;
			front_call(f,
				   (struct keeper_msg){.type = KEEPER_REQ_SITES,
						       .pid = pid,
						       .memory.bytes = bytes},
				   &fd, 1);
			close(fd);
			front_request(f, KEEPER_REQ_RELEASE, pid);
		} else {
			assert_true(strlen(r.text) > 0);
		}
		assert_int_equal(wait_target(pid), 7 << 8);
		f->nevents = 0;
	}
	assert_true(seized > 0);
	assert_int_equal(front_free(f), 0);
}

static int body_sleep(void)
{
	while (!shared->end)
		pause();
	return 7;
}

/* Each reason why a process cannot be attached to. */
static void test_seize_errors(void **state)
{
	struct front *f = front_new();
	pid_t pid = target(body_sleep), zombie;
	struct keeper_msg r;

	(void)state;
	r = front_request(f, KEEPER_REQ_SEIZE, 0x3ffffff);
	assert_int_equal(r.status, STATUS_NOENT);
	assert_string_equal(r.text, "no such process");
	r = front_request(f, KEEPER_REQ_SEIZE, 2);
	assert_int_equal(r.status, STATUS_UNSUP);
	assert_string_equal(r.text, "it is a kernel thread");
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	r = front_request(f, KEEPER_REQ_SEIZE, pid);
	assert_int_equal(r.status, STATUS_BUSY);
	assert_non_null(strstr(r.text, "traced already by 'unit_keeper_att"));
	r = front_request(f, KEEPER_REQ_SEIZE, f->keeper);
	assert_int_equal(r.status, STATUS_INVAL);
	zombie = fork();
	if (zombie == 0)
		_exit(0);
	assert_comes_to(zombie, 'Z');
	r = front_request(f, KEEPER_REQ_SEIZE, zombie);
	assert_int_equal(r.status, STATUS_GONE);
	assert_non_null(strstr(r.text, "zombie"));
	waitpid(zombie, NULL, 0);
	kill(pid, SIGKILL);
	wait_target(pid);
	assert_int_equal(front_free(f), 0);
}

static void test_site_refusals(void **state)
{
	static const unsigned char code[] = {0xcc, 0x06, 0xc3};
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct front_site sites[] = {
		{.at = page, .kind = KEEPER_SITE_ENTRY},
		{.at = page + 1, .kind = KEEPER_SITE_ENTRY},
		{.at = page + 2, .kind = KEEPER_SITE_ENTRY},
		{.at = page + 4096, .kind = KEEPER_SITE_ENTRY},
	};
	struct front *f = front_new();
	pid_t pid;

	(void)state;
	memcpy(page, code, sizeof(code));
	munmap(page + 4096, 4096);
	pid = target(body_sleep);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 4), 1);
	assert_int_equal(sites[0].reason, KEEPER_REASON_BREAKPOINT);
	assert_int_equal(sites[1].reason, KEEPER_REASON_UNDECODABLE);
	assert_int_equal(sites[2].reason, KEEPER_REASON_NONE);
	assert_int_equal(sites[3].reason, KEEPER_REASON_UNREADABLE);
	release(f, pid);
	kill(pid, SIGKILL);
	wait_target(pid);
	munmap(page, 4096);
	assert_int_equal(front_free(f), 0);
}

static void *last_thread(void *arg)
{
	endless_thread(arg);
	_exit(7);
}

static int body_leader_exits(void)
{
	pthread_t t;

	pthread_create(&t, NULL, last_thread, NULL);
	pthread_exit(NULL);
	return 1;
}

/* The leader is a zombie; its thread is traced all the same. */
static void test_zombie_leader(void **state)
{
	struct front_site sites[] = {WORK_ENTRY, LOAD_ENTRY};
	struct front *f = front_new();
	pid_t pid = target(body_leader_exits);

	(void)state;
	shared->go = 1;
	while (shared->calls < 1000)
		pause_ms(1);
	assert_comes_to(pid, 'Z');
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	assert_calls(10);
	release(f, pid);
	assert_true(front_value(f, 0, 0) > 0);
	end_target(pid);
	assert_int_equal(front_free(f), 0);
}

static void *forking_thread(void *arg)
{
	while (!shared->end) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(fork_child());
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return arg;
}

static int body_forks(void)
{
	pthread_t t;

	setpgid(0, 0);
	shared->handled = 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&t, NULL, forking_thread, NULL);
	forking_thread(NULL);
	return 7;
}

/*
 * A target killed at any moment of forking: its last children end by
 * themselves, none is left stopped, and the keeper goes on.
 */
static void test_killed_while_forking(void **state)
{
	struct front *f = front_new();

	(void)state;
	/* The orphans become ours: as zombies they would count as alive. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < 20; i++) {
		struct front_site sites[] = {WORK_ENTRY, LOAD_ENTRY};
		pid_t pid = target(body_forks);
		struct keeper_msg m;
		int turns = 0;

		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 2), 2);
		shared->go = 1;
		while (!shared->handled)
			pause_ms(1);
		usleep(5000 + (unsigned)i * 731);
		kill(pid, SIGKILL);
		expect_event(f, KEEPER_EV_EXIT, pid, &m);
		assert_int_equal(wait_target(pid), SIGKILL);
		while (kill(-pid, 0) == 0 && turns++ < 500) {
			while (waitpid(-pid, NULL, WNOHANG) > 0)
				;
			pause_ms(10);
		}
		assert_true(turns < 500);
	}
	assert_int_equal(front_free(f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_detach, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_front_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_front_killed_created, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_group_stop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exit_during_attach, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_seize_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_site_refusals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_zombie_leader, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed_while_forking, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
