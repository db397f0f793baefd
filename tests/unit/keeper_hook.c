/* SPDX-License-Identifier: MIT */
/*
 * Functions of a real process hooked by jumps by the real keeper. Each target is a
 * fork of this test, so the plans are made here; it counts for itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "hook/target.h"
#include "tests/unit/keeper_front.h"
#include "vm/base/status.h"

#include <asm/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

extern char **environ;

#define SLOTS 132 /* 65 threads at a time */

/*
 * The hooked functions: instructions that are moved in each of the ways, a retargeted
 * call, and short jumps to boards in padding, in the place of instructions, and there
 * with a distance that is given.
 */
long hook_work(long v);
long hook_load(long v);
long hook_callee(long v);
long hook_call(long v);
long hook_fault(long *p);
long hook_spin(char *to, long n);
long hook_brief(long v);
long hook_host(long v, const long *p);
long hook_given(long v);
extern char hook_begin[], hook_work_add[], hook_work_end[], hook_load_end[],
	hook_callee_end[], hook_call_end[], hook_fault_end[], hook_spin_end[],
	hook_brief_end[], hook_host_load[], hook_host_end[], hook_given_end[],
	hook_end[];

__asm__(".text\n"
	".p2align 12\n"
	"hook_begin:\n"
	"hook_work: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"hook_work_add: lea 1(%rdi), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	"hook_work_end:\n"
	".p2align 4\n"
	"hook_load: mov hook_constant(%rip), %rax\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	"hook_load_end:\n"
	".p2align 4\n"
	"hook_callee: lea 7(%rdi), %rax\n"
	"	nopl 0(%rax)\n"
	"	ret\n"
	"hook_callee_end:\n"
	".p2align 4\n"
	"hook_call: call hook_callee\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	"hook_call_end:\n"
	".p2align 4\n"
	"hook_fault: xor %eax, %eax\n"
	"	mov (%rdi), %rax\n"
	"	ret\n"
	"hook_fault_end:\n"
	".p2align 4\n"
	"hook_spin: mov %rsi, %rcx\n" /* rdi, rcx: a repeated instruction is moved */
	"	rep stosb\n"
	"	mov %rcx, %rax\n"
	"	ret\n"
	"hook_spin_end:\n"
	".p2align 4\n"
	"hook_brief: mov %rdi, %rax\n"
	"1:	dec %rax\n"
	"	jg 1b\n"
	"	lea 2(%rdi), %rax\n"
	"	ret\n"
	"hook_brief_end:\n"
	".fill 9, 1, 0x90\n"
	".fill 140, 1, 0x55\n"
	"hook_host: mov %rdi, %rax\n"
	"2:	dec %rax\n"
	"	jg 2b\n"
	"	xor %edx, %edx\n"
	"hook_host_load: mov (%rsi), %rdx\n"
	"	lea 3(%rdi, %rdx), %rax\n"
	"	ret\n"
	"hook_host_end:\n"
	".fill 140, 1, 0x55\n"
	"hook_given: push %rbx\n"
	"3:	dec %rdi\n" /* 48 ff cf: the jump leads to hook_given + 74 */
	"	jg 3b\n"
	".rept 9\n"
	"	movabs $3, %rcx\n"
	".endr\n"
	"	lea 4(%rcx), %rax\n"
	"	pop %rbx\n"
	"	ret\n"
	"hook_given_end:\n"
	".p2align 12\n"
	"hook_end:\n"
	".data\n"
	"hook_constant: .quad 1000\n"
	".text\n");

enum { WORK, LOAD, CALL, CALLEE, FAULT, SPIN, BRIEF, HOST, GIVEN, NFUNCTIONS };

static const struct function {
	void *lo;
	char *hi;
} functions[NFUNCTIONS] = {
	[WORK] = {hook_work, hook_work_end},
	[LOAD] = {hook_load, hook_load_end},
	[CALL] = {hook_call, hook_call_end},
	[CALLEE] = {hook_callee, hook_callee_end},
	[FAULT] = {hook_fault, hook_fault_end},
	[SPIN] = {hook_spin, hook_spin_end},
	[BRIEF] = {hook_brief, hook_brief_end},
	[HOST] = {hook_host, hook_host_end},
	[GIVEN] = {hook_given, hook_given_end},
};

