/* SPDX-License-Identifier: MIT */
/*
 * Functions with jumps to computed addresses: duff() into the middle of unrolled code,
 * narrow() by a table of bytes, apart() into another function, made() by a table that
 * main() makes, and labels() by distances of one byte (GNU C).
 */
#include "../truth.h"

__asm__(".type duff, @function\n" /* the sum of so many longs, up to 16 */
	"duff:	xor %eax, %eax\n"
	"	lea 1f(%rip), %rdx\n"
	"	neg %rsi\n"
	"	lea (%rdx, %rsi, 4), %rdx\n"
	"	jmp *%rdx\n"
	"	.irp n, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0\n"
	"	.byte 0x48, 0x03, 0x47, 8 * \\n\n" /* add 8 * n(%rdi), %rax */
	"	.endr\n"
	"1:	ret\n"
	".size duff, . - duff\n");
long duff(const long *v, long n);

__asm__(".type narrow, @function\n" /* 8 less i */
	"narrow: lea 1f(%rip), %rdx\n"
	"	movzbl (%rdx, %rdi), %eax\n"
	"	lea narrow(%rip), %rcx\n"
	"	add %rax, %rcx\n"
	"	xor %eax, %eax\n"
	"	jmp *%rcx\n"
	"2:	.rept 8\n"
	"	inc %eax\n"
	"	nop\n"
	"	.endr\n"
	"	ret\n"
	".size narrow, . - narrow\n"
	".section .rodata\n"
	"1:	.irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	.byte 2b - narrow + 3 * \\n\n"
	"	.endr\n"
	".text\n");
int narrow(long i);

__asm__(".type apart, @function\n" /* 8 less i */
	"apart:	xor %eax, %eax\n"
	"	lea increments(%rip), %rdx\n"
	"	lea (%rdi, %rdi, 2), %rcx\n"
	"	add %rcx, %rdx\n"
	"	jmp *%rdx\n"
	".size apart, . - apart\n"
	".type increments, @function\n"
	"increments:\n"
	"	.rept 8\n"
	"	inc %eax\n"
	"	nop\n"
	"	.endr\n"
	"	ret\n"
	".size increments, . - increments\n");
int apart(long i);

__asm__(".type made, @function\n" /* 8 less i */
	"made:	xor %eax, %eax\n"
	"	jmp *(%rdi, %rsi, 8)\n"
	"1:	.rept 8\n"
	"	inc %eax\n"
	"	nop\n"
	"	.endr\n"
	"	ret\n"
	".size made, . - made\n"
	".section .rodata\n"
	"where:	.irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	.short 1b - made + 3 * \\n\n"
	"	.endr\n"
	".text\n");
int made(void *const *table, long i);
extern const unsigned short where[8];

KEEP int labels(int i, int n)
{
	static const signed char to[] = {&&a - &&a, &&b - &&a, &&c - &&a, &&d - &&a};
	int sum = 0;

next:
	if (n-- <= 0)
		return sum;
	goto *(&&a + to[i]);
a:
	sum += 1;
	i = 1;
	goto next;
b:
	sum += 2;
	i = 2;
	goto next;
c:
	sum += 3;
	i = 3;
	goto next;
d:
	sum ^= 5;
	i = 0;
	goto next;
}

int main(void)
{
	long v[16], sum = 0;
	void *table[8];

	for (int i = 0; i < 16; i++)
		v[i] = i + 1;
	for (int i = 0; i < 8; i++)
		table[i] = (char *)made + where[i];
	for (int turn = 0; turn < 20; turn++) {
		for (int i = 0; i <= 16; i++)
			sum += duff(v, i) + labels(i & 3, i);
		for (int i = 0; i < 8; i++)
			sum += 3 * narrow(i) + 5 * apart(i) + 7 * made(table, i);
	}
	printf("%ld\n", sum);
	return 0;
}
