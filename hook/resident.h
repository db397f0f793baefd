/* SPDX-License-Identifier: MIT */
/*
 * What the code inside a traced process (resident code) and the keeper outside
 * share. Resident code runs the clauses of the sites that are hooked by jumps,
 * in the thread that hit them.
 *
 * Four regions are mapped into the process, all by the keeper:
 *
 *	1 text	   resident.bin, private, read and execute, below 2 GiB; right behind
 *		   it one private writable page, the gate page
 *	2 state	   the vm state block (vm/state.h), shared by front, keeper, target
 *	3 program  struct resident_program, image and probe table: a sealed memfd,
 *		   read-only; a larger one takes its place when the table grows
 *	4 block	   struct resident_block and what is behind it: one memfd for each
 *		   process, shared and writable in keeper and target
 *
 *	below 2 GiB				anywhere above
 *	+----------------+ text			+----------------+ block
 *	| resident_text  |			| resident_block | page 0
 *	| code           |			| sites          |
 *	+----------------+ text + gate		| hits           |
 *	| nobody's gate  | <- GS base 0		| pcs            |
 *	+----------------+			| ranges, shadows  |
 *						+----------------+
 *	GS base of a thread =			| tcb 0: gate   | <- GS base + gate
 *	   its tcb's address - gate	  	| tcb 1         |
 *						+----------------+
 *						| cache          | of each thread
 *						+----------------+
 *
 * Both low parts are one mapping's worth of addresses: resident_text.gate bytes and a
 * page. A child of fork shares the block, so it needs an inert tcb of its own.
 *
 * Besides, for stacks: rows of modules (vm/base/cfi.h), each batch of them a sealed
 * memfd of its own that stays mapped to the end; the block lists the modules.
 *
 * Positions are offsets from the block's beginning; what is called an address is
 * one of the target. The keeper trusts nothing it reads back from here: only
 * counters and gate words are of any use to it, each fetched once.
 *
 * Who writes what, and when:
 *
 *	struct resident_text	the linker
 *	nobody's gate		keeper, before any site is on; then threads
 *				without a registration (rax, rcx, epilogue)
 *	struct resident_block	keeper; words marked _Atomic while threads run
 *	sites, hits, pcs	keeper, before the site's switch is turned on; of a
 *				site that is on only the word `hits` may change
 *	ranges, modules		keeper: a new list beside the old, then the word
 *	shadows			keeper: a new list over the last but one, then the word
 *	tcb: known		the thread
 *	tcb: gate, registration keeper, while its thread is stopped outside
 *				resident code, before it runs with that GS base
 *	tcb: gate.pending	keeper, while the thread is stopped
 *	tcb: the rest		the thread
 *	cache			the thread
 *
 * Notes. Mostly a firing does no more than to count once more under a key that it has
 * counted under before. After a firing that was such (vm_counter) the thread cache
 * by site which word that is. The next hit adds two to it and goes on to the
 * epilogue, with no stack, two registers saved and no flag touched. Notes hold while
 *
 *	state_version() + block.keeper + 1 + gate.cache_sum == 0
 *
 * which each hit looks at: the end of tracing, the keeper's death (the word can only
 * grow by it) and all that changes what firings do make the sum another one, for
 * good. So: whoever changes the program, or the hits of a site that is on, does it while
 * the process is stopped, or lives with the old ones being fired a little longer, and
 * calls state_renew() then.
 *
 * Replacing the program: map the new region, store its address into
 * block.program, then add one to block.generation, with release. The old one may be
 * unmapped when, with the process stopped, each tcb has gate.busy 0, or at the latest
 * with everything else.
 *
 * Signals. A thread is inside when its pc is in text, or its gate.busy is not 0 (the
 * vDSO called from there). One that is stopped inside by a signal:
 *
 *	pc in [guard_begin, guard_end), SIGSEGV or SIGBUS of a fault
 *			set pc = guard_fixup, drop the signal
 *	pc in [late_begin, late_end), or in [enter, fast_end) or [inert, inert_end)
 *			with gate.busy 0: no test of gate.pending will come, or only
 *			with luck: single-step until pc is elsewhere, 40 instructions
 *			at most
 *	else		keep the signal, set gate.pending = 1, let the thread run. It ends
 *			in a SIGTRAP with pc = leave_trap, every register but pc the
 *			target's; pc would be that of level[0].regs. Clear
 *			gate.pending, put the pc there, deliver
 *
 * That SIGTRAP is an int3's: as for any breakpoint, the kernel resets the action of
 * a thread that blocks or ignores it.
 *
 * A thread without a keeper's watch (block.keeper has FUTEX_OWNER_DIED) switches all
 * sites off and passes through. A hit while the thread is already inside, which only
 * a probed vDSO or a signal that nobody held back can cause, runs on the second
 * level; a third is counted in gate.lost and passes.
 */
