/* SPDX-License-Identifier: MIT */
/*
 * The stack of the thread that hit the site, walked by itself. Rows found once are
 * kept in the thread's area: then a frame costs a few loads.
 */
#include "hook/resident/guard.h"
#include "hook/resident/level.h"

/* Between rsp and the end of the thread's own stack nothing needs to be asked. */
static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	struct level *l = ctx;
	const struct resident_thread *t = &l->area->thread;
	uint64_t rsp = l->regs->rsp;
	struct guarded got;
	taddr bad;

	if (rsp < t->stack_lo || addr < rsp || addr >= t->stack_hi)
		return read_memory(l, taddr_of(addr), value, sizeof(*value), &bad) == 0;
	got = guard_word(addr);
	*value = got.n;
	return got.end == GUARD_ALL;
}

static const struct unwind_row *find_row(void *ctx, uint64_t pc)
{
	struct level *l = ctx;
	const struct resident_block *b = l->block;
	struct resident_area *area = l->area;
	struct list list = list_of(&b->modules, b->config.nmodules);
	struct unwind_list modules = {
		(const struct unwind_module *)(const void *)((const unsigned char *)b +
							     b->modules_at) +
			list.first,
		list.n};

	if (area->known_list != resident_list(list.first, list.n)) {
		for (uint32_t i = 0; i < RESIDENT_KNOWN; i++)
			area->known[i].pc = 0;
		area->known_list = resident_list(list.first, list.n);
	}
	return unwind_find_known(&modules, area->known, RESIDENT_KNOWN, pc);
}

/* By DWARF number. */
static void take_registers(const struct level *l, struct unwind_regs *out)
{
	const struct resident_regs *r = l->regs;
	uint64_t *to = out->reg;

	to[UNWIND_RAX] = r->rax;
	to[UNWIND_RDX] = r->rdx;
	to[UNWIND_RCX] = r->rcx;
	to[UNWIND_RBX] = r->rbx;
	to[UNWIND_RSI] = r->rsi;
	to[UNWIND_RDI] = r->rdi;
	to[UNWIND_RBP] = r->rbp;
	to[UNWIND_RSP] = level_rsp(l);
	to[UNWIND_R8] = r->r8;
	to[UNWIND_R8 + 1] = r->r9;
	to[UNWIND_R8 + 2] = r->r10;
	to[UNWIND_R8 + 3] = r->r11;
	to[UNWIND_R8 + 4] = r->r12;
	to[UNWIND_R8 + 5] = r->r13;
	to[UNWIND_R8 + 6] = r->r14;
	to[UNWIND_R15] = r->r15;
	out->pc = l->site->pc;
	out->is_edge = true;
}

uint32_t stack_walk(void *ctx, uint64_t *pcs, uint32_t n)
{
	const struct unwind_source source = {ctx, read_word, find_row};
	struct unwind_regs regs;

	take_registers(ctx, &regs);
	return unwind_walk(&source, &regs, pcs, n);
}
