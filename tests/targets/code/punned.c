/* SPDX-License-Identifier: MIT */
/*
 * punned() has two returns. The first is one byte between two targets of branches, as in
 * libc's memcpy: the next four bytes (8b 4c 16 fc) lead a jump some 63 MB down. main calls
 * it 30 times, 10 times to the second one.
 */
#include "../truth.h"

long punned(long a, const char *bytes, long n);

__asm__(".pushsection .text\n"
	".globl punned\n"
	".type punned, @function\n"
	"punned: mov %edi, %eax\n"
	"	cmp $4, %rdx\n"
	"	jb 1f\n"
	"	cmp $8, %rdx\n"
	"	jb 2f\n"
	"1:	ret\n"
	"2:	mov -4(%rsi, %rdx), %ecx\n"
	"	mov (%rsi), %eax\n"
	"	add %ecx, %eax\n"
	"	lea 1(%rax), %eax\n"
	"	ret\n"
	".size punned, . - punned\n"
	"	.byte 0x55\n"
	".popsection\n");

int main(void)
{
	static const char bytes[16];
	long sum = 0;

	for (int i = 0; i < 10; i++)
		sum += punned(2, bytes, 1) + punned(3, bytes, 6) + punned(4, bytes, 16);
	return sum != 10 * (2 + 1 + 4);
}