#ifndef HOOK_RESIDENT_H
#define HOOK_RESIDENT_H

#include "vm/base/regs.h"
#include "vm/base/cfi.h"
#include "vm/vm.h"
#include <stdatomic.h>

#define RESIDENT_MAGIC	       UINT32_C(0x44495352) /* "RSID": resident_text */
#define RESIDENT_BLOCK_MAGIC   UINT32_C(0x4b4c4252) /* "RBLK" */
#define RESIDENT_PROGRAM_MAGIC UINT32_C(0x47505252) /* "RRPG" */
#define RESIDENT_VERSION       7

#define RESIDENT_PAGE	     4096u
#define RESIDENT_LEVELS	     2
#define RESIDENT_SITES_MAX   (1u << 24)
#define RESIDENT_HITS_MAX    (1u << 24)
#define RESIDENT_RANGES_MAX  (1u << 20)
#define RESIDENT_SHADOWS_MAX (1u << 24)
#define RESIDENT_TCBS_MAX    32767u /* two state slots each */
#define RESIDENT_MODULES_MAX (1u << 20)
#define RESIDENT_CFI_CACHE   128u
#define RESIDENT_CACHE_PARTS 512u

/* The first bytes of resident.bin; offsets from there. */
struct resident_text {
	uint32_t magic, version;
	uint32_t bytes;	   /* of resident.bin */
	uint32_t gate;	   /* bytes, rounded up to a page: of the gate page */
	uint32_t enter;	   /* gate.enter of a registered thread */
	uint32_t fast_end; /* of what runs before gate.busy is set, from enter on */
	uint32_t inert;	   /* gate.enter of nobody and of inert threads */
	uint32_t inert_end;
	uint32_t guard_begin, guard_end, guard_fixup; /* loads of target memory */
	uint32_t late_begin, late_end; /* behind the test of gate.pending */
	uint32_t leave_trap; /* pc behind the int3 that ends a marked firing */
};

/*
 * The words that a thread reaches through its GS base; stubs use rax and enter
 * (struct stub_gate: spill_at, enter_at).
 */
struct resident_gate {
	_Alignas(128) uint64_t spill; /* the target's, on the way from the stub */
	uint64_t enter;		      /* address of text's enter or inert */
	uint64_t epilogue;	      /* of the inert way, on its way out */
	uint64_t self;		      /* address of the tcb; unused in nobody's */
	uint64_t rcx;		      /* the target's, on the way in */
	uint64_t sites;		      /* address of the sites */
	uint32_t busy;		      /* levels in use */
	uint32_t pending;	      /* 1: stop at leave_trap when leaving level 0 */
	_Atomic uint64_t lost;	      /* hits with no level left, not yet counted as
				     * drops of the thread's slot */
	uint64_t fired;		      /* hits so far, written by its thread */
	uint64_t cache;		      /* address of the thread's */
	uint64_t state;		      /* address of the state block */
	uint64_t cache_sum;	      /* the sum that the cache hold for, negative; 0:
				     * there are none */
	uint32_t site;		      /* number, on the quick way */
	uint32_t rekeyed;	      /* vm_rekeyed() then */
	uint64_t room[3];
};

#define RESIDENT_STACK_BYTES	13056u
#define RESIDENT_REGS_BYTES	256u
#define RESIDENT_INTERNAL_BYTES 1024u

struct resident_level {
	unsigned char stack[RESIDENT_STACK_BYTES];
	/*
	 * The target's registers at the site, the first REGS_SAVED_BYTES of them. After
	 * a retargeted call sp is 8 below its value at the site. pc is where the thread
	 * goes on: the site's epilogue in its stub.
	 */
	struct regs regs;
	unsigned char room[RESIDENT_REGS_BYTES - sizeof(struct regs)];
	unsigned char internal[RESIDENT_INTERNAL_BYTES]; /* of resident code alone */
};

/* What the keeper knows of the thread. */
struct resident_thread {
	uint64_t identity;	     /* vm.thread: unique in the run, not 0 */
	uint64_t stack_lo, stack_hi; /* of its stack's mapping; 0, 0: not known */
	uint32_t tid;
	uint32_t slot[RESIDENT_LEVELS]; /* of the state block */
};