static struct hook_plan plans[NFUNCTIONS];

/* Shared with the targets. */
struct shared {
	_Atomic long calls, loads, handled, wrong, inside, calm;
	_Atomic int go, end, ready;
};

static struct shared *shared;

static taddr address(const void *p)
{
	return taddr_of((uint64_t)(uintptr_t)p);
}

static int by_lo(const void *a, const void *b)
{
	const struct hook_range *x = a, *y = b;

	return (x->lo.v > y->lo.v) - (x->lo.v < y->lo.v);
}

static void take_plan(void *ctx, const struct hook_plan *plan, size_t first, size_t n)
{
	assert_true(first == 0 && n == 1);
	*(struct hook_plan *)ctx = *plan;
}

static void plan_entry(const struct hook_module *m, const struct hook_branches *b,
		       int function)
{
	const struct hook_want want = {.pc = address(functions[function].lo),
				       .is_before = true};
	const struct hook_function f = {.lo = want.pc,
					.hi = address(functions[function].hi),
					.boards = hook_boards_new(),
					.wants = &want,
					.nwants = 1,
					.plan = take_plan,
					.ctx = &plans[function]};
	enum hook_tactic tactic = function == CALL    ? HOOK_CALL
				  : function >= BRIEF ? HOOK_JMP_SHORT
						      : HOOK_JMP;

	hook_plan_function(m, b, &f);
	hook_boards_free(f.boards);
	assert_int_equal(plans[function].tactic, tactic);
	assert_int_equal(plans[function].board.ninsns > 0, function >= HOST);
	assert_int_equal(plans[function].covered == 1, function == GIVEN);
}

static void plan_functions(void)
{
	struct hook_bytes code = {address(hook_begin), (const uint8_t *)hook_begin,
				  (size_t)(hook_end - hook_begin)};
	struct hook_range ranges[NFUNCTIONS];
	struct hook_module m = {.code = &code,
				.ncode = 1,
				.functions = ranges,
				.nfunctions = NFUNCTIONS,
				.unwound = ranges,
				.nunwound = NFUNCTIONS};
	struct hook_branches *b;

	for (int i = 0; i < NFUNCTIONS; i++)
		ranges[i] = (struct hook_range){address(functions[i].lo),
						address(functions[i].hi)};
	qsort(ranges, NFUNCTIONS, sizeof(*ranges), by_lo);
	b = hook_branches_new(&m);
	for (int i = 0; i < NFUNCTIONS; i++)
		plan_entry(&m, b, i);
	hook_branches_free(b);
}

static int set_up(void **state)
{
	(void)state;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	return shared == MAP_FAILED;
}

/* What the hits of jumps do is known after the first ones. */
static int set_up_quick(void **state)
{
	front_only_counts = true;
	return set_up(state);
}

static int tear_down(void **state)
{
	(void)state;
	front_only_counts = false;
	return munmap(shared, 4096);
}

