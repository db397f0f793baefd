/* SPDX-License-Identifier: MIT */
/*
 * place() is reached by the same frames at the same stack pointer, but every other time
 * its caller has 0 for a return address, as the first function of a coroutine has: there
 * its stack ends.
 */

long enter(long how);

/*
 * enter(0) calls middle(), enter(1) jumps to it with 0 for a return address. middle()
 * goes back to where r12 points, or returns if that is 0.
 */
__asm__(".text\n"
	".globl place\n.type place, @function\n"
	"place:\n\t.cfi_startproc\n"
	"\tlea 1(%rdi), %rax\n\tnop\n\tnop\n\tret\n"
	"\t.cfi_endproc\n.size place, . - place\n"

	".globl middle\n.type middle, @function\n"
	"middle:\n\t.cfi_startproc\n"
	"\tsub $8, %rsp\n\t.cfi_def_cfa_offset 16\n"
	"\tcall place\n"
	"\tadd $8, %rsp\n\t.cfi_def_cfa_offset 8\n"
	"\ttest %r12, %r12\n\tjnz 1f\n\tret\n"
	"1:\tadd $8, %rsp\n\tjmp *%r12\n"
	"\t.cfi_endproc\n.size middle, . - middle\n"

	".globl enter\n.type enter, @function\n"
	"enter:\n\t.cfi_startproc\n"
	"\tpush %r12\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 12, -16\n"
	"\txor %r12d, %r12d\n"
	"\ttest %rdi, %rdi\n\tjz 2f\n"
	"\tlea 3f(%rip), %r12\n\tpush $0\n\tjmp middle\n"
	"2:\tcall middle\n"
	"3:\tpop %r12\n\t.cfi_def_cfa_offset 8\n\tret\n"
	"\t.cfi_endproc\n.size enter, . - enter\n");

int main(void)
{
	for (long i = 0; i < 20; i++)
		enter(i & 1);
	return 0;
}
