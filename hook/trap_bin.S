/* SPDX-License-Identifier: MIT */
/* The SIGTRAP handler inside whoever injects it. */
	.section .rodata.trap_bin, "a", @progbits
	.globl	trap_bin
	.p2align 3
trap_bin:
	.incbin	TRAP_BIN
	.section .note.GNU-stack, "", @progbits