/* A target: a fork that runs body() once shared->go is set, and its result. */
static pid_t target(int (*body)(void))
{
	pid_t pid;

	plan_functions();
	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (pid)
		return pid;
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

static void seize(struct front *f, pid_t pid)
{
	struct keeper_msg r = front_request(f, KEEPER_REQ_SEIZE, pid, 0);

	/* A thread that waits for its vfork child is let go of a little later. */
	for (int i = 0; i < 200 && r.status == STATUS_BUSY; i++) {
		pause_ms(10);
		r = front_request(f, KEEPER_REQ_SEIZE, pid, 0);
	}

	if (r.status)
		print_error("seize: %s\n", r.text);
	assert_int_equal(r.status, 0);
}

static void release(struct front *f, pid_t pid)
{
	assert_int_equal(front_request(f, KEEPER_REQ_RELEASE, pid, 0).status, 0);
}

#define ENTRY(function, number)                                                        \
	{                                                                              \
		.at = functions[function].lo, .probe = number,                         \
		.kind = KEEPER_SITE_ENTRY, .plan = &plans[function]                    \
	}

/* All entries, ascending; the probe is the function's number. */
#define ALL                                                                            \
	{                                                                              \
		ENTRY(WORK, WORK), ENTRY(LOAD, LOAD), ENTRY(CALLEE, CALLEE),           \
			ENTRY(CALL, CALL), ENTRY(FAULT, FAULT), ENTRY(SPIN, SPIN),     \
			ENTRY(BRIEF, BRIEF), ENTRY(HOST, HOST), ENTRY(GIVEN, GIVEN)    \
	}

static void hook_all(struct front *f, pid_t pid, enum keeper_site_result result,
		     enum keeper_reason reason)
{
	struct front_site sites[] = ALL;

	assert_int_equal(front_sites(f, pid, sites, NFUNCTIONS), NFUNCTIONS);
	for (int i = 0; i < NFUNCTIONS; i++) {
		assert_int_equal(sites[i].reason, reason);
		assert_int_equal(sites[i].result, result);
	}
}

static void work_once(void)
{
	long n = ++shared->calls;

	if (hook_work(n) != n + 1)
		shared->wrong++;
	shared->loads++;
	if (hook_load(5) != 1005)
		shared->wrong++;
}

static void work_all(void)
{
	char buf[32];
	long zero = 0;

	work_once();
	if (hook_call(10) != 27 || hook_callee(1) != 8)
		shared->wrong++;
	if (hook_fault(&zero) != 0 || hook_spin(buf, sizeof(buf)) != 0)
		shared->wrong++;
	if (hook_brief(3) != 5 || hook_host(2, &zero) != 5 || hook_given(2) != 7)
		shared->wrong++;
}

static int body_thousand(void)
{
	for (int i = 0; i < 1000; i++)
		work_all();
	return shared->wrong ? 1 : 7;
}

/* Seized and hooked before it runs; it must be right and end with 7. */
static void check_counts(int (*body)(void), uint64_t *counts)
{
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body);

	seize(f, pid);
	hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	for (uint32_t i = 0; i < NFUNCTIONS; i++)
		counts[i] = front_value(f, 0, i);
	assert_int_equal(front_free(f), 0);
	assert_int_equal(shared->wrong, 0);
}

static void test_count(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_thousand, n);
	assert_int_equal(n[WORK], 1000);
	assert_int_equal(n[LOAD], 1000);
	assert_int_equal(n[CALL], 1000);
	assert_int_equal(n[CALLEE], 2000);
	assert_int_equal(n[FAULT], 1000);
	assert_int_equal(n[SPIN], 1000);
	assert_int_equal(n[BRIEF], 1000);
	assert_int_equal(n[HOST], 1000);
	assert_int_equal(n[GIVEN], 1000);
}

static void *thread_body(void *arg)
{
	for (int i = 0; i < 500; i++) {
		if (hook_work(i) != i + 1 || hook_load(i) != i + 1000)
			shared->wrong++;
	}
	return arg;
}

static void *brief_thread(void *arg)
{
	hook_work(1);
	return arg;
}

static int body_threads(void)
{
	pthread_t t[16];

	for (int i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, thread_body, NULL);
	for (int i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 300; i++) {
		pthread_create(&t[0], NULL, brief_thread, NULL);
		pthread_join(t[0], NULL);
	}
	return 7;
}

/* More threads in all than there are slots: they are used again. */
static void test_threads(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_threads, n);
	assert_int_equal(n[WORK], 16 * 500 + 300);
	assert_int_equal(n[LOAD], 16 * 500);
}

/* Whether an address is in the program's own code, as far as this test has any. */
static bool is_own_pc(uint64_t pc)
{
	uint64_t lo = (uint64_t)(uintptr_t)hook_begin;

	return pc < lo || pc > lo + 4096;
}

