/* SPDX-License-Identifier: MIT */
/*
 * The real keeper on real processes: each target is a fork of this test, so
 * the addresses of its functions are known, and it counts for itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/keeper_front.h"

#include <elf.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

extern char **environ;

/*
 * The traced functions, in assembler so that every kind of instruction is
 * under a site: push (emulated or copied), a rip-relative load (copied), ret, a
 * tail call, and a syscall.
 */
long live_work(long v);
long live_load(long v);
long live_tail(long v);
long live_getpid(void);
extern char live_work_ret[], live_work_end[], live_load_ret[], live_load_end[],
	live_tail_jump[], live_tail_end[], live_getpid_call[], live_getpid_end[];

__asm__(".pushsection .text\n"
	".p2align 4\n"
	"live_work: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 1(%rdi), %rax\n"
	"	pop %rbp\n"
	"live_work_ret: ret\n"
	"live_work_end:\n"
	".p2align 4\n"
	"live_load: mov live_constant(%rip), %rax\n"
	"	add %rdi, %rax\n"
	"live_load_ret: ret\n"
	"live_load_end:\n"
	".p2align 4\n"
	"live_tail: test %rdi, %rdi\n"
	"live_tail_jump: jmp live_work\n"
	"live_tail_end:\n"
	".p2align 4\n"
	"live_getpid: mov $39, %eax\n"
	"live_getpid_call: syscall\n"
	"	ret\n"
	"live_getpid_end:\n"
	".data\n"
	"live_constant: .quad 1000\n"
	".text\n"
	".popsection\n");

/* Shared with the targets. */
struct shared {
	_Atomic long calls, loads, handled, wrong;
	_Atomic int go, end;
};

static struct shared *shared;

static int set_up(void **state)
{
	(void)state;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(shared, 4096);
}

/* A target: a fork that runs body() once shared->go is set, and its result. */
static pid_t target(int (*body)(void))
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (pid)
		return pid;
	/* 64 endless threads must not survive a test that fails. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->go)
		usleep(1000);
	_exit(body());
}

/* The target calls its functions still, as soon as it gets its turn. */
static void assert_goes_on(void)
{
	long calls = shared->calls;

	for (int i = 0; i < 1000 && shared->calls == calls; i++)
		pause_ms(10);
	assert_true(shared->calls > calls);
}

static int wait_target(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void seize(struct front *f, pid_t pid, uint64_t flags)
{
	struct keeper_msg r = front_request(f, KEEPER_REQ_SEIZE, pid, flags);

	if (r.status)
		print_error("seize: %s\n", r.text);
	assert_int_equal(r.status, 0);
}

static void release(struct front *f, pid_t pid)
{
	assert_int_equal(front_request(f, KEEPER_REQ_RELEASE, pid, 0).status, 0);
}

static void expect_event(struct front *f, uint32_t type, pid_t pid, struct keeper_msg *m)
{
	assert_true(front_event(f, 10000, m));
	assert_int_equal(m->type, type);
	assert_int_equal(m->pid, pid);
}

#define WORK_ENTRY  {.at = live_work, .probe = 0, .kind = KEEPER_SITE_ENTRY}
#define WORK_RETURN                                                                    \
	{.at = live_work_ret,                                                          \
	 .probe = 1,                                                                   \
	 .kind = KEEPER_SITE_RETURN,                                                   \
	 .base = live_work,                                                            \
	 .size = (uint32_t)(live_work_end - (char *)live_work)}
#define LOAD_ENTRY  {.at = live_load, .probe = 2, .kind = KEEPER_SITE_ENTRY}

static void work_once(void)
{
	long n = ++shared->calls;

	if (live_work(n) != n + 1)
		shared->wrong++;
	shared->loads++;
	if (live_load(5) != 1005)
		shared->wrong++;
}

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
	assert_int_equal(m.a, 7 << 8);
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_value(f, 0, 1), 1000);
	assert_int_equal(front_value(f, 0, 2), 1000);
	/* arg1 at return: 2 + 3 + ... + 1001 */
	assert_int_equal(front_value(f, 1, 1), 1000 * 1003 / 2);
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

static void *thread_body(void *arg)
{
	for (int i = 0; i < 500; i++) {
		if (live_work(i) != i + 1 || live_load(i) != i + 1000)
			shared->wrong++;
	}
	return arg;
}

static void *brief_thread(void *arg)
{
	live_work(1);
	return arg;
}

static int body_threads(void)
{
	pthread_t t[16];

	for (int i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, thread_body, NULL);
	for (int i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 100; i++) {
		pthread_create(&t[0], NULL, brief_thread, NULL);
		pthread_join(t[0], NULL);
	}
	return 7;
}

static void test_threads(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_threads, n);
	assert_int_equal(n[0], 16 * 500 + 100);
	assert_int_equal(n[1], 16 * 500 + 100);
	assert_int_equal(n[2], 16 * 500);
}

