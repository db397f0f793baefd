/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/return_stub.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/stop.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

/* The stub. Registers that the keeper's calls do not change are not restored. */
extern const unsigned char return_stub_code[], return_stub_back[], return_stub_kept[],
	return_stub_end[];

__asm__(".pushsection .rodata\n"
	"return_stub_code:\n"
	"	syscall\n"
	"return_stub_back:\n"
	"	popfq\n"
	"	movq	return_stub_rsp(%rip), %rsp\n"
	"	movl	$14, %eax\n" /* rt_sigprocmask(SIG_SETMASK, mask, NULL, 8) */
	"	movl	$2, %edi\n"
	"	leaq	return_stub_mask(%rip), %rsi\n"
	"	movl	$0, %edx\n"
	"	movl	$8, %r10d\n"
	"	syscall\n"
	"	movq	return_stub_rax(%rip), %rax\n"
	"	movq	return_stub_rax+8(%rip), %rcx\n"
	"	movq	return_stub_rax+16(%rip), %rdx\n"
	"	movq	return_stub_rax+24(%rip), %rsi\n"
	"	movq	return_stub_rax+32(%rip), %rdi\n"
	"	movq	return_stub_rax+40(%rip), %r8\n"
	"	movq	return_stub_rax+48(%rip), %r9\n"
	"	movq	return_stub_rax+56(%rip), %r10\n"
	"	movq	return_stub_rax+64(%rip), %r11\n"
	"	jmp	*return_stub_pc(%rip)\n"
	"	.p2align 3\n"
	"return_stub_kept:\n" /* struct kept */
	"	.quad	0\n"
	"return_stub_rsp:\n"
	"	.quad	0\n"
	"return_stub_mask:\n"
	"	.quad	0\n"
	"return_stub_rax:\n"
	"	.fill	9, 8, 0\n"
	"return_stub_pc:\n"
	"	.quad	0\n"
	"return_stub_end:\n"
	".popsection\n");

struct kept {
	uint64_t flags, rsp, mask;
	uint64_t rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11;
	uint64_t pc;
};

static uint64_t offset_of(const unsigned char *label)
{
	return (uint64_t)(label - return_stub_code);
}

static bool is_zero(const uint8_t *p, size_t n)
{
	return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

taddr return_stub_find(const struct procfs_maps *maps, int mem)
{
	for (size_t i = 0; i < maps->len; i++) {
		const struct procfs_area *a = &maps->data[i];
		taddr at = taddr_add(a->range.hi, -(int64_t)RETURN_STUB_BYTES);
		uint8_t now[2 * RETURN_STUB_BYTES];

		/* As much again before it: then it is no end of the file's own. */
		if (a->kind == AREA_VDSO && a->is_executable &&
		    mem_read(mem, taddr_add(at, -(int64_t)RETURN_STUB_BYTES), now,
			     sizeof(now)) == 0 &&
		    is_zero(now, RETURN_STUB_BYTES) && return_stub_is_usable(mem, at))
			return at;
	}
	return (taddr){0};
}

static bool is_filled(const uint8_t now[RETURN_STUB_BYTES])
{
	return memcmp(now, return_stub_code, offset_of(return_stub_kept)) == 0;
}

bool return_stub_is_usable(int mem, taddr at)
{
	uint8_t now[RETURN_STUB_BYTES];

	return mem_read(mem, at, now, sizeof(now)) == 0 &&
	       (is_zero(now, sizeof(now)) || is_filled(now));
}

int return_stub_fill(int mem, taddr at)
{
	assert(offset_of(return_stub_end) <= RETURN_STUB_BYTES);
	return mem_write(mem, at, return_stub_code, offset_of(return_stub_end));
}

void return_stub_clear(int mem, taddr at)
{
	static const uint8_t zero[RETURN_STUB_BYTES];
	uint8_t now[RETURN_STUB_BYTES];

	if (mem_read(mem, at, now, sizeof(now)) < 0 &&
	    mem_read(mem, at, now, sizeof(now)) < 0)
		return;
	if (is_filled(now) && mem_write(mem, at, zero, sizeof(zero)) < 0)
		mem_write(mem, at, zero, sizeof(zero));
}

/* The kernel would do this when the thread went on from its stop. */
static void make_again(struct kept *k, int64_t nr)
{
	if (nr < 0 || !stop_is_restarted((int64_t)k->rax))
		return;
	k->rax = (int64_t)k->rax == STOP_RESTART_BLOCK ? SYS_restart_syscall
						       : (uint64_t)nr;
	k->pc -= REGS_SYSCALL_BYTES;
}

int return_stub_keep(int mem, taddr at, const struct regs *r, uint64_t mask)
{
	struct kept k = {
		.flags = r->flags & ~(uint64_t)REGS_FLAG_TF,
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
	return mem_write(mem, taddr_of(at.v + offset_of(return_stub_kept)), &k,
			 sizeof(k));
}

void return_stub_enter(taddr at, struct regs *regs)
{
	regs->rip = at.v + offset_of(return_stub_back);
	regs->rsp = at.v + offset_of(return_stub_kept);
	regs->orig_rax = UINT64_MAX; /* no call is to be made again */
}

void return_stub_call(taddr at, struct regs *regs)
{
	return_stub_enter(at, regs);
	regs->rip = at.v;
}
