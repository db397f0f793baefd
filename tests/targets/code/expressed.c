/* SPDX-License-Identifier: MIT */
/*
 * outer() calls inner() through a function whose frame only a DWARF expression finds: it
 * moves the stack pointer by what a word of its frame says.
 */
long by_expression(long (*f)(long), long v);
long inner(long v);
long outer(long v);

/* While it calls, CFA = rsp + 8 * the word at rsp + 16, which is 4. */
__asm__(".text\n"
	".globl by_expression\n"
	".type by_expression, @function\n"
	"by_expression:\n"
	".cfi_startproc\n"
	"	pushq $4\n"
	".cfi_adjust_cfa_offset 8\n"
	"	sub $16, %rsp\n"
	".cfi_escape 0x0f, 8, 0x77, 0, 0x77, 16, 0x06, 0x33, 0x24, 0x22\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	add $24, %rsp\n"
	".cfi_def_cfa 7, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size by_expression, . - by_expression\n");

__attribute__((noinline)) long inner(long v)
{
	__asm__ volatile("" : "+r"(v));
	return v + 1;
}

__attribute__((noinline)) long outer(long v)
{
	return by_expression(inner, v) * 2;
}

int main(void)
{
	return outer(3) != 8;
}
