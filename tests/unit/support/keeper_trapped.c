/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/keeper_trapped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

__asm__(".pushsection .text\n"
	".globl live_work, live_load, live_tail, live_getpid, live_work_ret\n"
	".globl live_work_end, live_load_ret, live_load_end, live_tail_jump\n"
	".globl live_tail_end, live_getpid_call, live_getpid_end\n"
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

long work(long v)
{
	return live_work(v);
}

long load(long v)
{
	return live_load(v);
}

void expect_event(struct front *f, uint32_t type, pid_t pid, struct keeper_msg *m)
{
	assert_true(front_event(f, 10000, m));
	assert_int_equal(m->type, type);
	assert_int_equal(m->pid, pid);
}

int fork_child(void)
{
	long v = 0;

	for (int i = 0; i < 50; i++)
		v += live_work(i) + live_load(i) - 1000;
	return *(unsigned char *)(uintptr_t)live_work != 0xcc && v == 2500 ? 17 : 1;
}

static void on_alarm(int sig)
{
	(void)sig;
	shared->handled++;
	if (live_load(1) != 1001)
		shared->wrong++;
}

void start_alarm(void)
{
	const struct itimerval khz = {{0, 1000}, {0, 1000}};
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &khz, NULL);
}

void *endless_thread(void *arg)
{
	while (!shared->end)
		work_once();
	return arg;
}

int body_endless(void)
{
	pthread_t t[64];

	for (int i = 0; i < 64; i++)
		pthread_create(&t[i], NULL, endless_thread, NULL);
	start_alarm();
	for (int i = 0; i < 64; i++)
		pthread_join(t[i], NULL);
	return shared->wrong ? 1 : 7;
}
