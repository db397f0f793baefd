/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/refuge.h"
#include "tracer/keeper/mem.h"
#include "tracer/keeper/wait.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

/* Copied into the page; what the calls of ours leave alone is not put back. */
extern const unsigned char refuge_code[], refuge_back[], refuge_kept[], refuge_end[];

__asm__(".pushsection .rodata\n"
	"refuge_code:\n"
	"	syscall\n"
	"refuge_back:\n"
	"	popfq\n"
	"	movq	refuge_rsp(%rip), %rsp\n"
	"	movl	$14, %eax\n" /* rt_sigprocmask(SIG_SETMASK, mask, NULL, 8) */
	"	movl	$2, %edi\n"
	"	leaq	refuge_mask(%rip), %rsi\n"
	"	movl	$0, %edx\n"
	"	movl	$8, %r10d\n"
	"	syscall\n"
	"	movq	refuge_rax(%rip), %rax\n"
	"	movq	refuge_rax+8(%rip), %rcx\n"
	"	movq	refuge_rax+16(%rip), %rdx\n"
	"	movq	refuge_rax+24(%rip), %rsi\n"
	"	movq	refuge_rax+32(%rip), %rdi\n"
	"	movq	refuge_rax+40(%rip), %r8\n"
	"	movq	refuge_rax+48(%rip), %r9\n"
	"	movq	refuge_rax+56(%rip), %r10\n"
	"	movq	refuge_rax+64(%rip), %r11\n"
	"	jmp	*refuge_pc(%rip)\n"
	"	.p2align 3\n"
	"refuge_kept:\n" /* struct kept */
	"	.quad	0\n"
	"refuge_rsp:\n"
	"	.quad	0\n"
	"refuge_mask:\n"
	"	.quad	0\n"
	"refuge_rax:\n"
	"	.fill	9, 8, 0\n"
	"refuge_pc:\n"
	"	.quad	0\n"
	"refuge_end:\n"
	".popsection\n");

struct kept {
	uint64_t flags, rsp, mask;
	uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11;
	uint64_t pc;
};

#define FLAG_TF		0x100u
#define REFUGE_CODE_MAX 256

static uint64_t offset_of(const unsigned char *label)
{
	return (uint64_t)(label - refuge_code);
}

int refuge_fill(int mem, uint64_t page)
{
	return mem_write(mem, page, refuge_code, offset_of(refuge_end));
}

bool refuge_is_there(int mem, uint64_t page)
{
	unsigned char now[REFUGE_CODE_MAX];
	uint64_t n = offset_of(refuge_kept);

	assert(n <= sizeof(now));
	return mem_read(mem, page, now, n) == 0 && memcmp(now, refuge_code, n) == 0;
}

/* The kernel would do this when the thread went on from its stop. */
static void make_again(struct kept *k, int64_t nr)
{
	if (nr < 0 || !wait_is_restarted((int64_t)k->rax))
		return;
	k->rax = (int64_t)k->rax == WAIT_RESTART_BLOCK ? SYS_restart_syscall
						       : (uint64_t)nr;
	k->pc -= 2; /* the length of syscall */
}

int refuge_keep(int mem, uint64_t page, const struct user_regs_struct *r, uint64_t mask)
{
	struct kept k = {
		.flags = r->eflags & ~(uint64_t)FLAG_TF,
		.rsp = r->rsp,
		.mask = mask,
		.rax = r->rax,
		.rcx = r->rcx,
		.rdx = r->rdx,
		.rsi = r->rsi,
		.rdi = r->rdi,
		.r8 = r->r8,
		.r9 = r->r9,
		.r10 = r->r10,
		.r11 = r->r11,
		.pc = r->rip,
	};

	make_again(&k, (int64_t)r->orig_rax);
	return mem_write(mem, page + offset_of(refuge_kept), &k, sizeof(k));
}

void refuge_enter(uint64_t page, struct user_regs_struct *regs)
{
	regs->rip = page + offset_of(refuge_back);
	regs->rsp = page + offset_of(refuge_kept);
	regs->orig_rax = UINT64_MAX; /* no call is to be made again */
}

void refuge_call(uint64_t page, struct user_regs_struct *regs)
{
	refuge_enter(page, regs);
	regs->rip = page;
}
