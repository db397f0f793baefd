/* SPDX-License-Identifier: MIT */
/*
 * The way in from a stub and out to its epilogue. hook/trampoline.h has the contract:
 * eax is the site's number, the target's rax lies in the gate, everything else
 * is the target's, and not one byte of its stack may be written.
 *
 * The GS base is the address of the running thread's gate, so every word of it is %gs:N,
 * with no register and no flag touched.
 *
 * Flags. pushfq on our own stack saves them all. In most hits neither the direction nor
 * the alignment flag is set: then nothing needs clearing, and sahf and an
 * addition that overflows or not restore the rest, five times as fast as popfq.
 *
 * The target's rsp is kept in rbx: a load of rsp would stall the stack engine.
 */
#include "hook/resident/offsets.h"

#define GS(at) %gs:(at)

	.set	regs0, TCB_REGS0
	.set	regs1, TCB_REGS1

	.hidden resident_gate
	.hidden resident_end
	.hidden resident_fire
	.globl	resident_finished, resident_unfinished
	.hidden	resident_finished, resident_unfinished

	.section .text.resident_head, "ax", @progbits
	.globl	resident_text
	.hidden	resident_text
resident_text:				/* struct resident_text */
	.long	TEXT_MAGIC, TEXT_VERSION
	.long	resident_end - resident_text
	.long	resident_gate - resident_text
	.long	resident_enter - resident_text
	.long	fast_end - resident_text
	.long	resident_inert - resident_text
	.long	inert_end - resident_text
	.long	guard_begin - resident_text
	.long	guard_end - resident_text
	.long	guard_fixup - resident_text
	.long	late_begin - resident_text
	.long	late_end - resident_text
	.long	trap_end - resident_text
	.long	leaving - resident_text

/* From the gate to C; at = the level's registers in the tcb. */
.macro GO_IN at, busy
	movl	$\busy, GS(GATE_BUSY)
	movl	$0, GS(GATE_IDLE)
	movq	GS(GATE_SELF), %rcx
	movq	%rbx, \at+REGS_RBX(%rcx)
	movq	%rsp, %rbx
	leaq	\at+8(%rcx), %rsp
	pushfq					/* \at + REGS_FLAGS */
	movq	%rdx, REGS_RDX(%rsp)
	movq	GATE_SPILL(%rcx), %rdx
	movq	%rdx, REGS_RAX(%rsp)
	movq	GATE_RCX(%rcx), %rdx
	movq	%rdx, REGS_RCX(%rsp)
	movq	%rbx, REGS_RSP(%rsp)
	movq	%rsi, REGS_RSI(%rsp)
	movq	%rdi, REGS_RDI(%rsp)
	movq	%rbp, REGS_RBP(%rsp)
	movq	%r8, REGS_R8(%rsp)
	movq	%r9, REGS_R9(%rsp)
	movq	%r10, REGS_R10(%rsp)
	movq	%r11, REGS_R11(%rsp)
	movq	%r12, REGS_R12(%rsp)
	movq	%r13, REGS_R13(%rsp)
	movq	%r14, REGS_R14(%rsp)
	movq	%r15, REGS_R15(%rsp)
	testl	$(FLAGS_DF | FLAGS_AC), (%rsp)
	jz	1f
	pushq	(%rsp)
	andl	$~(FLAGS_DF | FLAGS_AC | FLAGS_TF), (%rsp)
	popfq
1:	movq	%rsp, %rdi
	movl	%eax, %esi
	movq	%rcx, %rdx
	call	resident_fire
.endm

/* All but the flags, rax, rbx, rsp. */
.macro RESTORE_MOST
	movq	REGS_R15(%rsp), %r15
	movq	REGS_R14(%rsp), %r14
	movq	REGS_R13(%rsp), %r13
	movq	REGS_R12(%rsp), %r12
	movq	REGS_R11(%rsp), %r11
	movq	REGS_R10(%rsp), %r10
	movq	REGS_R9(%rsp), %r9
	movq	REGS_R8(%rsp), %r8
	movq	REGS_RBP(%rsp), %rbp
	movq	REGS_RDI(%rsp), %rdi
	movq	REGS_RSI(%rsp), %rsi
	movq	REGS_RDX(%rsp), %rdx
	movq	REGS_RCX(%rsp), %rcx
.endm

/* The rest of them; the level is free with the last store. */
.macro RESTORE_LAST at, busy
	movq	GS(\at+REGS_RAX), %rax
	movq	%rbx, %rsp
	movq	GS(\at+REGS_RBX), %rbx
	.if	\busy == 0
	movl	$1, GS(GATE_IDLE)
	.endif
	movl	$\busy, GS(GATE_BUSY)
.endm

/* popfq sees the registers' flags word where rsp points. */
.macro RESTORE_FLAGS
	andl	$~FLAGS_TF, (%rsp)
	popfq
