/* SPDX-License-Identifier: MIT */
/* COUNT functions, for loader.c: a plugin that is reloaded, a library of great size. */
	.altmacro
	.macro FUNCTION n
	.globl	big_\n
	.type	big_\n, @function
big_\n:	leaq	\n(%rdi), %rax
	nopl	0(%rax)
	nopl	0(%rax)
	ret
	.size	big_\n, .-big_\n
	.endm
	.macro FUNCTIONS n, count
	.set	number, \n
	.rept	\count
	FUNCTION %number
	.set	number, number + 1
	.endr
	.endm
	.text
	.globl	plugged
	.type	plugged, @function
plugged:	movq	%rdi, %rax
	leaq	1(%rax), %rax
	nopl	0(%rax)
	ret
	.size	plugged, .-plugged
	.globl	plugin_calls
	.type	plugin_calls, @function
plugin_calls:	movl	$10, %eax
	ret
	.size	plugin_calls, .-plugin_calls
	FUNCTIONS 0, COUNT
	.section .note.GNU-stack,"",@progbits
