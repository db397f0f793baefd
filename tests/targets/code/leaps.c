/* SPDX-License-Identifier: MIT */
/*
 * leap() jumps past middle() by an instruction of its own, every other time; early() as
 * clang has it, which loads rbp first. odd(), which is not called, does something between.
 */
#include "../truth.h"

static void *buffer[5];

__asm__(".type early, @function\n"
	"early: .cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movabs $0x00e0ff2424648b48, %rax\n" /* the bytes of such loads */
	"	mov (%rdi), %rbp\n"
	"	mov 8(%rdi), %rax\n"
	"	mov 16(%rdi), %rsp\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size early, . - early\n"
	".type odd, @function\n"
	"odd: .cfi_startproc\n"
	"	mov (%rdi), %rbp\n"
	"	add $1, %rdi\n"
	"	mov 16(%rdi), %rsp\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size odd, . - odd\n");
int early(void **to);

KEEP int leap(int i)
{
	if (i & 1)
		__builtin_longjmp(buffer, 1);
	return i + 1;
}

KEEP int middle(int i)
{
	volatile int v = leap(i);

	return v + 1;
}

KEEP int middle_early(int i)
{
	volatile int v = i & 1 ? early(buffer) : i;

	return v + 1;
}

KEEP int attempt_early(int i)
{
	if (__builtin_setjmp(buffer))
		return -i;
	return middle_early(i);
}

KEEP int attempt(int i)
{
	if (__builtin_setjmp(buffer))
		return -i;
	return middle(i);
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += attempt(i) + attempt_early(i);
	return sum == 0;
}