static void on_alarm(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];
	uint64_t here = (uint64_t)(uintptr_t)&info;

	(void)sig;
	shared->handled++;
	/* Resident text and, in this program, every stub is below or far from it. */
	if (pc < UINT64_C(0x80000000) || (sp > here ? sp - here : here - sp) > 1 << 20)
		shared->inside++;
	if (!is_own_pc(pc))
		shared->ready++;
	if (hook_load(1) != 1001)
		shared->wrong++;
}

static void start_alarm(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	struct sigaction sa = {.sa_sigaction = on_alarm,
			       .sa_flags = SA_RESTART | SA_SIGINFO};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &khz, NULL);
}

static void stop_alarm(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

static int body_signals(void)
{
	start_alarm();
	while (shared->handled < 500 || shared->calls < 5000)
		work_all();
	stop_alarm();
	signal(SIGALRM, SIG_IGN);
	return shared->inside ? 9 : 7;
}

/* Each alarm's handler hits a hooked function as well. */
static void test_signals(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_signals, n);
	assert_int_equal(n[WORK], shared->calls);
	assert_int_equal(n[CALL], shared->calls);
	assert_int_equal(n[CALLEE], shared->calls * 2);
	assert_int_equal(n[SPIN], shared->calls);
	assert_int_equal(n[BRIEF], shared->calls);
	assert_int_equal(n[HOST], shared->calls);
	assert_int_equal(n[GIVEN], shared->calls);
	assert_int_equal(n[LOAD], shared->loads + shared->handled);
}

static bool has_trace_of_us(void)
{
	char line[512];
	bool has = false;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		has |= strstr(line, "memfd:fpid-") != NULL;
	if (f)
		fclose(f);
	return has;
}

static uint64_t gs_base(void)
{
	uint64_t base = 1;

	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	return base;
}

/* The child of a fork: no jump, no memory of ours. */
static int fork_child(void)
{
	long v = 0;

	for (int i = 0; i < 50; i++)
		v += hook_work(i) + hook_load(i) - 1000;
	if (*(unsigned char *)hook_begin != 0x55 || v != 2500)
		return 1;
	if (has_trace_of_us())
		return 2;
	return gs_base() == 0 ? 17 : 3;
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
			shared->wrong = status;
	}
	return 7;
}

static void test_fork(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_fork, n);
	assert_int_equal(n[WORK], 30);
	assert_int_equal(n[LOAD], 30);
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
			_exit((int)hook_work(4)); /* in shared memory: passes through */
		if (wait_status(pid) != 5 << 8)
			shared->wrong++;
		pid = vfork();
		if (pid == 0) {
			hook_work(1);
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
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_vfork, n);
	assert_int_equal(n[WORK], 40);
	assert_int_equal(n[LOAD], 40);
}

static int body_execute(void)
{
	char *const argv[] = {"false", NULL};

	work_once();
	execve("/bin/false", argv, environ);
	return 99;
}

static void test_exec(void **state)
{
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body_execute);
	struct keeper_msg m;

	(void)state;
	seize(f, pid);
	hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
	shared->go = 1;
	assert_true(front_event(f, 10000, &m));
	assert_int_equal(m.type, KEEPER_EV_EXEC);
	assert_int_equal(front_request(f, KEEPER_REQ_RESUME, pid, 0).status, 0);
	assert_int_equal(wait_target(pid), 1 << 8);
	assert_int_equal(front_value(f, 0, WORK), 1);
	assert_int_equal(front_free(f), 0);
}

static void *endless_thread(void *arg)
{
	while (!shared->end) {
		work_all();
		if (arg)
			pause_ms(1);
	}
	return NULL;
}

