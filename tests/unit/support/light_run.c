/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/light_run.h"

#include <stddef.h>
#include <string.h>

#define FLAGS_KEPT UINT64_C(0x40cd5) /* CF PF AF ZF SF DF OF AC */

/* In assembly. */
struct light_run *light_run_now;
void light_run_enter(struct light_run *r);
extern const unsigned char light_run_finished[], light_run_unfinished[];

#define AT(field) offsetof(struct light_run, field)
_Static_assert(AT(in_flags) == 128 && AT(out) == 136 && AT(out_flags) == 264 &&
		       AT(own_rsp) == 272 && AT(code) == 280 && AT(call) == 288 &&
		       AT(is_finished) == 296,
	       "the assembly");

__asm__(".text\n"
	".type light_run_enter, @function\n"
	"light_run_enter:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rdi, light_run_now(%rip)\n"
	"	mov %rsp, 272(%rdi)\n"
	"	pushq 128(%rdi)\n"
	"	popfq\n"
	"	mov 16(%rdi), %rdx\n"
	"	mov 24(%rdi), %rbx\n"
	"	mov 32(%rdi), %rsp\n"
	"	mov 40(%rdi), %rbp\n"
	"	mov 48(%rdi), %rsi\n"
	"	mov 64(%rdi), %r8\n"
	"	mov 72(%rdi), %r9\n"
	"	mov 80(%rdi), %r10\n"
	"	mov 88(%rdi), %r11\n"
	"	mov 96(%rdi), %r12\n"
	"	mov 104(%rdi), %r13\n"
	"	mov 112(%rdi), %r14\n"
	"	mov 120(%rdi), %r15\n"
	"	mov 280(%rdi), %rax\n"
	"	mov 288(%rdi), %rcx\n"
	"	mov 56(%rdi), %rdi\n"
	"	jmp *%rax\n"
	"light_run_finished:\n"
	"	mov light_run_now(%rip), %rax\n"
	"	movq $1, 296(%rax)\n"
	"	jmp 1f\n"
	"light_run_unfinished:\n"
	"	mov light_run_now(%rip), %rax\n"
	"	movq $0, 296(%rax)\n"
	"1:	mov %rdx, 152(%rax)\n"
	"	mov %rbx, 160(%rax)\n"
	"	mov %rsp, 168(%rax)\n"
	"	mov %rbp, 176(%rax)\n"
	"	mov %rsi, 184(%rax)\n"
	"	mov %rdi, 192(%rax)\n"
	"	mov %r8, 200(%rax)\n"
	"	mov %r9, 208(%rax)\n"
	"	mov %r10, 216(%rax)\n"
	"	mov %r11, 224(%rax)\n"
	"	mov %r12, 232(%rax)\n"
	"	mov %r13, 240(%rax)\n"
	"	mov %r14, 248(%rax)\n"
	"	mov %r15, 256(%rax)\n"
	"	mov 272(%rax), %rsp\n"
	"	pushfq\n"
	"	popq 264(%rax)\n"
	"	pushq $0x202\n"
	"	popfq\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size light_run_enter, . - light_run_enter\n");

void light_run_begin(struct light_run *r, uint64_t seed)
{
	*r = (struct light_run){.site = (uint32_t)(seed % LIGHT_RUN_SITES)};
	for (uint64_t i = 0; i < NATIVE_PROCESSOR_REGS; i++)
		r->in[i] = UINT64_C(0x1111111111111111) * (i + 1) + (seed << 40);
	r->in_flags = 0x202 | (seed * UINT64_C(0x9e3779b97f4a7c15) >> 20 & FLAGS_KEPT);
}

uint64_t light_run_word(uint32_t probe, bool is_return, uint32_t arg0)
{
	const uint64_t returns = is_return ? UINT64_C(1) << 62 | arg0 : 0;

	return (uint64_t)NATIVE_SITE_ALONE << 32 | (uint64_t)probe << 32 | returns;
}

static void put_aside(struct light_run *r, size_t at, uint64_t value, size_t n)
{
	memcpy(r->gate + at, &value, n);
}

void light_run(struct light_run *r, const void *code, struct native_call *c)
{
	r->code = (uintptr_t)code;
	r->call = (uintptr_t)c;
	c->light.finished = (uintptr_t)light_run_finished;
	c->light.unfinished = (uintptr_t)light_run_unfinished;
	put_aside(r, NATIVE_GATE_RAX, r->in[0], 8);
	put_aside(r, NATIVE_GATE_RCX, r->in[1], 8);
	put_aside(r, NATIVE_GATE_SITES, (uintptr_t)r->sites, 8);
	put_aside(r, NATIVE_GATE_SITE, r->site, 4);
	put_aside(r, NATIVE_GATE_CACHE, (uintptr_t)r->cache, 8);
	memcpy(r->cache + NATIVE_CACHE_AT + r->site * NATIVE_CACHE_BYTES +
		       NATIVE_CACHE_LINK,
	       &r->link, sizeof(r->link));
	put_aside(r, NATIVE_GATE_STACK_LO, r->stack_lo, 8);
	put_aside(r, NATIVE_GATE_STACK_HI, r->stack_hi, 8);
	c->light.gate = r->gate;
	light_run_enter(r);
}

bool light_run_has_kept(const struct light_run *r)
{
	for (uint32_t i = 2; i < NATIVE_PROCESSOR_REGS; i++)
		if (r->in[i] != r->out[i])
			return false;
	return !((r->in_flags ^ r->out_flags) & FLAGS_KEPT);
}