.endm

/* From C to the stub's epilogue. */
.macro GO_OUT at, busy
	RESTORE_MOST
	testl	$(FLAGS_DF | FLAGS_AC), (%rsp)
	jnz	2f
	movzwl	(%rsp), %eax
	xchgb	%al, %ah
	andb	$0x08, %al			/* overflow, bit 11 */
	addb	$0x78, %al
	sahf
	RESTORE_LAST \at, \busy
	jmp	*GS(\at+REGS_RIP)
2:	RESTORE_FLAGS
	RESTORE_LAST \at, \busy
	jmp	*GS(\at+REGS_RIP)
.endm

/* To the epilogue of site eax past C: all is the target's but rax and rcx, no flag. */
.macro GO_PAST
	movq	GS(GATE_SITES), %rcx
	leaq	(,%rax,1 << (SITE_SHIFT - 1)), %rax
	movq	(%rcx,%rax,2), %rax
	movq	%rax, GS(GATE_EPILOGUE)
	movq	GS(GATE_RCX), %rcx
	movq	GS(GATE_SPILL), %rax
	jmp	*GS(GATE_EPILOGUE)
.endm

/*
 * The fast path (hook/resident.h): additions without flags, so the sum that must be
 * 0 is made by lea and looked at by jrcxz. What is rare is elsewhere: with it in between
 * a hit takes an eighth longer.
 */
	.section .text.resident_entry, "ax", @progbits
	.p2align 6
resident_enter:
	movq	%rcx, GS(GATE_RCX)
	movl	GS(GATE_IDLE), %ecx
	jrcxz	3f
	movq	GS(GATE_CACHE_SUM), %rcx
	jrcxz	2f				/* nothing is */
	movl	%eax, GS(GATE_SITE)
	movq	GS(GATE_STATE), %rax
	movq	VERSION_FROM_STATE(%rax), %rax
	leaq	1(%rcx,%rax), %rcx
	movq	GS(GATE_SITES), %rax
	movl	KEEPER_FROM_SITES(%rax), %eax
	leaq	(%rcx,%rax), %rcx
	movl	GS(GATE_SITE), %eax
	jrcxz	1f
2:	jmp	level0
3:	jmp	inside
1:	movq	GS(GATE_CACHE), %rcx
	movl	CACHE_SITES(%rcx,%rax,8), %ecx
	jrcxz	light
	movq	GS(GATE_STATE), %rax
	leaq	(%rax,%rcx,8), %rcx
	movq	(%rcx), %rax
	leaq	2(%rax), %rax
	movq	%rax, (%rcx)
resident_finished:
	movq	GS(GATE_FIRED), %rax
	leaq	1(%rax), %rax
	movq	%rax, GS(GATE_FIRED)
	movl	GS(GATE_SITE), %eax
	GO_PAST

/* Not counted: a light routine, if the site has one and the thread may run it. */
light:
	movq	GS(GATE_LIGHTS), %rcx
	movq	(%rcx,%rax,8), %rcx
	jrcxz	resident_unfinished
	movq	%rcx, %rax
	movq	GS(GATE_CALL), %rcx
	jrcxz	resident_unfinished
	jmp	*%rax
resident_unfinished:
	movl	GS(GATE_SITE), %eax
	jmp	level0

/* A hit inside of a hit takes the second level, a further one is lost. */
inside:
	movl	GS(GATE_BUSY), %ecx
	leal	-1(%rcx), %ecx
	jrcxz	1f
	movq	GS(GATE_LOST), %rcx		/* written by this thread only */
	leaq	1(%rcx), %rcx
	movq	%rcx, GS(GATE_LOST)
	jmp	pass
1:	jmp	level1

/*
 * The indirect jump at the site goes to \target: past the firing if that is in the
 * first part of the function. The flags wait in the word for the epilogue, which is
 * not used yet.
 */
.macro RESTORE_LAHF
	movq	GS(GATE_EPILOGUE), %rax
	addb	$0x7f, %al
	sahf
	movl	GS(GATE_SITE), %eax
.endm

.macro LEAVING target, spilled=0
	.org	leaving + leaving_number * LEAVING_BYTES, 0xcc
	lahf
	seto	%al
	movq	%rax, GS(GATE_EPILOGUE)
	movl	GS(GATE_SITE), %eax
	movq	GS(GATE_SITES), %rcx
	shlq	$SITE_SHIFT, %rax
	cmpl	$1, SITE_NHITS(%rcx,%rax)
	jne	leaving_slowly
	movl	SITE_FIRST_HIT(%rcx,%rax), %eax
	shlq	$HIT_SHIFT, %rax
	addq	HITS_FROM_SITES(%rcx), %rax
	cmpb	$HIT_LEAVING, BLOCK_FROM_SITES+HIT_KIND(%rcx,%rax)
	jne	leaving_slowly
	movl	BLOCK_FROM_SITES+HIT_RANGE(%rcx,%rax), %eax
	shlq	$RANGE_SHIFT, %rax
	addq	RANGES_FROM_SITES(%rcx), %rax
	leaq	BLOCK_FROM_SITES(%rcx,%rax), %rcx
	.if	\spilled
	movq	GS(\target), %rax
	cmpq	(%rcx), %rax
	jb	leaving_slowly
	cmpq	RANGE_HI(%rcx), %rax
	.else
	cmpq	(%rcx), \target
	jb	leaving_slowly
	cmpq	RANGE_HI(%rcx), \target
	.endif
	jae	leaving_slowly
	jmp	leaving_stays
	.set	leaving_number, leaving_number + 1
