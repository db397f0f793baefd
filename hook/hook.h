/* SPDX-License-Identifier: MIT */
/*
 * Planning of detours. Decides from bytes and tables, without a process, which sites
 * can be reached by a jump:
 *
 *	struct hook_module  --hook_branches_new()-->  where control may arrive
 *	sites of a function --hook_plan_function()->  tactics, or reasons against
 *
 * A site is an instruction. Its probe fires before the instruction or, for a
 * conditional jump, when the jump is taken. Five tactics write into the function:
 *
 *	jump		jmp rel32 over whole instructions and the padding after them; the
 *			instructions run in the stub, where each site fires at its own
 *	call		only the displacement of a call rel32 changes: the stub is called
 *			first and jumps on to the callee
 *	short jump	jmp rel8, for two bytes of room, to an island: a jmp rel32 nearby,
 *			in padding or in place of instructions that run in the stub too
 *	punned jump	one byte, for one byte of room: see below
 *	chained jumps	several jumps that share bytes, for as little room: see below
 *
 *	entry:  push %rbp           entry:  jmp stub
 *	        mov  %rsp,%rbp              (rest of the mov: never run)
 *	        sub  $16,%rsp               sub $16,%rsp   <- the stub comes back
 *
 *	entry:  call callee         entry:  call stub
 *
 *	        pop  %r12                   jmp stub       pop, pop, fire, ret
 *	        pop  %r13                   (never run)
 *	return: ret                         (never run)
 *
 *	        pop  %rbx                   jmp island      pop, fire, ret
 *	return: ret                         (never run)
 *	        ...                         ...
 *	        nop  nop  nop  nop  nop     island: jmp stub
 *
 *	        mov  8(%rdi),%eax           jmp stub's end
 *	        movl $1,8(%rdi)             island: jmp stub
 *
 * The displacement of a short jump may be the unchanged first byte of the next
 * instruction, if an island fits at the address that results.
 *
 * A punned jump writes just the opcode e9. The next four bytes stay: they are both its
 * displacement and instructions. So its target is fixed. An island is mapped there if
 * the process has nothing near that address:
 *
 *	return: ret                         jmp island      (e9)
 *	1:      mov -4(%rsi,%rdx),%ecx      mov ...        (8b 4c 16 fc: unchanged)
 *	                                    ...
 *	        (nothing is mapped)         island: jmp stub
 *
 * Chained jumps take over the instructions behind the site as well, up to where a jump
 * has room, be it in the next function. Wherever something arrives there is a jump of
 * its own (a head). The end of its displacement is the beginning of the next jump, and
 * that has its displacement chosen so that both lead to where pages can be mapped:
 *
 *	return: ret                         e9 [e9 d0 d1 d2]       -> page of ours
 *	next:   push %rbp                      e9 [d0 d1 d2 d3]    -> page of ours
 *	        mov  %rsp,%rbp
 *	        sub  $16,%rsp               sub $16,%rsp
 *
 * Where the last byte of a displacement would be an opcode, prefixes that such a jump
 * ignores (cs) move it on by a byte.
 *
 * A site that no tactic fits gets a breakpoint, or is refused, with its reason.
 * Nothing here trusts its input: ranges and bytes that make no sense give a reason.
 * Planning is not thread-safe (decode() is not).
 */
#ifndef HOOK_HOOK_H
#define HOOK_HOOK_H

#include "vm/base/base.h"
#include "vm/base/taddr.h"

#define HOOK_JUMP  5 /* bytes of jmp rel32 and of call rel32 */
#define HOOK_SHORT 2 /* bytes of jmp rel8 */

/*
 * The lower limit for targets of punned jumps, as a distance. Stubs are allocated below
 * their module. Scattered pages of islands there would leave no room for the stubs of
 * large modules.
 */
#define HOOK_PUN_DOWN (INT64_C(1) << 30)

#define HOOK_COVERED_MAX 32 /* bytes that one jump takes over */
#define HOOK_SITES_MAX	 6  /* sites that it serves */
#define HOOK_HEADS_MAX	 4  /* jumps in a chain */
#define HOOK_HEAD_STEP	 4  /* bytes from one to the next, at most */
#define HOOK_PATCH_MAX	 (HOOK_HEAD_STEP * (HOOK_HEADS_MAX - 1) + HOOK_JUMP)

enum hook_reason {
#define REASON(name, can_break, text) HOOK_REASON_##name,
#include "hook/reason.def"
#undef REASON
	HOOK_REASON_COUNT
};

/* The text of reason.def. */
const char *hook_reason_text(enum hook_reason reason);
/* Whether a breakpoint may be set where this reason forbids a jump. */
bool hook_reason_can_break(enum hook_reason reason);