static void on_alarm(int sig)
{
	(void)sig;
	shared->handled++;
	if (live_load(1) != 1001)
		shared->wrong++;
}

static void start_alarm(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &khz, NULL);
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

/* The child of a fork: no breakpoint, no scratch memory. */
static int fork_child(void)
{
	long v = 0;

	for (int i = 0; i < 50; i++)
		v += live_work(i) + live_load(i) - 1000;
	return *(unsigned char *)(uintptr_t)live_work != 0xcc && v == 2500 ? 17 : 1;
}

static int body_fork(void)
{
	for (int i = 0; i < 30; i++) {
		int status;
		pid_t pid;

		work_once();
		pid = fork();
		if (pid == 0)
			_exit(fork_child());
		if (waitpid(pid, &status, 0) != pid || status != 17 << 8)
			shared->wrong++;
	}
	return 7;
}

static void test_fork(void **state)
{
	uint64_t n[6];

	(void)state;
	check_counts(body_fork, n);
	assert_int_equal(n[0], 30);
	assert_int_equal(n[2], 30);
}

static int wait_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int body_vfork(void)
{
	char *const argv[] = {"true", NULL};

	for (int i = 0; i < 20; i++) {
		pid_t pid;

		work_once();
		pid = vfork();
		if (pid == 0)
			_exit((int)live_work(4)); /* in shared memory: passes through */
		if (wait_status(pid) != 5 << 8)
			shared->wrong++;
		pid = vfork();
		if (pid == 0) {
			live_work(1);
			execve("/bin/true", argv, environ);
			_exit(99);
		}
		if (wait_status(pid) != 0)
			shared->wrong++;
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) ||
		    wait_status(pid) != 0)
			shared->wrong++;
		work_once();
	}
	return 7;
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
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid, 0).status, 0);
	expect_event(f, KEEPER_EV_HOLD, pid, &m);
	assert_int_equal(m.a, (uintptr_t)hold.at);
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid, 0).status, 0);
	expect_event(f, KEEPER_EV_EXIT, pid, &m);
	assert_int_equal(m.a, 1 << 8);
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
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid, 0).status, 0);
	expect_event(f, KEEPER_EV_EXIT, pid, &m);
	assert_int_equal(wait_target(pid), 1 << 8);
	assert_int_equal(front_free(f), 0);
}

/* Threads that work without end, under alarms. */
static void *endless_thread(void *arg)
{
	while (!shared->end)
		work_once();
	return arg;
}

static int body_endless(void)
{
	pthread_t t[64];

	for (int i = 0; i < 64; i++)
		pthread_create(&t[i], NULL, endless_thread, NULL);
	start_alarm();
	for (int i = 0; i < 64; i++)
		pthread_join(t[i], NULL);
	return shared->wrong ? 1 : 7;
}

/* Its executable mappings as text (data may grow by itself); the caller frees. */
static char *read_maps(pid_t pid)
{
	char *text = calloc(1, 1 << 16), path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "r-xp") && strlen(text) + sizeof(line) < 1 << 16)
			strcat(text, line);
	fclose(f);
	return text;
}

static void read_text(pid_t pid, unsigned char *buf, size_t n)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, buf, n, (off_t)(uintptr_t)live_work), n);
	close(fd);
}

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

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Attach to 64 busy threads and let go again, several times: nothing is left. */
static void test_detach(void **state)
{
	struct front *f = front_new();
	pid_t pid = target(body_endless);
	unsigned char before[64], after[64];
	char *maps, *maps_after;
	long fastest = LONG_MAX;

	(void)state;
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
	pause_ms(200);
	maps = read_maps(pid);
	read_text(pid, before, sizeof(before));
	for (int i = 0; i < 5; i++) {
		struct front_site sites[] = {WORK_ENTRY, WORK_RETURN, LOAD_ENTRY};
		long start;

		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 3), 3);
		pause_ms(100);
		start = now_ms();
		release(f, pid);
		start = now_ms() - start;
		fastest = start < fastest ? start : fastest;
		assert_int_equal(tracer_of(pid), 0);
		read_text(pid, after, sizeof(after));
		assert_memory_equal(before, after, sizeof(before));
		maps_after = read_maps(pid);
		assert_string_equal(maps, maps_after);
		free(maps_after);
	}
	/* One of five: a machine with other work to do has its pauses. */
	assert_true(fastest < 2000);
	assert_true(front_value(f, 0, 0) > 100);
	free(maps);
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
}