/* Threads that run, threads that sleep, signals, and threads that come and go. */
static int body_endless(void)
{
	pthread_t t[16], brief;
	char *const argv[] = {"true", NULL};

	start_alarm();
	for (long i = 0; i < 16; i++)
		pthread_create(&t[i], NULL, endless_thread, (void *)(i & 3));
	while (!shared->end) {
		pid_t pid;

		if (shared->calm == 1) {
			stop_alarm();
			shared->calm = 2;
		}
		if (pthread_create(&brief, NULL, brief_thread, NULL) == 0)
			pthread_join(brief, NULL);
		if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0)
			wait_status(pid);
	}
	for (int i = 0; i < 16; i++)
		pthread_join(t[i], NULL);
	return shared->wrong ? 1 : shared->inside ? 9 : 7;
}

/* Its executable mappings and all of ours as text; the caller frees. */
static char *read_maps(pid_t pid)
{
	char *text = calloc(1, 1 << 16), path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if ((strstr(line, "r-xp") || strstr(line, "memfd:")) &&
		    strlen(text) + sizeof(line) < 1 << 16)
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
	assert_int_equal(pread(fd, buf, n, (off_t)(uintptr_t)hook_begin), n);
	close(fd);
}

static int count_fds(pid_t pid)
{
	char path[64];
	int n = 0;

	for (int fd = 0; fd < 256; fd++) {
		char link[64];

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, fd);
		n += readlink(path, link, sizeof(link)) > 0;
	}
	return n;
}

/* Hooks and lets go again under load, many times: nothing is left. */
/* Attached to and left every few milliseconds, for RESTLESS_MS or a moment. */
static void test_restless(void **state)
{
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body_endless);
	const char *text = getenv("RESTLESS_MS");
	long left = text ? atol(text) : 300, turns = 0;
	unsigned char before[4096], after[4096];
	char *maps, *maps_after;

	(void)state;
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
	pause_ms(100);
	maps = read_maps(pid);
	read_text(pid, before, sizeof(before));
	for (; left > 0; turns++) {
		long ms = rand() % 4;

		seize(f, pid);
		hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
		pause_ms(ms);
		release(f, pid);
		read_text(pid, after, sizeof(after));
		assert_memory_equal(before, after, sizeof(before));
		maps_after = read_maps(pid);
		assert_string_equal(maps, maps_after);
		free(maps_after);
		pause_ms(3 - ms);
		left -= 3 + 2; /* and the work */
	}
	print_message("%ld times\n", turns);
	assert_true(front_value(f, 0, WORK) > 0);
	free(maps);
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
}

static void test_release(void **state)
{
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body_endless);
	unsigned char before[4096], after[4096];
	char *maps, *maps_after;
	int fds;

	(void)state;
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
	pause_ms(100);
	maps = read_maps(pid);
	fds = count_fds(pid);
	read_text(pid, before, sizeof(before));
	for (int i = 0; i < 10; i++) {
		seize(f, pid);
		hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
		assert_int_equal(count_fds(pid), fds);
		pause_ms(50);
		release(f, pid);
		read_text(pid, after, sizeof(after));
		assert_memory_equal(before, after, sizeof(before));
		maps_after = read_maps(pid);
		assert_string_equal(maps, maps_after);
		free(maps_after);
	}
	assert_true(front_value(f, 0, WORK) > 100);
	free(maps);
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
}

