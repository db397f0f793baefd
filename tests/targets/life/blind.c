/* SPDX-License-Identifier: MIT */
/*
 * marked() is called by a function that has no unwind information and uses rbp for
 * something else: its caller cannot be found.
 */
#include "../truth.h"

static volatile int sink;

void blind(void);

KEEP int marked(int v)
{
	sink += v;
	return v;
}

__asm__(".text\n"
	".globl blind\n"
	".type blind, @function\n"
	"blind:\n"
	"	push %rbp\n"
	"	mov $7, %ebp\n"
	"	mov $5, %edi\n"
	"	call marked\n"
	"	pop %rbp\n"
	"	ret\n"
	".size blind, . - blind\n");

int main(void)
{
	for (int i = 0; i < 3; i++)
		blind();
	return 0;
}
