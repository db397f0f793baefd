/* SPDX-License-Identifier: MIT */
/* The resident image inside whoever injects it: no file to be found, or forged. */
	.section .rodata.resident_bin, "a", @progbits
	.globl	resident_bin
	.p2align 12
resident_bin:
	.incbin	RESIDENT_BIN
	.section .note.GNU-stack, "", @progbits