/* A front of its own that hooks the target and is then killed. */
static pid_t doomed_front(pid_t pid, pid_t *keeper)
{
	int fds[2];
	pid_t front;

	assert_int_equal(pipe(fds), 0);
	front = fork();
	if (front == 0) {
		struct front *f = front_new_with(SLOTS);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seize(f, pid);
		hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
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
	unsigned char before[4096], after[4096];
	char *maps, *maps_after;

	(void)state;
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
	read_text(pid, before, sizeof(before));
	maps = read_maps(pid);
	for (int i = 0; i < 5; i++) {
		front = doomed_front(pid, &keeper);
		pause_ms(50);
		kill(front, SIGKILL);
		waitpid(front, NULL, 0);
		wait_gone(keeper);
		read_text(pid, after, sizeof(after));
		assert_memory_equal(before, after, sizeof(before));
		maps_after = read_maps(pid);
		assert_string_equal(maps, maps_after);
		free(maps_after);
	}
	free(maps);
	assert_goes_on();
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
}

/*
 * With the keeper killed, the sites pass: by the robust word, one by one. A thread
 * that it steps just then, out of a stub and on to its signal, would die of the
 * trap: there are no signals any more.
 */
static void test_keeper_killed(void **state)
{
	pid_t pid = target(body_endless), keeper, front;

	(void)state;
	shared->go = 1;
	while (shared->handled < 20)
		pause_ms(10);
	front = doomed_front(pid, &keeper);
	shared->calm = 1;
	while (shared->calm == 1)
		pause_ms(10);
	pause_ms(200);
	kill(keeper, SIGKILL);
	pause_ms(200);
	assert_goes_on();
	shared->end = 1;
	/* Nobody holds signals back any more: a handler may interrupt a stub. */
	shared->inside = 0;
	assert_int_equal(wait_target(pid) & 0x7f, 0);
	assert_int_equal(shared->wrong, 0);
	kill(front, SIGKILL);
	waitpid(front, NULL, 0);
}

static int body_paced(void)
{
	for (int i = 0; !shared->end; i++) {
		work_all();
		shared->ready = 1;
	}
	return shared->wrong ? 1 : 7;
}

#define OTHER NFUNCTIONS /* the number of a probe of no function's entry */

/* Breakpoints that come to hooked sites, at the first byte and amid them. */
static void test_demote(void **state)
{
	/* Not on the stack: the target has a copy of that, and such a word is telling. */
	static struct front_site more[] = {
		{.at = hook_work_add, .probe = OTHER, .kind = KEEPER_SITE_OFFSET},
		{.at = hook_load, .probe = OTHER + 1, .kind = KEEPER_SITE_ENTRY},
		{.at = hook_host_load, .probe = OTHER, .kind = KEEPER_SITE_OFFSET},
	};
	struct front_site again[] = {ENTRY(WORK, OTHER), ENTRY(CALL, OTHER + 2)};
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body_paced);
	uint64_t work, load;

	(void)state;
	seize(f, pid);
	hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	assert_int_equal(front_sites(f, pid, more, 3), 3);
	work = front_value(f, 0, WORK);
	load = front_value(f, 0, LOAD);
	pause_ms(100);
	/* Another probe of the first is a breakpoint now; of the other a jump still. */
	assert_int_equal(front_sites(f, pid, again, 2), 2);
	assert_int_equal(again[0].result, KEEPER_SITE_SET);
	assert_int_equal(again[0].reason, KEEPER_REASON_SHARED);
	assert_int_equal(again[1].result, KEEPER_SITE_JUMP);
	pause_ms(50);
	shared->end = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, WORK), shared->calls);
	assert_int_equal(front_value(f, 0, LOAD), shared->loads);
	assert_int_equal(front_value(f, 0, HOST), shared->calls);
	assert_true(front_value(f, 0, OTHER) > 0 && front_value(f, 0, OTHER + 1) > 0);
	assert_in_range(front_value(f, 0, OTHER + 2), 1, front_value(f, 0, CALL));
	assert_int_equal(front_value(f, 0, CALL), shared->calls);
	assert_true(front_value(f, 0, OTHER + 1) <= (uint64_t)shared->loads);
	assert_true(work < (uint64_t)shared->calls && load < (uint64_t)shared->loads);
	assert_int_equal(front_free(f), 0);
}

/* Both providers in one request. */
static void test_shared(void **state)
{
	struct front_site sites[] = {
		ENTRY(WORK, 0),
		{.at = hook_work, .probe = 1, .kind = KEEPER_SITE_ENTRY},
		ENTRY(LOAD, 2),
		{.at = (char *)hook_load + 7, .probe = 3, .kind = KEEPER_SITE_OFFSET},
	};
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body_thousand);

	(void)state;
	seize(f, pid);
	assert_int_equal(front_sites(f, pid, sites, 4), 4);
	assert_int_equal(sites[0].result, KEEPER_SITE_SET);
	assert_int_equal(sites[0].reason, KEEPER_REASON_SHARED);
	assert_int_equal(sites[2].result, KEEPER_SITE_JUMP); /* 7 bytes are covered */
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(front_value(f, 0, i), 1000);
	assert_int_equal(front_free(f), 0);
}

