/* SPDX-License-Identifier: MIT */
/*
 * Functions whose bytes are known, for clauses that read what probes have changed: where a
 * jump fits, a call, and one of short jumps with padding near it. Shows look() all of
 * that, a line across the end of a page too, and calls everything.
 */
#include "../truth.h"

long covered_jump(long v);
long covered_call(long v);
long covered_callee(long v);
long covered_short(long v);
long covered_edge(long v);
extern const char covered_begin[], covered_line[];

__asm__(".pushsection .text\n"
	".balign 4096, 0x90\n"
	"covered_begin:\n"
	".globl covered_jump\n"
	".type covered_jump, @function\n"
	"covered_jump: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 1(%rdi), %rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size covered_jump, . - covered_jump\n"
	".skip 6, 0x90\n"
	".globl covered_callee\n"
	".type covered_callee, @function\n"
	"covered_callee: lea 7(%rdi), %rax\n"
	"	movl $0, %ecx\n"
	"	ret\n"
	".size covered_callee, . - covered_callee\n"
	".skip 6, 0x90\n"
	".globl covered_call\n"
	".type covered_call, @function\n"
	"covered_call: .byte 0xe8\n"
	"	.long covered_callee - . - 4\n"
	"	add %rdi, %rax\n"
	"	ret\n"
	".size covered_call, . - covered_call\n"
	".skip 7, 0x90\n"
	".globl covered_short\n"
	".type covered_short, @function\n"
	"covered_short: mov %rdi, %rax\n"
	"1:	dec %rax\n"
	"	jg 1b\n"
	"	lea 2(%rdi), %rax\n"
	"	ret\n"
	".size covered_short, . - covered_short\n"
	".skip 19, 0x90\n"
	".skip 2 * 4096 - 80 - 34, 0x55\n"
	"covered_line: .ascii \"a line of code \"\n" /* 15 bytes */
	".skip 17, 0x20\n"
	".globl covered_edge\n"
	".type covered_edge, @function\n"
	"covered_edge: lea 3(%rdi), %rax\n" /* two bytes of it end the page */
	"	movl $0, %ecx\n"
	"	ret\n"
	".size covered_edge, . - covered_edge\n"
	"	.asciz \"|behind\"\n"
	".popsection\n");

KEEP void look(const void *code, const void *line)
{
	__asm__ volatile("" : : "r"(code), "r"(line));
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 2; i++) {
		sum += covered_jump(i) + covered_callee(i) + covered_call(i) +
		       covered_short(2) + covered_edge(i);
		look(covered_begin, covered_line);
	}
	return sum != 2 * (1 + 7 + 7 + 4 + 3) + 5;
}