/* A front of its own that seizes the target and is then killed. */
static pid_t doomed_front(pid_t pid, uint64_t flags, pid_t *keeper)
{
	int fds[2];
	pid_t front;

	assert_int_equal(pipe(fds), 0);
	front = fork();
	if (front == 0) {
		struct front_site sites[] = {WORK_ENTRY, WORK_RETURN, LOAD_ENTRY};
		struct front *f = front_new();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seize(f, pid, flags);
		front_sites(f, pid, sites, 3);
		if (write(fds[1], &f->keeper, sizeof(f->keeper)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]); /* so that a front that dies ends the read */
	assert_int_equal(read(fds[0], keeper, sizeof(*keeper)), sizeof(*keeper));
	close(fds[0]);
	return front;
}

static void test_front_killed(void **state)
{
	pid_t pid = target(body_endless), keeper, front;
	unsigned char before[64], after[64];

	(void)state;
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
	read_text(pid, before, sizeof(before));
	front = doomed_front(pid, 0, &keeper);
	pause_ms(100);
	kill(front, SIGKILL);
	waitpid(front, NULL, 0);
	wait_gone(keeper);
	assert_int_equal(tracer_of(pid), 0);
	read_text(pid, after, sizeof(after));
	assert_memory_equal(before, after, sizeof(before));
	assert_goes_on();
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
}

/* What was created by the run does not outlive it. */
static void test_front_killed_created(void **state)
{
	pid_t pid = target(body_endless), keeper, front;

	(void)state;
	front = doomed_front(pid, KEEPER_SEIZE_CREATED, &keeper);
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
	pause_ms(50);
	assert_int_equal(state_of(pid), 'T');
	kill(pid, SIGCONT);
	assert_goes_on();
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
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
		r = front_request(f, KEEPER_REQ_SEIZE, pid, 0);
		if (r.status == 0) {
			struct front_site sites[] = {WORK_ENTRY, LOAD_ENTRY};
			size_t bytes = sizeof(struct keeper_sites);
			int fd = front_memfd(NULL, bytes);

			seized++;
			(void)sites;
			front_call(f,
				   (struct keeper_msg){.type = KEEPER_REQ_SITES,
						       .pid = pid,
						       .a = bytes},
				   &fd, 1);
			close(fd);
			front_request(f, KEEPER_REQ_RELEASE, pid, 0);
		} else {
			assert_true(strlen(r.text) > 0);
		}
		assert_int_equal(wait_target(pid), 7 << 8);
		f->nevents = 0;
	}
	assert_true(seized > 0);
	assert_int_equal(front_free(f), 0);
}

static int body_epoll(void)
{
	struct epoll_event event;
	int fd = epoll_create1(0), n = 0;

	signal(SIGCHLD, SIG_IGN);
	while (!shared->end) {
		int r = epoll_wait(fd, &event, 1, 200);

		if (r < 0)
			shared->wrong++;
		n++;
		work_once();
	}
	return shared->wrong ? 1 : 7;
}

/* Neither our stops nor a signal that the program ignores may show as EINTR. */
static void test_no_eintr(void **state)
{
	struct front *f = front_new();
	pid_t pid = target(body_epoll);

	(void)state;
	shared->go = 1;
	for (int i = 0; i < 20; i++) {
		struct front_site sites[] = {LOAD_ENTRY, WORK_ENTRY};

		seize(f, pid, 0);
		assert_int_equal(front_sites(f, pid, sites, 2), 2);
		pause_ms(5);
		kill(pid, SIGCHLD);
		pause_ms(5);
		release(f, pid);
	}
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
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

/* A moved instruction that faults: the handler sees the original; one hit a call. */
static void test_fault(void **state)
{
	struct front_site sites[] = {
		{.at = live_fault, .probe = 6, .kind = KEEPER_SITE_ENTRY}};
	struct front *f = front_new();
	pid_t pid = target(body_fault);

	(void)state;
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(shared->wrong, 0);
	assert_int_equal(front_value(f, 0, 6), 50);
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
	r = front_request(f, KEEPER_REQ_SEIZE, 0x3ffffff, 0);
	assert_int_equal(r.status, STATUS_NOENT);
	assert_string_equal(r.text, "no such process");
	r = front_request(f, KEEPER_REQ_SEIZE, 2, 0);
	assert_int_equal(r.status, STATUS_UNSUP);
	assert_string_equal(r.text, "it is a kernel thread");
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
	r = front_request(f, KEEPER_REQ_SEIZE, pid, 0);
	assert_int_equal(r.status, STATUS_BUSY);
	assert_non_null(strstr(r.text, "traced already by 'unit_keeper_liv"));
	r = front_request(f, KEEPER_REQ_SEIZE, f->keeper, 0);
	assert_int_equal(r.status, STATUS_INVAL);
	zombie = fork();
	if (zombie == 0)
		_exit(0);
	pause_ms(50);
	r = front_request(f, KEEPER_REQ_SEIZE, zombie, 0);
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
	pause_ms(50);
	seize(f, pid, 0);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	pause_ms(50);
	release(f, pid);
	assert_true(front_value(f, 0, 0) > 0);
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
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
		cmocka_unit_test_setup_teardown(test_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_vfork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec_by_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_detach, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_front_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_front_killed_created, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_group_stop, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exit_during_attach, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_eintr, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_own_sigtrap, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_seize_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_site_refusals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_zombie_leader, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed_while_forking, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
