/* SPDX-License-Identifier: MIT */
/*
 * The action of SIGTRAP. If trap_judge() names a handler of the program's, that runs in
 * place of ours, with the kernel's frame: an unwinder finds nothing between them.
 */
	.section .text.trap_head, "ax", @progbits
	.globl	trap_text
	.hidden	trap_text
	.hidden	trap_judge
	.hidden	trap_end
trap_text:				/* struct trap_text */
	.long	0x50415254, 2
	.long	trap_end - trap_text
	.long	trap_handler - trap_text
	.long	trap_restorer - trap_text
	.long	0			/* is_lowered */
undo_head:				/* the keeper writes it */
	.quad	0

/* Entered as by a call: three words more make the stack what a function expects. */
trap_handler:
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	movq	undo_head(%rip), %rdi
	call	trap_judge
	popq	%rdx
	popq	%rsi
	popq	%rdi
	testq	%rax, %rax
	jz	1f
	jmp	*%rax
1:	ret

/* Unwinders know a signal frame by these very bytes. */
	.p2align 4
	nop
trap_restorer:
	.byte	0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00	/* mov $15, %rax */
	syscall
	.section .note.GNU-stack, "", @progbits