.endm

	.p2align 6
leaving:
	.set	leaving_number, 0
	LEAVING	GATE_SPILL, 1			/* rax */
	LEAVING	GATE_RCX, 1			/* rcx */
	LEAVING	%rdx
	LEAVING	%rbx
	LEAVING	%rsp
	LEAVING	%rbp
	LEAVING	%rsi
	LEAVING	%rdi
	LEAVING	%r8
	LEAVING	%r9
	LEAVING	%r10
	LEAVING	%r11
	LEAVING	%r12
	LEAVING	%r13
	LEAVING	%r14
	LEAVING	%r15
leaving_stays:
	RESTORE_LAHF
	GO_PAST
leaving_slowly:
	RESTORE_LAHF
	jmp	level0
fast_end:

	.p2align 4
level0:
	GO_IN	regs0, 1
	cmpl	$0, GATE_PENDING-TCB_REGS0(%rsp)
late_begin:					/* the flags hold the result */
	jne	trap
	GO_OUT	regs0, 0
late_end:
level1:
	GO_IN	regs1, 2
	GO_OUT	regs1, 1

/* A signal is waiting: the keeper continues the thread from after the int3. */
trap:
	RESTORE_MOST
	RESTORE_FLAGS
	RESTORE_LAST regs0, 0
	int3
trap_end:
	jmp	*GS(TCB_REGS0+REGS_RIP)

/*
 * Straight to the epilogue. Threads with the shared gate share the words this uses
 * (hook/trampoline.h).
 */
	.p2align 4
resident_inert:
	movq	%rcx, GS(GATE_RCX)
pass:
	GO_PAST
inert_end:

/*
 * Loads of target memory. Nothing is pushed in between, so after a fault the keeper
 * sets rip to guard_fixup and the function returns what it has come to.
 */
	.section .text.resident_guard, "ax", @progbits
	.globl	guard_copy
	.hidden	guard_copy
	.globl	guard_string
	.hidden	guard_string
	.globl	guard_word
	.hidden	guard_word
	.globl	guard_same
	.hidden	guard_same
	.p2align 4
guard_begin:
/* struct guarded guard_copy(rdi: void *to, rsi: from, rdx: n) */
guard_copy:
	xorl	%eax, %eax
	cmpq	$8, %rdx
	jb	2f
1:	movq	(%rsi,%rax), %rcx
	movq	%rcx, (%rdi,%rax)
	addq	$8, %rax
	subq	$8, %rdx
	cmpq	$8, %rdx
	jae	1b
2:	testq	%rdx, %rdx
	jz	4f
3:	movzbl	(%rsi,%rax), %ecx
	movb	%cl, (%rdi,%rax)
	incq	%rax
	decq	%rdx
	jnz	3b
4:	xorl	%edx, %edx
	ret
/* struct guarded guard_string(rdi: char *to, rsi: from, rdx: n) */
guard_string:
	movq	%rdx, %rcx
	xorl	%eax, %eax
	testq	%rcx, %rcx
	jz	6f
5:	movzbl	(%rsi,%rax), %edx
	movb	%dl, (%rdi,%rax)
	testl	%edx, %edx
	jz	7f
	incq	%rax
	cmpq	%rcx, %rax
	jb	5b
6:	xorl	%edx, %edx
	ret
7:	movl	$1, %edx
	ret
/* struct guarded guard_word(rdi: from), the word in n */
guard_word:
	movq	(%rdi), %rax
	xorl	%edx, %edx
	ret
/* struct guarded guard_same(rdi: from, rsi: at, rdx: value, rcx: n) */
	.p2align 4
guard_same:
	xorl	%eax, %eax
	testq	%rcx, %rcx
	jz	9f
8:	movl	(%rsi,%rax,4), %r8d
	movq	(%rdi,%r8), %r8
	cmpq	(%rdx,%rax,8), %r8
	jne	9f
	incq	%rax
	cmpq	%rcx, %rax
	jne	8b
9:	xorl	%edx, %edx
	ret
guard_end:
guard_fixup:
	movl	$2, %edx
	ret

	.section .note.GNU-stack, "", @progbits