enum hook_tactic {
	HOOK_JMP,	 /* jmp rel32 over covered bytes */
	HOOK_JMP_SHORT,	 /* jmp rel8 over covered bytes, to an island */
	HOOK_JMP_PUN,	 /* jmp rel32 over one byte: the next four give where to */
	HOOK_JMP_CHAIN,	 /* several jmp rel32 that overlap: each but the last a pun */
	HOOK_CALL,	 /* the displacement of a call rel32 */
	HOOK_BREAKPOINT, /* none of ours; the keeper's int3 */
	HOOK_REFUSED,	 /* nothing may be written there */
};

struct hook_plan_site {
	uint8_t at;	  /* its instruction, from patch on; HOOK_CALL: 0 */
	uint8_t on_taken; /* 1: fires when the conditional jump there is taken; else 0 */
};

/* Where a short jump goes to, or a punned one: then nothing is mapped there yet. */
struct hook_island {
	taddr at;	 /* 0: none is needed */
	uint8_t covered; /* bytes from there on that it takes over */
	uint8_t entry;	 /* where the short jump arrives, from at on */
	uint8_t ninsns;	 /* instructions to move; 0: it is in padding, entry is 0 */
	uint8_t original[HOOK_COVERED_MAX];
};

/* One detour, or one site that has none. */
struct hook_plan {
	taddr site; /* the first one's instruction */
	enum hook_tactic tactic;
	enum hook_reason reason; /* NONE unless tactic is one of the last two */
	taddr patch;	 /* where the jump is written: not after site; HOOK_CALL:
				  * the call, which may follow an endbr64 */
	uint8_t covered; /* bytes from patch on that the tactic takes over: whole
			  * instructions, then padding */
	uint8_t padding; /* how many of them are padding */
	uint8_t ninsns;	 /* instructions to move; 0 for HOOK_CALL */
	uint8_t nsites;	 /* 1 for HOOK_CALL */
	uint8_t nheads;	 /* of HOOK_JMP_CHAIN; else 0 */
	uint8_t heads
		[HOOK_HEADS_MAX]; /* where they begin, from patch on: the first 0 */
	uint8_t original[HOOK_COVERED_MAX]; /* those bytes (or those held, if that are
					     * more), as the file has them */
	struct hook_island island;	    /* of HOOK_JMP_SHORT and HOOK_JMP_PUN */
	struct hook_plan_site sites[HOOK_SITES_MAX]; /* ascending; at one place the one
						      * on_taken last */
};

/* Whether the site is served by some jump. */
static inline bool hook_plan_is_jump(const struct hook_plan *plan)
{
	return plan->tactic < HOOK_BREAKPOINT;
}

/* How many bytes are written at plan->patch. */
static inline size_t hook_plan_patched(const struct hook_plan *plan)
{
	if (plan->tactic == HOOK_JMP_PUN)
		return 1;
	if (plan->tactic == HOOK_JMP_CHAIN)
		return plan->heads[plan->nheads - 1] + (size_t)HOOK_JUMP;
	return plan->tactic != HOOK_JMP_SHORT ? HOOK_JUMP
	       : plan->covered == 1	      ? 1
					      : HOOK_SHORT;
}

/* How many bytes from plan->patch on no other plan may write to. */
static inline size_t hook_plan_held(const struct hook_plan *plan)
{
	bool is_pun = plan->tactic == HOOK_JMP_PUN;

	return max_u64(plan->covered, is_pun ? HOOK_JUMP : HOOK_SHORT);
}

/* Whether the plan's island is in the program's code: else it is in memory of ours. */
static inline bool hook_plan_has_island(const struct hook_plan *plan)
{
	return plan->island.at.v && plan->tactic != HOOK_JMP_PUN;
}

/* Where a jump at patch goes to with the displacement that bytes 1 to 4 make. */
taddr hook_pun_target(const struct hook_plan *plan);
/* Whether that is not further down than HOOK_PUN_DOWN. */
bool hook_pun_is_near(const struct hook_plan *plan);

/* How many bytes are written at the island's beginning. */
static inline size_t hook_island_written(const struct hook_island *island)
{
	return island->at.v ? island->entry + (size_t)HOOK_JUMP : 0;
}

static inline taddr hook_island_entry(const struct hook_island *island)
{
	return taddr_add(island->at, island->entry);
}

/* Address of the plan's i-th site. */
static inline taddr hook_plan_address(const struct hook_plan *plan, uint32_t i)
{
	return plan->tactic == HOOK_CALL ? plan->site
					 : taddr_add(plan->patch, plan->sites[i].at);
}

/* The number of the plan's site at pc, or -1. */
int hook_plan_find(const struct hook_plan *plan, taddr pc, bool on_taken);