struct resident_tcb {
	struct resident_gate gate;
	uint64_t at; /* of this tcb in the block */
	struct resident_thread thread;
	uint64_t cfi_list; /* block.modules that these were found in */
	struct cfi_cached cfi_cache[RESIDENT_CFI_CACHE];
	_Alignas(RESIDENT_PAGE) struct resident_level level[RESIDENT_LEVELS];
};

/* Of a thread that has state slots. */
struct resident_count_cache {
	uint64_t parts[RESIDENT_CACHE_PARTS /
		       64]; /* a bit for a part of the counters, as
					      * many sites each: not all are 0 */
	/* By site: place in the state block, / 8, of a word to add two to; 0: none. */
	uint32_t counters[];
};

#define RESIDENT_TCB_BYTES 32768u
_Static_assert(sizeof(struct resident_tcb) == RESIDENT_TCB_BYTES, "tcbs are pages");

/* One site hooked by a jump. Site numbers are those in the stubs. */
struct resident_site {
	uint64_t epilogue; /* address in the stub, behind the prologue: the way back */
	/* resident_alone(), resident_return(), or resident_list() of hits, with
	 * RESIDENT_PUSHED when rsp at the site is 8 above rsp when entered. */
	_Atomic uint64_t hits;
};

/* A prologue has RESIDENT_PROLOGUE bytes and begins with jmp *disp32(%rip), by way of the
 * site's switch word (hook/trampoline.h). */
#define RESIDENT_PROLOGUE     28
#define RESIDENT_PROLOGUE_JMP 6

/*
 * A list in one word, so that it can be exchanged while threads run: number of
 * elements, and the first one's index in hits, ranges or modules. Elements of a list
 * that was in use are not written again before the process has been stopped with
 * every gate.busy 0.
 */
static inline uint64_t resident_list(uint32_t first, uint32_t n)
{
	return (uint64_t)n << 32 | first;
}

/* The list of a site with one RESIDENT_ENTRY hit, which needs no element ... */
#define RESIDENT_ALONE (UINT64_C(1) << 63)
static inline uint64_t resident_alone(uint32_t probe)
{
	return RESIDENT_ALONE | (uint64_t)probe << 32;
}

/* ... or one RESIDENT_RETURN. */
#define RESIDENT_RETURNS (UINT64_C(1) << 62)
static inline uint64_t resident_return(uint32_t probe, uint32_t arg0)
{
	return resident_alone(probe) | RESIDENT_RETURNS | arg0;
}

#define RESIDENT_PUSHED (UINT64_C(1) << 61)

/* What is left of a word without its flags; numbers of probes are below this. */
#define RESIDENT_PROBES_MAX  (1u << 29)
#define RESIDENT_PROBE(hits) ((uint32_t)((hits) >> 32) & (RESIDENT_PROBES_MAX - 1))

enum resident_hit_kind {
	RESIDENT_ENTRY,	    /* argN as at a function's entry; offsets too */
	RESIDENT_RETURN,    /* arg0 the offset, arg1 rax, arg2 rdx */
	RESIDENT_LEAVING,   /* the same, if the indirect jump there goes outside */
	RESIDENT_OFFSET,    /* with RESIDENT_RAW only: of an instruction */
	RESIDENT_TRUNCATED, /* no site's: the stack that was cut last */
	/* Added to one of the others: diag:::fpid, which tells of that event. */
	RESIDENT_RAW = 8,
};

#define RESIDENT_NO_REG 255

/* A probe at a site. */
struct resident_hit {
	uint32_t probe; /* index in the probe table */
	uint32_t arg0;	/* RETURN, LEAVING, RAW: offset of the instruction */
	/* LEAVING: the function's parts, in ranges, which need not be pages. */
	uint32_t first_range, nranges;
	/* LEAVING: the target is in reg, or, when that is RESIDENT_NO_REG, in memory at
	 * disp + base + index * scale. Registers by their hardware numbers. */
	int64_t disp;
	uint8_t kind; /* enum resident_hit_kind */
	uint8_t reg, base, index, scale;
	uint8_t room[3];
};

/* [lo, hi), multiples of the page unless said otherwise. Lists ascend, apart. */
struct resident_range {
	uint64_t lo, hi;
};

/*
 * Bytes that hooks and breakpoints cover: a clause that reads ours there sees what
 * was there before. They ascend, apart; there are none while no clause in the process
 * may read its memory.
 *
 * The list in use lies in one half of the shadows, the next one is written into the
 * other while threads read: whoever finds another word behind a reading than before
 * it may have met both, and reads anew. A list has its bytes before they are written.
 */
#define RESIDENT_SHADOW_MAX 7
struct resident_shadow {
	_Atomic uint64_t at;
	_Atomic uint64_t original; /* resident_shadow_bytes() */
	_Atomic uint64_t ours;
};

