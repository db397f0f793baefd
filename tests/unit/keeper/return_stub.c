/* SPDX-License-Identifier: MIT */
/*
 * A tracer that makes calls in a process is killed at any moment: the process goes on as
 * if there had been none. It checks itself: registers, results of its calls, its mask.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tracer/keeper/threads/attach.h"
#include "tracer/keeper/threads/core.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/remote_call.h"
#include "vm/base/base.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 150
#define CALLS  8

static struct shared {
	_Atomic uint64_t turns, calls;
	_Atomic int wrong; /* line of this file */
} * shared;

/* All registers that a call of ours may change, through a while of nothing. */
static bool are_registers_kept(void)
{
	uint64_t wrong;

	__asm__ volatile("mov $1, %%rax\n\tmov $2, %%rdx\n\tmov $3, %%rsi\n\t"
			 "mov $4, %%rdi\n\tmov $5, %%r8\n\tmov $6, %%r9\n\t"
			 "mov $7, %%r10\n\tmov $8, %%r11\n\tmov %%rsp, %%rbx\n\t"
			 "mov $20000, %%ecx\n\t"
			 "1: cmp $1, %%rax\n\tjne 2f\n\tcmp %%rsp, %%rbx\n\tjne 2f\n\t"
			 "dec %%ecx\n\tjnz 1b\n\t"
			 "2: sub $1, %%rax\n\tsub $2, %%rdx\n\tsub $3, %%rsi\n\t"
			 "sub $4, %%rdi\n\tsub $5, %%r8\n\tsub $6, %%r9\n\t"
			 "sub $7, %%r10\n\tsub $8, %%r11\n\tsub %%rsp, %%rbx\n\t"
			 "or %%rdx, %%rax\n\tor %%rsi, %%rax\n\tor %%rdi, %%rax\n\t"
			 "or %%r8, %%rax\n\tor %%r9, %%rax\n\tor %%r10, %%rax\n\t"
			 "or %%r11, %%rax\n\tor %%rbx, %%rax\n\tor %%rcx, %%rax\n\t"
			 : "=a"(wrong)
			 :
			 : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "cc", "memory");
	return wrong == 0;
}

static bool is_mask_kept(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGUSR2) && !sigismember(&now, SIGTERM);
}

static ATTR_NORETURN void live(bool sleeps)
{
	const struct timespec short_time = {0, 300000};
	sigset_t mask;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	for (;;) {
		if (sleeps && nanosleep(&short_time, NULL) < 0)
			atomic_store(&shared->wrong, __LINE__);
		if (!are_registers_kept())
			atomic_store(&shared->wrong, __LINE__);
		if (!is_mask_kept())
			atomic_store(&shared->wrong, __LINE__);
		atomic_fetch_add(&shared->turns, 1);
	}
}

static void make_calls(struct keeper *k, struct task *task)
{
	const uint64_t none[6] = {0};
	struct remote_call r;
	int64_t result;
	int status;

	if (pt_interrupt(task->tid) < 0 ||
	    wait_queue_wait_tid(&k->waits, task->tid, 10000, &status) < 0 ||
	    status >> 16 != PT_EVENT_STOP ||
	    remote_call_begin(&r, &k->waits, task, task->process->space->mem) < 0)
		_exit(1);
	for (int i = 0; i < CALLS; i++)
		if (remote_call_make(&r, SYS_getppid, none, &result) < 0)
			_exit(2);
	if (remote_call_end(&r, &status) < 0 || pt_cont(task->tid, 0) < 0)
		_exit(3);
	atomic_fetch_add(&shared->calls, 1);
}

static ATTR_NORETURN void trace(pid_t pid)
{
	struct keeper k = {.link = -1};
	struct task *task;
	struct err e;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (wait_queue_init(&k.waits) < 0 || attach_process(&k, pid, false, &e) < 0)
		_exit(4);
	task = task_find(&k.tasks, pid);
	for (;;)
		make_calls(&k, task);
}

static void pause_us(long us)
{
	const struct timespec ts = {us / 1000000, us % 1000000 * 1000};

	nanosleep(&ts, NULL);
}

/* In slices: a pause of the whole machine is one of them. */
static void wait_for_more(const _Atomic uint64_t *count, pid_t pid)
{
	uint64_t before = atomic_load(count);

	for (int i = 0; i < 5000 && atomic_load(count) < before + 2; i++) {
		pause_us(2000);
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	}
	assert_true(atomic_load(count) >= before + 2);
}

static void kill_tracers(bool sleeps)
{
	pid_t pid = fork(), tracer;
	int status;

	if (pid == 0)
		live(sleeps);
	srand(7);
	for (int i = 0; i < ROUNDS; i++) {
		tracer = fork();
		if (tracer == 0)
			trace(pid);
		wait_for_more(&shared->calls, tracer);
		pause_us(rand() % 2000);
		kill(tracer, SIGKILL);
		assert_int_equal(waitpid(tracer, &status, 0), tracer);
		assert_int_equal(status, SIGKILL);
		wait_for_more(&shared->turns, pid);
		assert_int_equal(shared->wrong, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_busy(void **state)
{
	(void)state;
	kill_tracers(false);
}

static void test_in_calls(void **state)
{
	(void)state;
	kill_tracers(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_in_calls),
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
