/* SPDX-License-Identifier: MIT */
/*
 * long interpret(long n): the dispatch of an interpreter, for interpreter.c. COUNT
 * instructions, each of which loads a table of its own and a label, and goes on by a
 * distance from the first. It ends after n of them, with how many there were.
 */
#define COUNT 4000
#define SIZE  64 /* of an instruction, and of a table */
#define TURNS 16 /* distances in a table */
#define FILLER 5000000 /* the file is one of those that are searched for few functions */

	.text
	.globl	interpret
	.type	interpret, @function
	.balign	SIZE
interpret:	xorl	%r9d, %r9d
	jmp	handlers
	.balign	SIZE
handlers:
	.set	number, 0
	.rept	COUNT
	.balign	SIZE
1:	incq	%r9
	decq	%rdi
	js	done
	leaq	tables + SIZE * number(%rip), %rdx
	leaq	1b(%rip), %r8
	movl	%r9d, %ecx
	andl	$(TURNS - 1), %ecx
	movslq	(%rdx, %rcx, 4), %rax
	leaq	handlers(%rip), %r10
	addq	%r10, %rax
	jmp	*%rax
	.set	number, number + 1
	.endr
done:	leaq	-1(%r9), %rax
	ret
	.size	interpret, . - interpret

	.section .rodata
	.balign	SIZE
tables:
	.set	number, 0
	.rept	COUNT * TURNS
	.long	SIZE * ((number * 7 + number / TURNS * 13 + 1) % COUNT)
	.set	number, number + 1
	.endr
	.zero	FILLER
	.section .note.GNU-stack,"",@progbits