/* Whether one of the heads of chained jumps begins at pc. */
bool hook_plan_is_head(const struct hook_plan *plan, taddr pc);
/* Whether a plan for a jump, which was not made here, is consistent in itself. */
bool hook_plan_is_sound(const struct hook_plan *p);
/*
 * Whether the original bytes of such a plan, and those of its island, are whole
 * instructions, as many as it says, and its sites are where some begin.
 */
bool hook_plan_is_read(const struct hook_plan *p);
/* The heads are as a plan may have them: what comes from elsewhere is checked with it. */
bool hook_chain_is_sound(const struct hook_plan *plan);
/* Where the jump of a head goes to, when these are the patched bytes. */
taddr hook_chain_landing(const struct hook_plan *plan, const uint8_t *bytes,
			 uint32_t head);

/*
 * The last of chained jumps alone, which needs no page: false when none of the sites is
 * its. The others keep their breakpoints.
 */
bool hook_chain_tail(const struct hook_plan *plan, struct hook_plan *tail);

enum hook_place { HOOK_PLACE_NONE, HOOK_PLACE_NEW, HOOK_PLACE_MAPPED };

/* Where the jumps of a chain may lead to. */
struct hook_places {
	const uint64_t
		*pages; /* mapped ones of ours: those at the end are used first */
	size_t npages;
	/* Whether a jump can be put at the address: in a mapped page, or a new one. */
	enum hook_place (*at)(void *ctx, taddr at);
	void *ctx;
};

/*
 * Chooses the bytes that are written at plan->patch, hook_plan_patched() of them. False:
 * no choice leads where something can be put. Asks a bounded number of times.
 */
bool hook_chain_choose(const struct hook_plan *plan, const struct hook_places *places,
		       uint8_t bytes[HOOK_PATCH_MAX]);

struct hook_module;
struct hook_branches;
struct hook_islands;

/*
 * Looks through all code of the module for addresses that control may reach
 * other than by running on: targets of direct branches, addresses after calls,
 * code addresses loaded by lea or immediates or stored in data, entries of
 * switch tables, the given pointers, and the beginnings of functions. Reads about
 * 100 MB of code a second. The result owns nothing of m and is freed by
 * hook_branches_free().
 */
struct hook_branches *hook_branches_new(const struct hook_module *m);
/*
 * The same in two steps: the first takes what is in the module's lists (functions,
 * unwound, pointers), which may go before the second reads the code, in seconds.
 */
struct hook_branches *hook_branches_begin(const struct hook_module *m);
void hook_branches_read(struct hook_branches *b, const struct hook_module *m);
/*
 * Instead of hook_branches_read(): only what plans of functions in these parts need to
 * know; the parts ascend. Looks in all code of the module for what leads there, a few
 * hundred MB a second, and reads the places where it finds something. Elsewhere it is not
 * known what arrives.
 */
void hook_branches_read_for(struct hook_branches *b, const struct hook_module *m,
			    const struct addr_range *parts, size_t n);
/* Whether one of the two has come to its end. */
bool hook_branches_are_read(const struct hook_branches *b);
void hook_branches_free(struct hook_branches *b);
/* Whether something may arrive at pc; also true of code where that is not known. */
bool hook_branches_has(const struct hook_branches *b, taddr pc);

/*
 * The padding that the plans of one process's copy of a module have in use: at its
 * end, or for islands.
 */
struct hook_islands *hook_islands_new(void);
void hook_islands_free(struct hook_islands *b);
/* Notes that a plan that was made before holds its bytes. */
void hook_islands_hold(struct hook_islands *b, const struct hook_plan *plan);

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

/* An instruction of a function that something is wanted at. */
struct hook_probe_point {
	taddr pc;
	bool is_before; /* fires before the instruction */
	bool is_exit;	/* fires when it leaves the function: ret, jump, taken jcc */
	bool no_jump;	/* a breakpoint is there for another reason */
};

/* A function's range, or that of a part of it, and what is wanted in it. */
struct hook_function {
	taddr lo, hi;
	bool has_shadow_stack;
	struct hook_islands *islands;	      /* NULL: no short jumps */
	const struct hook_probe_point *wants; /* ascending by pc, all in the range */
	size_t nwants;
	/*
	 * How many more come after them, behind the range: they are not planned, but
	 * chained jumps at its end may take some of them over, in their order.
	 */
	size_t nafter;
	taddr floor; /* no plan may hold bytes below it; 0: lo */
	/* Memory as it is now; NULL: as the file. Negative: it cannot be read. */
	int (*read)(void *ctx, taddr at, uint8_t *buf, size_t n);
	/* Called in order, for wants [first, first + n): they share one detour, or
	 * n is 1. */
	void (*plan)(void *ctx, const struct hook_plan *plan, size_t first, size_t n);
	void *ctx;
};

/* Decides about all wants of a function together: plans never share a byte. */
void hook_plan_function(const struct hook_module *m, const struct hook_branches *b,
			const struct hook_function *f);

#endif