/* n bytes, at most RESIDENT_SHADOW_MAX, the first one lowest; on top their number. */
static inline uint64_t resident_shadow_bytes(const uint8_t *bytes, uint32_t n)
{
	uint64_t word = (uint64_t)n << 56;

	for (uint32_t i = 0; i < n; i++)
		word |= (uint64_t)bytes[i] << 8 * i;
	return word;
}

static inline uint64_t resident_shadow_count(uint64_t bytes)
{
	return min_u64(bytes >> 56, RESIDENT_SHADOW_MAX);
}

/* The word of a list of n shadows, in the half that has the turn's lowest bit. */
#define RESIDENT_TURN_SHIFT 24
static inline uint64_t resident_shadows(uint64_t turn, uint32_t n)
{
	return turn << RESIDENT_TURN_SHIFT | n;
}

/* How much the block has room for: pages never touched cost nothing. */
struct resident_config {
	uint32_t nsites, nhits, nranges, nshadows, ntcbs, nmodules;
	uint32_t nthreads; /* that have state slots: the first ones */
};

struct resident_block {
	uint32_t magic, version;
	uint64_t bytes;
	struct resident_config config;
	uint64_t sites_at;	  /* struct resident_site [nsites] */
	uint64_t hits_at;	  /* struct resident_hit [nhits], in firing order */
	uint64_t pcs_at;	  /* int32_t [nsites]: pc of the site - its epilogue */
	uint64_t ranges_at;	  /* struct resident_range [nranges] */
	uint64_t shadows_at;	  /* struct resident_shadow [nshadows] */
	uint64_t modules_at;	  /* struct cfi_module [nmodules] */
	uint64_t tcbs_at;	  /* struct resident_tcb [ntcbs] */
	uint64_t count_caches_at; /* struct resident_count_cache [nthreads], in pages */
	/* Of the process. */
	uint64_t state;	   /* address of the state block */
	uint64_t clock;	   /* address of the vDSO's clock_gettime, which must not
			    * use vector registers; 0: it is a system call */
	uint64_t user_end; /* no process has memory from here on */
	uint32_t pid, uid, gid;
	/* Changed while threads run. */
	_Alignas(64) _Atomic uint64_t generation; /* of program; 0: nothing fires */
	_Atomic uint64_t program;		  /* address of the region */
	/* Lists. */
	_Atomic uint64_t ranges;  /* memory that is read without asking first */
	_Atomic uint64_t shadows; /* resident_shadows() */
	_Atomic uint64_t modules; /* whose rows are mapped */
	_Atomic uint32_t nsites;  /* highest number in use + 1 */
	_Atomic uint32_t keeper;  /* robust futex of the keeper, as futex(2) */
	_Atomic uint32_t is_off;  /* resident code has found the keeper dead */
};

#define RESIDENT_KEEPER_DIED UINT32_C(0x40000000) /* FUTEX_OWNER_DIED */

/* The program region. */
struct resident_program {
	uint32_t magic, version;
	uint64_t bytes;
	uint64_t image_at; /* verified */
	uint64_t table_at; /* struct vm_table, checked */
};

/*
 * Lays out a zeroed block, or only tells its size when b is NULL: a multiple of the
 * page, 0 when config is out of range. What is of the process, and the
 * program, is left 0.
 */
uint64_t resident_lay_out(struct resident_block *b,
			  const struct resident_config *config);

/* The program region likewise, whose image has image_bytes. */
uint64_t resident_program_lay_out(struct resident_program *p, uint64_t image_bytes,
				  uint64_t table_bytes);

/* Where the process has the regions. */
struct resident_place {
	uint64_t text, block; /* addresses */
};

/*
 * Registers a thread: fills in tcb `index` and returns the GS base, or 0 when there
 * is no such tcb or the block stands below the gate page. is_inert: nothing
 * fires, for children of fork and vfork.
 */
uint64_t resident_register(struct resident_block *b, const struct resident_place *place,
			   uint32_t index, const struct resident_thread *thread,
			   bool is_inert);
/* The gate of threads with GS base 0, which goes to the gate page. */
void resident_nobody(const struct resident_block *b, const struct resident_place *place,
		     struct resident_gate *gate);

/* The state slots of tcb `index`, one a level; the block needs twice ntcbs. */
static inline uint32_t resident_slot(uint32_t index, uint32_t level)
{
	return STATE_SLOT_FIRST_THREAD + RESIDENT_LEVELS * index + level;
}

/* resident.bin as it was built: resident_text.bytes of it. */
extern const unsigned char resident_bin[];

#endif
