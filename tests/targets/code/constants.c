/* SPDX-License-Identifier: MIT */
/*
 * Functions with constants among their instructions. constant() jumps over one, table()
 * reads one behind its ret that would be a ret itself, through its address. good() is
 * called for each that gave the right value, bad() for the others.
 */
#include "../truth.h"

long constant(void);
long table(long i);

__asm__(".text\n"
	".globl constant\n.type constant, @function\n"
	"constant:\n"
	"\tmovq 2f(%rip), %rax\n"
	"\tjmp 1f\n"
	"2:\t.quad 0x11c3c3443388c377\n"
	"1:\tret\n"
	".size constant, . - constant\n"

	".globl table\n.type table, @function\n"
	"table:\n"
	"\tleaq 3f(%rip), %rax\n"
	"\tmovzbl (%rax,%rdi,1), %eax\n"
	"\tret\n"
	"3:\t.byte 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3\n"
	".size table, . - table\n");

static volatile int sink;

KEEP void good(void)
{
	sink++;
}

KEEP void bad(void)
{
	sink--;
}

int main(void)
{
	for (long i = 0; i < 6; i++) {
		if (constant() == 0x11c3c3443388c377 && table(i) == 0xc3)
			good();
		else
			bad();
	}
	return 0;
}
