/* SPDX-License-Identifier: MIT */
/*
 * Functions whose ranges overlap, as assembly and linkers may leave them:
 *
 *	outer	|--------------|	inner begins in it and ends with it
 *	inner	        |------|
 *	early	|----------|		late begins in it and goes on after it
 *	late	      |----------|
 *	twin, triplet			begin at one place, of different sizes
 *
 * An entry fires whichever way control comes to it; a return instruction is one of
 * every function that holds it.
 */
#include "../truth.h"

__asm__(".text\n"
	".type outer, @function\n.type inner, @function\n"
	".type early, @function\n.type late, @function\n"
	".type twin, @function\n.type triplet, @function\n"
	".globl outer, inner, early, late, twin, triplet\n"
	"outer:\n\t.cfi_startproc\n\tmov %rdi, %rax\n\tadd $1, %rax\n"
	"inner:\n\tmov %rdi, %rax\n\tlea 2(%rax), %rax\n\tret\n\t.cfi_endproc\n"
	".size outer, . - outer\n.size inner, . - inner\n"
	"early:\n\t.cfi_startproc\n\tmov %rdi, %rax\n\ttest $1, %dil\n\tjz 1f\n\tret\n"
	"late:\n\tmov %rdi, %rax\n\tadd $7, %rax\n"
	"1:\n\tlea 3(%rax), %rax\n\tret\n"
	".size early, . - early\n"
	"2:\n\tlea 4(%rax), %rax\n\tjmp 1b\n\t.cfi_endproc\n"
	".size late, . - late\n"
	"twin:\n\t.cfi_startproc\n"
	"triplet:\n\tmov %rdi, %rax\n\ttest $1, %dil\n\tjnz 3f\n\tret\n"
	".size twin, . - twin\n"
	"3:\n\tlea 9(%rax), %rax\n\tret\n\t.cfi_endproc\n"
	".size triplet, . - triplet\n");

long outer(long), inner(long), early(long), late(long), twin(long), triplet(long);

int main(void)
{
	unsigned long n = 0;
	long sum = 0;

	for (; n < 100; n++)
		sum += outer((long)n) + twin((long)n);
	for (long i = 0; i < 30; i++)
		sum += inner(i) + early(i);
	for (long i = 0; i < 20; i++)
		sum += late(i);
	printf("sum=%ld\n", sum);
	puts("outer 100\ninner 130\nearly 30\nlate 20\ntwin 100\ntriplet 100");
	/* one of inner is in outer, one of early in late; half of twin jumps out of it */
	puts("return outer 130\nreturn inner 130\nreturn early 50\nreturn late 35\n"
	     "return twin 100\nreturn triplet 100");
	return sum == 0;
}
