/* SPDX-License-Identifier: MIT */
/*
 * Sleeps by a syscall instruction of its own, each time interrupted by a
 * signal. The kernel leaves the address after that instruction in rcx: the
 * program counts how often it finds another. argv[1] times (200).
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "../truth.h"

/* Whether rcx was wrong; rdi is what to sleep. */
long doze(const struct timespec *t);
__asm__(".pushsection .text\n"
	".globl doze\n"
	".type doze, @function\n"
	"doze:	mov $35, %eax\n" /* nanosleep */
	"	xor %esi, %esi\n"
	"	syscall\n"
	".Lnext: lea .Lnext(%rip), %rdx\n"
	"	xor %eax, %eax\n"
	"	cmp %rcx, %rdx\n"
	"	setne %al\n"
	"	ret\n"
	".size doze, .-doze\n"
	".popsection\n");

static void on_alarm(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	const struct itimerval ms = {{0, 2000}, {0, 2000}};
	const struct timespec second = {1, 0};
	unsigned long n = 0, wrong = 0,
		      times = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_alarm;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &ms, NULL);
	for (; n < times; n++)
		wrong += (unsigned long)doze(&second);
	truth("doze", &n);
	truth("wrong", &wrong);
	return 0;
}
