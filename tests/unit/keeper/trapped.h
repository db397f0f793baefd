/* SPDX-License-Identifier: MIT */
/*
 * Functions that breakpoints stand in, for the tests of the keeper.
 */
#ifndef TESTS_UNIT_KEEPER_TRAPPED_H
#define TESTS_UNIT_KEEPER_TRAPPED_H

#include "tests/unit/keeper/target.h"

#include <sys/time.h>

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

static inline long work(long v)
{
	return live_work(v);
}

static inline long load(long v)
{
	return live_load(v);
}

static inline void expect_event(struct front *f, uint32_t type, pid_t pid,
				struct keeper_msg *m)
{
	assert_true(front_event(f, 10000, m));
	assert_int_equal(m->type, type);
	assert_int_equal(m->pid, pid);
}

#define WORK_ENTRY                                                                     \
	{                                                                              \
		.at = live_work, .probe = 0, .kind = KEEPER_SITE_ENTRY                 \
	}
#define WORK_RETURN                                                                    \
	{                                                                              \
		.at = live_work_ret, .probe = 1, .kind = KEEPER_SITE_RETURN,           \
		.base = live_work,                                                     \
		.size = (uint32_t)(live_work_end - (char *)live_work)                  \
	}
#define LOAD_ENTRY                                                                     \
	{                                                                              \
		.at = live_load, .probe = 2, .kind = KEEPER_SITE_ENTRY                 \
	}

/* The child of a fork: no breakpoint, no scratch memory. */
static inline int fork_child(void)
{
	long v = 0;

	for (int i = 0; i < 50; i++)
		v += live_work(i) + live_load(i) - 1000;
	return *(unsigned char *)(uintptr_t)live_work != 0xcc && v == 2500 ? 17 : 1;
}

static inline void on_alarm(int sig)
{
	(void)sig;
	shared->handled++;
	if (live_load(1) != 1001)
		shared->wrong++;
}

static inline void start_alarm(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &khz, NULL);
}

/* Threads that work without end, under alarms. */
static inline void *endless_thread(void *arg)
{
	while (!shared->end)
		work_once();
	return arg;
}

static inline int body_endless(void)
{
	pthread_t t[64];

	for (int i = 0; i < 64; i++)
		pthread_create(&t[i], NULL, endless_thread, NULL);
	start_alarm();
	for (int i = 0; i < 64; i++)
		pthread_join(t[i], NULL);
	return shared->wrong ? 1 : 7;
}

#endif