static void *fault_page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	shared->handled++;
	if (info->si_addr != fault_page || pc != (uint64_t)shared->calm)
		shared->wrong++;
	mprotect(fault_page, 4096, PROT_READ | PROT_WRITE);
}

static void start_faults(const char *at)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	shared->calm = (long)(uintptr_t)at;
	fault_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &sa, NULL);
}

static int body_fault(void)
{
	start_faults((char *)hook_fault + 2);
	for (int i = 0; i < 50; i++) {
		mprotect(fault_page, 4096, PROT_NONE);
		if (hook_fault(fault_page) != 0)
			shared->wrong++;
	}
	return shared->handled == 50 ? 7 : 1;
}

static int body_host_fault(void)
{
	start_faults(hook_host_load);
	for (int i = 0; i < 50; i++) {
		mprotect(fault_page, 4096, PROT_NONE);
		if (hook_host(2, fault_page) != 5)
			shared->wrong++;
	}
	return shared->handled == 50 ? 7 : 1;
}

/* A moved instruction that faults: the handler sees its own place; one hit a call. */
static void test_fault(void **state)
{
	uint64_t n[NFUNCTIONS];

	(void)state;
	check_counts(body_fault, n);
	assert_int_equal(n[FAULT], 50);
	check_counts(body_host_fault, n);
	assert_int_equal(n[HOST], 50);
}

static int body_confined(void)
{
	struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, allow};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
	return body_thousand();
}

static int body_uses_gs(void)
{
	static char words[64];

	syscall(SYS_arch_prctl, ARCH_SET_GS, words);
	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
	return gs_base() == (uint64_t)(uintptr_t)words ? body_thousand() : 1;
}

/* Processes that must not be injected into: breakpoints, and as exact. */
static void test_refused(void **state)
{
	static const struct {
		int (*body)(void);
		enum keeper_reason reason;
	} table[] = {
		{body_confined, KEEPER_REASON_SECCOMP},
		{body_uses_gs, KEEPER_REASON_GS_USED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		/* It needs no copy, which could not be mapped either. */
		struct front_site sites[] = {ENTRY(CALL, 0)};
		struct front *f = front_new_with(SLOTS);
		pid_t pid = target(table[i].body);

		shared->go = 1;
		while (!shared->ready)
			pause_ms(1);
		seize(f, pid);
		assert_int_equal(front_sites(f, pid, sites, 1), 1);
		assert_int_equal(sites[0].result, KEEPER_SITE_SET);
		assert_int_equal(sites[0].reason, table[i].reason);
		shared->go = 2;
		assert_int_equal(wait_target(pid), 7 << 8);
		assert_int_equal(front_value(f, 0, 0), 1000);
		assert_int_equal(front_free(f), 0);
	}
}

/* No slot for threads; bytes that are not as planned. */
static void test_no_jump(void **state)
{
	struct hook_plan stale;
	struct front_site sites[] = {
		{.at = hook_work, .kind = KEEPER_SITE_ENTRY, .plan = &stale}};
	struct front *f = front_new_with(SLOTS), *small = front_new();
	pid_t pid = target(body_thousand);

	(void)state;
	stale = plans[WORK];
	stale.original[1] ^= 1;
	seize(f, pid);
	assert_int_equal(front_sites(f, pid, sites, 1), 1);
	assert_int_equal(sites[0].result, KEEPER_SITE_SET);
	assert_int_equal(sites[0].reason, KEEPER_REASON_CHANGED);
	release(f, pid);
	small->nslots = STATE_SLOT_FIRST_THREAD;
	seize(small, pid);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_free(f), 0);
	assert_int_equal(front_free(small), 0);
}

