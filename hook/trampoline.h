/* SPDX-License-Identifier: MIT */
/*
 * The stub of a detour: the way from the patched bytes into resident code, the
 * instructions that the patch replaced, and the way back.
 *
 *	function               stub, near the module
 *	--------               ------------------------------------------------
 *	jmp stub ------------> 0:  jmp  *switch(%rip)         -> 6, or epilogue: off
 *	...                    6:  mov  %rax, %gs:spill
 *	...                    15: mov  $site, %eax
 *	...                    20: jmp  *%gs:enter -----------> shared entry
 *	...                                                        |
 *	...                    28, the epilogue: <--------------- jmp *%gs:epilogue
 *	...                    moved instructions
 *	rest <--------------------- jmp rest
 *
 * The bytes from 0 to 28 are the site's prologue. A detour of several sites has
 * one before each instruction that is a site, and one that does not begin with a site
 * begins with moved instructions. A conditional jump that fires when it is taken:
 *
 *	jcc  1f
 *	jmp  2f
 *	1: prologue, then the jump to where the jcc goes
 *	2: what follows
 *
 * A retargeted call arrives with its return address, that of the original call,
 * already pushed; its epilogue is one jump to the callee.
 *
 * No byte of the target's stack is written and no flag changes. Until the jump
 * at 20 the only register changed is rax.
 *
 * The thread's gate. A thread's GS base is the address of a few words of its own, in its
 * TCB. So stubs need no address of the process for them, and nothing of ours must be
 * below 2 GiB, where no mapping of the program is. A thread without a TCB has the GS base
 * of the shared gate. The words:
 *
 *	spill  the spill slot: the target's rax, from 6 until the shared entry has read it
 *	enter  where the stub goes: the full entry for a registered thread;
 *	       the short way out for the shared gate and for inert ones (children of fork
 *	       and vfork): load rax, jump to the epilogue of the site in eax
 *	epilogue   where the shared entry goes at its end
 *
 * Two threads without a TCB that hit a site at the same time could take each other's
 * rax from the shared words. So the keeper sets the GS base of a new thread at its first
 * stop, before it runs any instruction. A thread with GS base 0 faults in the prologue:
 * breakpoints take the place of that jump (stub_exit_demote()).
 *
 * The switch. One 8-byte word a site, near the stubs: the address of 6 when the site
 * is on, of the epilogue when it is off. Off, a thread passes through without
 * touching registers, flags, stack or gate. All sites are switched off, by
 * plain stores, as soon as anything finds that the keeper has died: from then
 * on new threads are not registered, and they inherit their creator's GS base.
 *
 * Contract of the shared entry (resident code):
 *
 *	in	eax = site number, upper half of rax 0; %gs:spill = the target's
 *		rax; every other register, the flags, DF, AC and the vector state
 *		are the target's. rsp is the target's (after a retargeted call 8
 *		below what it was at the site). Nothing may be pushed there.
 *	must	read the spill slot before anything that could hit a site again (the vDSO
 *		may be probed): a nested hit overwrites it, and takes the slot's
 *		second level;
 *		put the epilogue's address of the site into %gs:epilogue last, when
 *		no nested hit is possible any more;
 *		show probes: pc = the site's address, rsp = rsp + 8 after a
 *		retargeted call (struct stub: sp_fix).
 *	out	jmp *%gs:epilogue with every register and flag, rax included, and
 *		the vector state as at the site.
 */
#ifndef HOOK_TRAMPOLINE_H
#define HOOK_TRAMPOLINE_H

#include "hook/hook.h"

#define STUB_MAX	384
#define STUB_POINTS_MAX 96
#define STUB_FIELDS_MAX 48

/* Offsets from the beginning of a prologue. */
enum {
	STUB_ON = 6,	    /* what the switch holds when the site is on */
	STUB_EPILOGUE = 28, /* ... and when it is off */
};

/* Where the words are, from the GS base on. */
struct stub_gate {
	uint32_t spill_at, enter_at;
};

struct stub_request {
	const struct hook_plan *plan; /* of a jump */
	struct stub_gate gate;
	const uint8_t *chain; /* the patched bytes of chained jumps; else unused */
	uint32_t site;	      /* number of the plan's first; the others follow it */
	taddr stub;	      /* where the bytes will be */
	taddr switch_word;    /* the first site's; those of the others follow it */
};

/*
 * A boundary between two instructions of the stub, and where the thread would
 * be if the function had never been patched.
 */
struct stub_point {
	uint16_t at;
	int8_t sp_fix;	  /* to be added to rsp */
	bool is_spilled;  /* rax is in the spill slot */
	bool is_prologue; /* of a site that has not fired yet */
	taddr pc;
};

struct stub {
	uint8_t bytes[STUB_MAX];
	uint16_t n;
	uint16_t prologues[HOOK_SITES_MAX]; /* where those of the plan's sites begin */
	uint16_t heads[HOOK_HEADS_MAX];	    /* where those of chained jumps come to */
	uint8_t patch[HOOK_PATCH_MAX];	    /* what goes to plan->patch, */
	uint8_t island[HOOK_COVERED_MAX];   /* and to plan->island if there is one; or
					     * HOOK_JUMP bytes to each landing */
	/* The displacements that lead out of the stub, but for those of prologues. */
	uint16_t fields[STUB_FIELDS_MAX];
	uint8_t nfields;
	bool is_fixed;	/* it cannot be placed elsewhere */
	uint8_t sp_fix; /* rsp at the site - rsp in the stub: 8 or 0 */
	struct stub_point points[STUB_POINTS_MAX];
	uint8_t npoints;
};

/*
 * Builds a stub; the same request always gives the same stub. Returns 0, or
 * STATUS_RANGE when something is out of reach: the site is then a breakpoint,
 * with HOOK_REASON_OUT_OF_REACH; STATUS_INVAL when the plan is no jump or its
 * bytes are not what was planned.
 */
int stub_build(const struct stub_request *req, struct stub *out);

/*
 * Moves a stub, for a third of the cost of building it. It was built by stub_build() for
 * this plan, at `from`; gate, site and switch_word may have been others. It becomes what
 * stub_build(req) would build. Of its members only n, prologues, fields, nfields,
 * is_fixed and the bytes are used; its points stay as they are. STATUS_UNSUP: a stub of
 * this plan cannot be moved. STATUS_RANGE as stub_build(). After a failure it is of no
 * use.
 */
int stub_place(const struct stub_request *req, taddr from, struct stub *s);

/* The point at an offset; NULL when no instruction begins there. */
const struct stub_point *stub_point_at(const struct stub *s, size_t at);
/*
 * Where in the stub a thread continues whose pc is inside the patched bytes, or those of
 * the island, but not at their beginning: the offset, or -1 if no moved instruction
 * begins at pc (then no thread can be there). A site at that place has not fired yet.
 */
int stub_offset_of(const struct stub *s, const struct hook_plan *plan, taddr pc);

#endif
