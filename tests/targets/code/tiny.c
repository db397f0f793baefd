/* SPDX-License-Identifier: MIT */
/*
 * Functions of one to four bytes, packed without padding: no jump of five
 * bytes fits into any. Their callers count.
 */
#include "../truth.h"

#define TINY(name, body)                                                               \
	__asm__(".pushsection .text\n"                                                 \
		".globl " #name "\n.type " #name ", @function\n" #name ":\n" body "\n" \
		".size " #name ", . - " #name "\n.popsection\n");                      \
	long name(void)

TINY(tiny_ret, "ret");
TINY(tiny_nop_ret, "nop\nret");
TINY(tiny_rep_ret, ".byte 0xf3\nret");
TINY(tiny_push_pop, "push %rax\npop %rax\nret");
TINY(tiny_xor, "xor %eax, %eax\nret");
TINY(tiny_mov, "mov %rdi, %rax\nret");
TINY(tiny_ret_imm, "ret $0");
TINY(tiny_short_jump, "jmp tiny_xor");

static unsigned long n_ret, n_nop, n_rep, n_push, n_xor, n_mov, n_imm, n_jump;

ALWAYS_INLINE long call(long (*f)(void), unsigned long *calls)
{
	hit(calls);
	return f();
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 200; i++) {
		call(tiny_ret, &n_ret);
		call(tiny_nop_ret, &n_nop);
		call(tiny_rep_ret, &n_rep);
		call(tiny_push_pop, &n_push);
		sum += call(tiny_xor, &n_xor);
		call(tiny_mov, &n_mov);
		call(tiny_ret_imm, &n_imm);
		if (i % 2)
			sum += call(tiny_short_jump, &n_jump);
	}
	n_xor += n_jump;
	printf("sum=%ld\n", sum);
	truth("tiny_ret", &n_ret);
	truth("tiny_nop_ret", &n_nop);
	truth("tiny_rep_ret", &n_rep);
	truth("tiny_push_pop", &n_push);
	truth("tiny_xor", &n_xor);
	truth("tiny_mov", &n_mov);
	truth("tiny_ret_imm", &n_imm);
	truth("tiny_short_jump", &n_jump);
	truth_return("tiny_ret", n_ret);
	truth_return("tiny_rep_ret", n_rep);
	truth_return("tiny_push_pop", n_push);
	truth_return("tiny_xor", n_xor);
	truth_return("tiny_ret_imm", n_imm);
	truth_return("tiny_short_jump", n_jump);
	return 0;
}
