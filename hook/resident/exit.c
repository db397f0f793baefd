/* SPDX-License-Identifier: MIT */
/*
 * An indirect jump returns from its function when its target, at run time, lies
 * outside of the function's parts.
 */
#include "hook/resident/level.h"

/* By hardware number: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ... */
static uint64_t register_value(const struct level *l, uint8_t number)
{
	static const uint8_t at[] = {
		offsetof(struct resident_regs, rax),
		offsetof(struct resident_regs, rcx),
		offsetof(struct resident_regs, rdx),
		offsetof(struct resident_regs, rbx),
		offsetof(struct resident_regs, rsp),
		offsetof(struct resident_regs, rbp),
		offsetof(struct resident_regs, rsi),
		offsetof(struct resident_regs, rdi),
		offsetof(struct resident_regs, r8),
		offsetof(struct resident_regs, r9),
		offsetof(struct resident_regs, r10),
		offsetof(struct resident_regs, r11),
		offsetof(struct resident_regs, r12),
		offsetof(struct resident_regs, r13),
		offsetof(struct resident_regs, r14),
		offsetof(struct resident_regs, r15),
	};
	const uint64_t *regs = (const void *)l->regs;

	return number < ARRAY_LEN(at) ? regs[at[number] / sizeof(*regs)] : 0;
}

/* False: it cannot be read, and the jump will fault. */
static bool target_of(struct level *l, const struct resident_hit *hit, uint64_t *target)
{
	uint64_t address = (uint64_t)hit->disp;
	taddr bad;

	if (hit->reg != RESIDENT_NO_REG) {
		*target = register_value(l, hit->reg);
		return true;
	}
	address += register_value(l, hit->base);
	address += register_value(l, hit->index) * hit->scale;
	return read_memory(l, taddr_of(address), target, sizeof(*target), &bad) == 0;
}

bool exit_is_taken(struct level *l, const struct resident_hit *hit)
{
	const struct resident_block *b = l->block;
	const struct resident_range *parts =
		(const void *)((const unsigned char *)b + b->ranges_at);
	uint64_t target;

	if (!target_of(l, hit, &target))
		return false;
	for (uint32_t i = 0; i < hit->nranges; i++) {
		uint64_t at = (uint64_t)hit->first_range + i;

		if (at < b->config.nranges && target >= parts[at].lo &&
		    target < parts[at].hi)
			return false;
	}
	return true;
}
