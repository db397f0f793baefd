/* SPDX-License-Identifier: MIT */
/*
 * inner() has a frame pointer and no row of unwind tables. left() and right() call it ten
 * times each, twice with the same registers. Offset 8 is amid the function, where its
 * return address is not on top of the stack; at its ret, offset a, it is again.
 */
#include "../truth.h"

void inner(void);

__asm__(".text\n"
	".globl inner\n.type inner, @function\n"
	"inner:\n"
	"\tpush %rbp\n"
	"\tmov %rsp, %rbp\n"
	"\tsub $16, %rsp\n"
	"\tnop\n" /* 8 */
	"\tleave\n"
	"\tret\n" /* a */
	".size inner, . - inner\n");

static volatile int sink;

KEEP void left(void)
{
	inner();
	sink++;
}

KEEP void right(void)
{
	inner();
	sink--;
}

int main(void)
{
	for (int i = 0; i < 5; i++) {
		left();
		left();
		right();
		right();
	}
	return 0;
}
