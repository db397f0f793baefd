/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/resident_cpu.h"

__asm__(".pushsection .text\n"
	".p2align 4\n"
	".globl run_with\n"
	"run_with:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsi, run_out(%rip); mov %rdx, run_fn(%rip)\n"
	"	mov %rsp, run_rsp(%rip)\n"
	"	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movdqu 144+16*\\n(%rdi), %xmm\\n\n"
	"	.endr\n"
	"	pushq 128(%rdi); popfq\n"
	"	mov 0(%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx\n"
	"	mov 24(%rdi), %rbx; mov 32(%rdi), %rsp; mov 40(%rdi), %rbp\n"
	"	mov 48(%rdi), %rsi; mov 64(%rdi), %r8; mov 72(%rdi), %r9\n"
	"	mov 80(%rdi), %r10; mov 88(%rdi), %r11; mov 96(%rdi), %r12\n"
	"	mov 104(%rdi), %r13; mov 112(%rdi), %r14; mov 120(%rdi), %r15\n"
	"	mov 56(%rdi), %rdi\n"
	"	call *run_fn(%rip)\n"
	"	mov %rdi, run_rdi(%rip)\n"
	"	mov run_out(%rip), %rdi\n"
	"	mov %rax, 0(%rdi); mov %rcx, 8(%rdi); mov %rdx, 16(%rdi)\n"
	"	mov %rbx, 24(%rdi); mov %rsp, 32(%rdi); mov %rbp, 40(%rdi)\n"
	"	mov %rsi, 48(%rdi); mov %r8, 64(%rdi); mov %r9, 72(%rdi)\n"
	"	mov %r10, 80(%rdi); mov %r11, 88(%rdi); mov %r12, 96(%rdi)\n"
	"	mov %r13, 104(%rdi); mov %r14, 112(%rdi); mov %r15, 120(%rdi)\n"
	"	mov run_rdi(%rip), %rax; mov %rax, 56(%rdi)\n"
	"	mov run_rsp(%rip), %rsp\n"
	"	pushfq; popq 128(%rdi); pushq $0x202; popfq\n"
	"	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movdqu %xmm\\n, 144+16*\\n(%rdi)\n"
	"	.endr\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	".local run_out, run_fn, run_rsp, run_rdi\n"
	".comm run_out,8,8\n"
	".comm run_fn,8,8\n"
	".comm run_rsp,8,8\n"
	".comm run_rdi,8,8\n"
	".popsection\n");

static uint64_t random_state = 88172645463325252;

static uint64_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

struct cpu_stack target_stack;

struct cpu random_cpu(uint64_t extra_flags)
{
	struct cpu c;

	for (int i = 0; i < 16; i++) {
		c.gpr[i] = random_word();
		for (int k = 0; k < 16; k++)
			c.xmm[i][k] = (unsigned char)random_word();
	}
	c.gpr[CPU_RSP] = (uintptr_t)(target_stack.bytes + 4096);
	c.flags = (random_word() & FLAGS_ARITHMETIC) | extra_flags | 0x202;
	return c;
}
