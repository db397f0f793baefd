/* SPDX-License-Identifier: MIT */
/*
 * Code that loads the constant of another instruction, as the built-in functions of V8 do:
 * there each constant of 8 bytes is in the code once. The first instruction of pooled()
 * has it, and more bytes of it than a jump takes are read.
 */
#include "../truth.h"

static unsigned long n_pooled;

unsigned long pooled(unsigned long v, unsigned long *calls);

__asm__(".text\n"
	".globl pooled\n"
	".type pooled, @function\n"
	"pooled:\n"
	"	movabs $0x1122334455667788, %rax\n"
	"	addq $1, (%rsi)\n"
	"	add %rdi, %rax\n"
	"	xor pooled+2(%rip), %rax\n"
	"	movq pooled+2(%rip), %xmm0\n"
	"	movq %xmm0, %rcx\n"
	"	add %rcx, %rax\n"
	"	ret\n"
	"	.size pooled, .-pooled\n");

int main(void)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 100; i++)
		sum += pooled(i, &n_pooled);
	printf("sum=%#lx\n", sum);
	truth("pooled", &n_pooled);
	return 0;
}
