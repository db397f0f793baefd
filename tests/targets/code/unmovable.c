/* SPDX-License-Identifier: MIT */
/*
 * unmovable() begins with a system call, so no jump can be there; easy() takes one. Of all
 * calls 1 in 201 is of the former.
 */
#include <sys/syscall.h>

#define TURNS 20000
#define MANY  200

long unmovable(long call);
void easy(void);

__asm__(".text\n"
	".globl unmovable\n"
	".type unmovable, @function\n"
	"unmovable: syscall\n"
	"	ret\n"
	".size unmovable, . - unmovable\n");

__attribute__((noinline)) void easy(void)
{
	__asm__ volatile("nopl 64(%rax)\n\tnopl 64(%rax)");
}

static long get_process(void)
{
	long result;

	__asm__ volatile("call unmovable"
			 : "=a"(result)
			 : "0"((long)SYS_getpid)
			 : "rcx", "r11", "memory", "cc");
	return result;
}

int main(void)
{
	long first = get_process(), wrong = 0;

	for (int i = 1; i < TURNS; i++) {
		wrong += get_process() != first;
		for (int k = 0; k < MANY; k++)
			easy();
	}
	return wrong != 0;
}
