/* SPDX-License-Identifier: MIT */
/* Plans that were not made here: from another process, or from a file. */
#include "disasm/disasm.h"
#include "hook/hook.h"

static bool is_island_sound(const struct hook_plan *p)
{
	uint64_t reach =
		hook_island_entry(&p->island).v - (p->patch.v + HOOK_SHORT - 128);
	bool is_pun = p->tactic == HOOK_JMP_PUN;
	bool leads_there = is_pun ? p->island.at.v == hook_pun_target(p).v &&
					    !p->island.entry && !p->island.ninsns
				  : reach < 256;

	return leads_there && p->island.covered <= HOOK_COVERED_MAX &&
	       p->island.covered >= hook_island_written(&p->island) &&
	       p->island.ninsns <= HOOK_COVERED_MAX;
}

bool hook_plan_is_sound(const struct hook_plan *p)
{
	bool is_call = p->tactic == HOOK_CALL && p->nsites == 1 &&
		       p->patch.v - p->site.v <= INSN_MAX;
	bool is_jmp = p->tactic <= HOOK_JMP_CHAIN && p->nsites > 0 &&
		      p->nsites <= HOOK_SITES_MAX && p->site.v >= p->patch.v &&
		      p->site.v - p->patch.v < p->covered;
	bool has_island = p->tactic == HOOK_JMP_SHORT || p->tactic == HOOK_JMP_PUN;

	if (p->tactic == HOOK_JMP_CHAIN ? !hook_chain_is_sound(p) : p->nheads != 0)
		return false;
	return (is_call || is_jmp) && has_island == (p->island.at.v != 0) &&
	       (!has_island || is_island_sound(p)) &&
	       p->covered >= hook_plan_patched(p) && p->covered <= HOOK_COVERED_MAX &&
	       p->ninsns <= HOOK_COVERED_MAX;
}

/* Whether n bytes are so many whole instructions; begins: a bit where each begins. */
static bool read_whole(const uint8_t *bytes, size_t n, unsigned ninsns,
		       uint32_t *begins)
{
	struct insn in;
	size_t at = 0;

	for (*begins = 0; ninsns; ninsns--) {
		if (at >= n || decode_quick(bytes + at, n - at, taddr_of(0), &in) != 0)
			return false;
		*begins |= UINT32_C(1) << at;
		at += in.len;
	}
	return at == n;
}

bool hook_plan_is_read(const struct hook_plan *p)
{
	uint32_t begins, ignored;
	struct insn in;

	if (p->tactic == HOOK_CALL)
		return decode_quick(p->original, HOOK_JUMP, p->patch, &in) == 0 &&
		       in.kind == INSN_CALL && in.len == HOOK_JUMP;
	if (p->padding > p->covered ||
	    !read_whole(p->original, p->covered - p->padding, p->ninsns, &begins))
		return false;
	for (unsigned i = 0; i < p->nsites; i++)
		if (p->sites[i].at >= p->covered || !(begins >> p->sites[i].at & 1))
			return false;
	return !p->island.ninsns || read_whole(p->island.original, p->island.covered,
					       p->island.ninsns, &ignored);
}