/* More threads than slots: what is not counted is counted as dropped. */
static void test_few_slots(void **state)
{
	struct front *f = front_new_with(STATE_SLOT_FIRST_THREAD + 2 * 4);
	pid_t pid = target(body_threads);
	uint64_t drops = 0;

	(void)state;
	seize(f, pid);
	hook_all(f, pid, KEEPER_SITE_JUMP, KEEPER_REASON_NONE);
	shared->go = 1;
	assert_int_equal(wait_target(pid), 7 << 8);
	for (uint32_t i = 0; i < state_nslots(f->state); i++)
		drops += state_drops(f->state, i)->records;
	assert_true(front_value(f, 0, WORK) <= 16 * 500 + 300);
	if (front_value(f, 0, WORK) < 16 * 500 + 300)
		assert_true(drops > 0);
	assert_int_equal(shared->wrong, 0);
	assert_int_equal(front_free(f), 0);
}

static void on_usr1(int sig)
{
	(void)sig;
	shared->ready = 1;
	while (shared->go < 2)
		usleep(1000);
}

/* The thread is interrupted at hook_work_add, and stays in its handler for a while. */
static void on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	if (uc->uc_mcontext.gregs[REG_RIP] != (greg_t)(uintptr_t)hook_work_add)
		return;
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)0x100;
	on_usr1(0);
}

static int body_interrupted(void)
{
	struct sigaction sa = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

	sigaction(SIGTRAP, &sa, NULL);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	if (hook_work(1) != 2)
		shared->wrong++;
	return body_thousand();
}

/* Bytes that a signal handler will return into are left alone. */
static void test_interrupted(void **state)
{
	struct front_site sites[] = {ENTRY(WORK, 0), ENTRY(LOAD, 1)};
	struct front *f = front_new_with(SLOTS);
	pid_t pid = target(body_interrupted);

	(void)state;
	shared->go = 1;
	while (!shared->ready)
		pause_ms(1);
	seize(f, pid);
	assert_int_equal(front_sites(f, pid, sites, 2), 2);
	assert_int_equal(sites[0].result, KEEPER_SITE_SET);
	assert_int_equal(sites[0].reason, KEEPER_REASON_THREADS);
	assert_int_equal(sites[1].result, KEEPER_SITE_JUMP);
	shared->go = 2;
	assert_int_equal(wait_target(pid), 7 << 8);
	assert_int_equal(front_value(f, 0, 0), 1000);
	assert_int_equal(front_value(f, 0, 1), 1000);
	assert_int_equal(front_free(f), 0);
}

static void test_quick_count(void **state)
{
	test_count(state);
}

static void test_quick_threads(void **state)
{
	test_threads(state);
}

static void test_quick_signals(void **state)
{
	test_signals(state);
}

static void test_quick_fork(void **state)
{
	test_fork(state);
}

static void test_quick_release(void **state)
{
	test_release(state);
}

static void test_quick_keeper_killed(void **state)
{
	test_keeper_killed(state);
}

static void test_quick_demote(void **state)
{
	test_demote(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_vfork, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_exec, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_release, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_restless, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_front_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_keeper_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_demote, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_jump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_few_slots, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_interrupted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_quick_count, set_up_quick,
						tear_down),
		cmocka_unit_test_setup_teardown(test_quick_threads, set_up_quick,
						tear_down),
		cmocka_unit_test_setup_teardown(test_quick_signals, set_up_quick,
						tear_down),
		cmocka_unit_test_setup_teardown(test_quick_fork, set_up_quick,
						tear_down),
		cmocka_unit_test_setup_teardown(test_quick_release, set_up_quick,
						tear_down),
		cmocka_unit_test_setup_teardown(test_quick_keeper_killed, set_up_quick,
						tear_down),
		cmocka_unit_test_setup_teardown(test_quick_demote, set_up_quick,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
