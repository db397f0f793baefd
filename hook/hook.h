/* SPDX-License-Identifier: MIT */
/*
 * Hooking functions inside a process by jumps. This part decides, from bytes
 * and tables alone and without a process, which entries can take a jump:
 *
 *	struct hook_module  --hook_branches_new()-->  where control may arrive
 *	a function's range  --hook_plan_entry()--->   tactic, or the reason against
 *
 * Two tactics write into the function. A five-byte jump replaces whole
 * instructions (and padding behind the last one), which run in the site's stub
 * instead; a call that is the first instruction only has its displacement
 * changed, so that the stub is called first and jumps on to the callee:
 *
 *	entry:  push %rbp           entry:  jmp stub
 *	        mov  %rsp,%rbp              (rest of the mov: never run)
 *	        sub  $16,%rsp               sub $16,%rsp   <- the stub comes back
 *
 *	entry:  call callee         entry:  call stub
 *
 * What neither can do is left to breakpoints, or refused, with its reason.
 * Nothing here trusts its input: ranges and bytes that make no sense give a
 * reason. hook_plan_entry() is not thread-safe (decode() is not).
 */
#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include "vm/base/base.h"
#include "vm/base/taddr.h"

#define HOOK_JUMP 5 /* bytes of jmp rel32 and of call rel32 */

/* Five one-byte instructions, or four of them and the longest one. */
#define HOOK_COVERED_MAX 19

enum hook_reason {
#define REASON(name, can_break, text) HOOK_REASON_##name,
#include "hook/reason.def"
#undef REASON
	HOOK_REASON_COUNT
};

/* The text of reason.def. */
const char *hook_reason_text(enum hook_reason reason);
/* Whether a breakpoint may stand where this reason forbids a jump. */
bool hook_reason_can_break(enum hook_reason reason);

enum hook_tactic {
	HOOK_JMP,	 /* jmp rel32 over covered bytes */
	HOOK_CALL,	 /* the displacement of a call rel32 */
	HOOK_BREAKPOINT, /* none of ours; the keeper's int3 */
	HOOK_REFUSED,	 /* nothing may be written there */
};

struct hook_plan {
	taddr site; /* the function's first byte */
	enum hook_tactic tactic;
	enum hook_reason reason; /* NONE when tactic is HOOK_JMP or HOOK_CALL */
	taddr patch;		 /* where the five bytes go: HOOK_JMP: site; HOOK_CALL:
				  * the call, which may stand behind an endbr64 */
	uint8_t covered; /* bytes from patch on that the tactic takes over: whole
			  * instructions, then padding */
	uint8_t padding; /* how many of them are padding */
	uint8_t ninsns;	 /* instructions to move; 0 for HOOK_CALL */
	uint8_t original[HOOK_COVERED_MAX]; /* those bytes, as the file has them */
};

struct hook_module;
struct hook_range;
struct hook_branches;

/*
 * Looks through all code of the module for addresses that control may reach
 * other than by running on: targets of direct branches, addresses after calls,
 * code addresses loaded by lea or immediates or stored in data, entries of
 * switch tables, the given pointers, and the beginnings of functions. Reads about
 * 100 MB of code a second. The result owns nothing of m and is freed by
 * hook_branches_free().
 */
struct hook_branches *hook_branches_new(const struct hook_module *m);
void hook_branches_free(struct hook_branches *b);
bool hook_branches_has(const struct hook_branches *b, taddr pc);

/* The entry to plan. */
struct hook_entry {
	taddr lo, hi; /* the function's main range */
	/*
	 * What memory holds from lo on, to compare with the file; n may be 0 for no
	 * comparison, and need not exceed HOOK_COVERED_MAX.
	 */
	const uint8_t *memory;
	size_t n;
	bool has_shadow_stack; /* of the process: moved calls are not possible */
};

/*
 * Decides about one entry. b is from the same module. Never fails: what cannot
 * be planned has a reason. A branch back to the first byte is allowed: the
 * entry then fires once per turn.
 */
void hook_plan_entry(const struct hook_module *m, const struct hook_branches *b,
		     const struct hook_entry *entry, struct hook_plan *out);

#endif
