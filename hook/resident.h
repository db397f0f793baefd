/* SPDX-License-Identifier: MIT */
/*
 * The memory that resident code (the code inside a traced process) and the keeper
 * share. Resident code runs the clauses of sites that are reached by jumps, in the
 * thread that hit them.
 *
 * The keeper maps five regions into the process, each at its own address:
 *
 *	1 text	   resident.bin: private, read and execute; directly after it one
 *		   private writable page, the gate page
 *	2 state	   the vm state block of the process (vm/state.h), four memfds one after
 *		   the other; dtrace and keeper map it as well
 *	3 program  struct resident_program, image and probe table: a sealed memfd,
 *		   read-only; a larger one replaces it when the table grows. The
 *		   machine code of its clauses is a mapping of its own: private, read
 *		   and execute
 *	4 block	   two memfds one after the other. Tables: struct resident_block and all
 *		   up to the TCBs; only the keeper's mapping can be written
 *		   (F_SEAL_FUTURE_WRITE). Threads: TCBs, writable for keeper and target
 *	5 caches   the count caches of threads: shared memory of the process alone
 *
 * Of state and block only what is needed is mapped, in parts that grow where they are
 * (enum resident_part; state_slots(), state_pool()). Between them the addresses are
 * free, and the program may take them: then a part stops growing.
 *
 *	+----------------+ text			+----------------+ block
 *	| resident_text  |			| resident_block | page 0
 *	| code           |			| sites          |
 *	+----------------+ text + gate		| hits, spots    |
 *	| shared gate    | <- GS base, no TCB	| lights         |
 *	+----------------+			| ranges         |
 *						| shadows        |
 *						| modules        |
 *						+----------------+
 *						| TCB 0: gate    | <- GS base
 *						| TCB 1          |
 *						+----------------+
 *
 * A TCB is the thread control block of one thread (struct resident_tcb); its address is
 * the thread's GS base. A child of fork shares the block, so it needs an inert TCB of its
 * own. A thread without a TCB uses the shared gate in the gate page.
 *
 * CFI rows of modules (vm/base/cfi.h) are in further sealed memfds, which stay mapped
 * until tracing ends; the block lists the modules.
 *
 * Positions are offsets from the beginning of the block; an address is an address of
 * the target. The keeper computes addresses from a layout of its own (struct
 * resident_view). A target can write anything into the TCBs: the keeper reads each word
 * there once and uses it only as a fact about that thread (resident_tcb_*()).
 *
 * Who writes what, and when:
 *
 *	struct resident_text	the linker
 *	shared gate		keeper, before any site is on; then threads without a
 *				TCB (rcx, epilogue), and the first that finds the
 *				keeper dead (is_off)
 *	struct resident_block	keeper; words marked _Atomic while threads run
 *	sites, hits, spots	keeper, before the site's switch is turned on; while a
 *				site is on, only its word `hits` may change
 *	lights			keeper, after the word `hits`; back to 0 before that
 *				changes
 *	ranges, modules		keeper: a new list beside the old one, then the word
 *	shadows			keeper: a new list over the last but one, then the word
 *	TCB: cfi_cache		the thread
 *	TCB: gate, thread	keeper, while its thread is stopped outside resident
 *				code, before it runs with that GS base
 *	TCB: gate.pending	keeper, while the thread is stopped; the thread, for more
 *				chunks (vm_env.grow)
 *	TCB: the rest		the thread
 *	count caches		the thread
 *
 * The fast count cache. Most firings only add one to a count() under a key that has
 * been counted before. After such a firing (vm_counter) the thread stores, by site,
 * which word that is. The next hit of the site adds two to it and goes on to the
 * epilogue: it uses no stack, two registers and no flags. The cache is valid while
 *
 *	state_version() + block.keeper + 1 + gate.cache_sum == 0
 *
 * Each hit tests this. The end of tracing, the death of the keeper (which can only
 * increase its word) and every change of what firings do make the sum another one, for
 * good. So a change of the program, or of the hits of a site that is on, is made while
 * the process is stopped, or the old clauses fire a little longer; then
 * state_renew() is called.
 *
 * Light routines (vm/native.h). A site whose only probe has one names its address in the
 * table `lights`. While the cache is valid and gate.call is set, a hit of a site that has
 * no counter in the cache jumps there. It ends at the entry: finished, the thread goes on
 * to the epilogue; unfinished, the hit takes the long way, as if it had just come.
 * gate.busy stays 0: such a routine calls nothing that could hit a site. Where it updates
 * an element, the cache has the site's link to that, from a hit that took the long way.
 *
 * Jumps that stay. An interpreter goes from one of its instructions to the next by an
 * indirect jump inside of one function, and each such jump is a site of that function's
 * return. Where the target is in a register, and the site has no other hit, `lights`
 * names code of the text instead (resident_text.leaving): inside of the first of the
 * function's parts nothing fires, and the thread goes on to the epilogue; else the hit
 * takes the long way. A thread in there reads the list with gate.busy 0.
 *
 * Replacing the program: map the new region, store its address into
 * block.program, then add one to block.generation, with release. The old one may be
 * unmapped when the process is stopped and gate.busy of every TCB is 0, at the latest
 * with everything else. The machine code of its clauses stays until then.
 *
 * Signals. A thread is inside when its pc is in text or in the code of clauses, or its
 * gate.busy is not 0 (it may be in the vDSO, called from there). When a signal stops a
 * thread inside:
 *
 *	pc in [guard_begin, guard_end), SIGSEGV or SIGBUS of a fault
 *			set pc = guard_fixup, drop the signal
 *	pc in [late_begin, late_end), or in [enter, fast_end) or [inert, inert_end)
 *			with gate.busy 0: gate.pending will not be tested, or may not
 *			be: single-step until pc is elsewhere, at most 64 instructions
 *	pc in a light routine
 *			single-step as well; after a fault of its body set pc = its
 *			part unfinished, drop the signal
 *	else		keep the signal, set gate.pending = 1, let the thread run. It ends
 *			in a SIGTRAP with pc = leave_trap, and every register but pc is
 *			the target's; pc would be that of level[0].regs. Clear
 *			gate.pending, set pc, deliver the signal
 *
 * That SIGTRAP comes from an int3: as for any breakpoint, the kernel resets the action
 * of a thread that blocks or ignores it.
 *
 * If the keeper has died (block.keeper has FUTEX_OWNER_DIED), a thread switches all
 * sites off and passes through. A hit inside a hit, which only a probed vDSO or a
 * signal that was not held back can cause, runs on the second level; a third is
 * counted in gate.lost and passes through.
 */
#ifndef HOOK_RESIDENT_H
#define HOOK_RESIDENT_H

#include "vm/base/regs.h"
#include "vm/base/cfi.h"
#include "vm/native.h"
#include "vm/vm.h"
#include <stdatomic.h>

#define RESIDENT_MAGIC	       UINT32_C(0x44495352) /* "RSID": resident_text */
#define RESIDENT_BLOCK_MAGIC   UINT32_C(0x4b4c4252) /* "RBLK" */
#define RESIDENT_PROGRAM_MAGIC UINT32_C(0x47505252) /* "RRPG" */
#define RESIDENT_VERSION       19

#define RESIDENT_PAGE	     4096u
#define RESIDENT_LEVELS	     2
#define RESIDENT_SITES_MAX   (1u << 22)
#define RESIDENT_HITS_MAX    (1u << 24)
#define RESIDENT_RANGES_MAX  (1u << 20)
#define RESIDENT_SHADOWS_MAX (1u << 24)
#define RESIDENT_TCBS_MAX    32767u /* two state slots each */
#define RESIDENT_MODULES_MAX (1u << 20)
#define RESIDENT_CFI_CACHE   128u
#define RESIDENT_CACHE_PART  128u /* sites */

/* The first bytes of resident.bin; offsets from there. */
struct resident_text {
	uint32_t magic, version;
	uint32_t bytes;	   /* of resident.bin */
	uint32_t gate;	   /* bytes, rounded up to a page: of the gate page */
	uint32_t enter;	   /* gate.enter of a registered thread */
	uint32_t fast_end; /* of what runs before gate.busy is set, from enter on */
	uint32_t inert;	   /* gate.enter of the shared gate and of inert TCBs */
	uint32_t inert_end;
	uint32_t guard_begin, guard_end, guard_fixup; /* loads of target memory */
	uint32_t late_begin, late_end; /* after the test of gate.pending */
	uint32_t leave_trap;	       /* pc after the int3 that ends a marked firing */
	/* By hardware number of the register, RESIDENT_LEAVING_BYTES each: in place of
	 * a light routine, if the site's one hit is RESIDENT_LEAVING by that one. */
	uint32_t leaving;
};

#define RESIDENT_LEAVING_BYTES 160u

/*
 * The words that a thread reaches through its GS base; stubs use rax and enter
 * (struct stub_gate: spill_at, enter_at).
 */
struct resident_gate {
	_Alignas(128) uint64_t spill; /* the target's, on the way from the stub */
	uint64_t enter;		      /* address of text's enter or inert */
	uint64_t epilogue;	      /* of the inert way, on its way out */
	uint64_t self;		 /* address of the TCB; not used in the shared gate */
	uint64_t rcx;		 /* the target's, on the way in */
	uint64_t sites;		 /* address of the sites */
	uint32_t busy;		 /* levels in use */
	uint32_t pending;	 /* enum resident_pending, when leaving level 0 */
	_Atomic uint64_t lost;	 /* hits with no level left, not yet counted as
				     * drops of the thread's slot */
	uint64_t fired;		 /* firings so far, written by its thread */
	uint64_t cache;		 /* address of the thread's */
	uint64_t state;		 /* address of the state block */
	uint64_t cache_sum;	 /* the sum that the cache hold for, negative; 0:
				     * there are none */
	uint32_t site;		 /* number, on the fast path */
	uint32_t rekeyed;	 /* vm_rekeyed() then */
	_Atomic uint32_t is_off; /* of the shared gate: resident code has found the
				  * keeper dead */
	uint32_t idle;	 /* 1: no level is in use; else 0. What busy says as well, for
			  * the entry's first test; of no other use */
	uint64_t call;	 /* address of the native_call of light routines; 0: none run */
	uint64_t lights; /* address of the block's */
};
_Static_assert(sizeof(struct resident_gate) == 128, "two lines");

/* Whether the thread is to come to leave_trap. */
enum resident_pending {
	RESIDENT_GOES_ON,
	RESIDENT_STOPS,
	/* It let SIGTRAP through for that: the keeper is to block it again. */
	RESIDENT_STOPS_UNBLOCKED,
};

#define RESIDENT_STACK_BYTES	12160u
#define RESIDENT_REGS_BYTES	256u
#define RESIDENT_INTERNAL_BYTES 1920u

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
	uint64_t cache;		     /* address of its count cache; 0: it has none */
	uint32_t tid;
	uint32_t slot[RESIDENT_LEVELS]; /* of the state block */
};

/*
 * The last walk along the thread's stack: what it began from, and every word that it
 * depends on. While all of that is the same, the frames are the same.
 */
#define RESIDENT_WALK_WORDS  58u
#define RESIDENT_WALK_FRAMES 32u
struct resident_walk {
	uint64_t pc, sp, size, fp, base; /* size: of the thread's stack, from sp on */
	uint32_t limit, frames; /* asked for, and found; frames 0: nothing is kept */
	uint32_t nwords;
	uint32_t by_sp : 1,		  /* it does not depend on fp and base */
		is_edge : 1;		  /* it began so: struct unwind_regs */
	uint32_t at[RESIDENT_WALK_WORDS]; /* from sp on */
	uint64_t value[RESIDENT_WALK_WORDS];
	uint8_t word[RESIDENT_WALK_FRAMES]; /* which one is the pc of this frame */
};

struct resident_tcb {
	struct resident_gate gate;
	uint64_t at; /* of this tcb in the block */
	struct resident_thread thread;
	uint64_t cfi_list; /* block.modules that these were found in */
	struct cfi_cached cfi_cache[RESIDENT_CFI_CACHE];
	struct resident_walk walk; /* by the same rows */
	_Alignas(RESIDENT_PAGE) struct resident_level level[RESIDENT_LEVELS];
};

/* Of a thread that has state slots. */
struct resident_count_cache {
	/* A bit for each part of the sites: not all that it has of them is 0. */
	uint64_t parts[RESIDENT_SITES_MAX / RESIDENT_CACHE_PART / 64];
	/* The first sites must not share the low address bits of a gate. */
	uint64_t room[32];
	struct resident_cached {
		/* Place in the state block, / 8, of a word to add two to; 0: none. */
		uint32_t counter;
		/* NATIVE_CACHE_LINK, for the site's light routine. */
		uint32_t link;
	} sites[];
};

#define RESIDENT_TCB_BYTES 32768u
_Static_assert(sizeof(struct resident_tcb) == RESIDENT_TCB_BYTES, "tcbs are pages");

/* One site hooked by a jump. Site numbers are those in the stubs. */
struct resident_site {
	/*
	 * Address in the stub, after the site's prologue. 0: there is no stub. It is set
	 * when stub and switch are written, before the switch is turned on.
	 */
	uint64_t epilogue;
	/* resident_alone(), _return(), _noted(), or resident_list() of hits, with
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
 * every gate.busy 0, and no thread between [enter, fast_end).
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

/* ... or one RESIDENT_ENTRY with REGS_CONVENTION_NOTE, and these operands. */
static inline uint64_t resident_noted(uint32_t probe, uint32_t operands)
{
	return resident_alone(probe) | (operands + UINT64_C(1));
}

/* The number of the operands + 1; 0: the list is of another kind. */
static inline uint32_t resident_operands(uint64_t hits)
{
	return (hits & (RESIDENT_ALONE | RESIDENT_RETURNS)) == RESIDENT_ALONE
		       ? (uint32_t)hits
		       : 0;
}

#define RESIDENT_PUSHED (UINT64_C(1) << 61)
/* With RESIDENT_ALONE: the hit is a RESIDENT_OFFSET instead of a RESIDENT_ENTRY. */
#define RESIDENT_INSIDE (UINT64_C(1) << 60)

/* What is left of a word without its flags; numbers of probes are below this. */
#define RESIDENT_PROBES_MAX  (1u << 28)
#define RESIDENT_PROBE(hits) ((uint32_t)((hits) >> 32) & (RESIDENT_PROBES_MAX - 1))

enum resident_hit_kind {
	RESIDENT_ENTRY,	    /* argN as at a function's entry */
	RESIDENT_RETURN,    /* arg0 the offset, arg1 rax, arg2 rdx */
	RESIDENT_LEAVING,   /* the same, if the indirect jump there goes outside */
	RESIDENT_OFFSET,    /* the same, amid a function: its row alone says where its
			     * return address is */
	RESIDENT_TRUNCATED, /* no site's: the stack that was cut last */
	/* Added to one of the others: the probe diag:::fpid of that event. */
	RESIDENT_RAW = 8,
};

#define RESIDENT_NO_REG 255

/* A probe at a site. */
struct resident_hit {
	uint32_t probe; /* index in the probe table */
	uint32_t arg0;	/* RETURN, LEAVING, RAW: offset of the instruction */
	/* LEAVING: the function's parts, in ranges, which need not be pages. With
	 * REGS_CONVENTION_NOTE: number of the operands in the probe table, and 0. */
	uint32_t first_range, nranges;
	/* LEAVING: the target is in reg, or, when that is RESIDENT_NO_REG, in memory at
	 * disp + base + index * scale. Registers by their hardware numbers. RETURN
	 * with REGS_CONVENTION_TAIL_CALL: disp is where the jump goes. */
	int64_t disp;
	uint8_t kind; /* enum resident_hit_kind */
	uint8_t reg, base, index, scale;
	uint8_t convention; /* enum regs_convention of the function */
	uint8_t role;	    /* enum tail_role (vm/tail_calls.h) */
	uint8_t room;
};

/* [lo, hi), multiples of the page unless said otherwise. Lists ascend, apart. */
struct resident_range {
	uint64_t lo, hi;
};

/*
 * Bytes that detours and breakpoints have replaced: a clause that reads them sees the
 * original ones. The list ascends without overlaps. It is empty while no clause in the
 * process can read its memory.
 *
 * The list in use lies in one half of the shadows, the next one is written into the
 * other while threads read. A reader that finds another word after a read than before
 * may have seen both, and reads again. Bytes are listed before they are replaced.
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

/* How much the block has room for, or how much of that is mapped. */
struct resident_config {
	uint32_t nsites, nhits, nranges, nshadows, ntcbs, nmodules;
};

/* Offsets from the beginning of the block. */
struct resident_layout {
	struct resident_config config;
	uint64_t bytes;	     /* of the block */
	uint64_t sites_at;   /* struct resident_site [nsites] */
	uint64_t hits_at;    /* struct resident_hit [nhits], in firing order */
	uint64_t spots_at;   /* struct native_spot [nsites] */
	uint64_t lights_at;  /* _Atomic uint64_t [nsites]: light routines, 0: none */
	uint64_t ranges_at;  /* struct resident_range [nranges] */
	uint64_t shadows_at; /* struct resident_shadow [nshadows] */
	uint64_t modules_at; /* struct cfi_module [nmodules] */
	uint64_t tcbs_at;    /* struct resident_tcb [ntcbs]: the writable part */
};

/* Parts of the block that are mapped apart. Of the shadows, each half is one. */
enum resident_part {
	RESIDENT_SITES, /* and the header */
	RESIDENT_HITS,
	RESIDENT_SPOTS,
	RESIDENT_LIGHTS,
	RESIDENT_RANGES,
	RESIDENT_SHADOWS,
	RESIDENT_SHADOWS_LATER,
	RESIDENT_MODULES,
	RESIDENT_TCBS,
	RESIDENT_PARTS
};

struct resident_block {
	uint32_t magic, version;
	struct resident_layout layout; /* for resident code alone */
	/* Of the process. */
	uint64_t state;	    /* address of the state block */
	uint64_t clock;	    /* address of the vDSO's clock_gettime, which must not
			    * use vector registers; 0: it is a system call */
	uint32_t has_tsc;   /* 1: it is the time-stamp counter (vm/base/tsc_clock.h) */
	uint32_t has_rdpid; /* 1: that instruction has the processor's number */
	int64_t ahead;	    /* ns that its CLOCK_MONOTONIC is ahead of the tracer's */
	uint64_t user_end;  /* no process has memory from here on */
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
};

#define RESIDENT_KEEPER_DIED UINT32_C(0x40000000) /* FUTEX_OWNER_DIED */

/* The program region. */
struct resident_program {
	uint32_t magic, version;
	uint64_t bytes;
	uint64_t image_at;   /* verified */
	uint64_t table_at;   /* struct vm_table, checked */
	uint64_t natives_at; /* struct native_probe, one for each probe; 0: none */
	uint64_t code;	     /* address of their routines (vm/native.h) */
};

struct resident_program_sizes {
	uint64_t image, table, natives; /* bytes */
};

/*
 * Computes a layout and returns its size, a multiple of the page; 0 if config is out of
 * range.
 */
uint64_t resident_lay_out(struct resident_layout *l,
			  const struct resident_config *config);
/*
 * Where a part is in the block, with so many elements of each table: offset and bytes,
 * which are multiples of the page. nshadows must be a multiple of
 * 1024: so the halves of the shadows begin on pages.
 */
struct resident_extent {
	uint64_t at, bytes;
};
struct resident_extent resident_extent(const struct resident_layout *l,
				       enum resident_part part,
				       const struct resident_config *there);
/* Bytes of the count cache of a thread, for so many sites. */
uint64_t resident_cache_bytes(uint32_t nsites);
/* Fills in the header of a zeroed block but for what is of the process. */
void resident_block_init(struct resident_block *b, const struct resident_layout *l);

/*
 * A mapping of a block, for all but resident code: addresses are computed from this
 * private layout, never from the one in the block.
 */
struct resident_view {
	struct resident_layout layout;
	struct resident_config there; /* what of it is mapped in the process */
	struct resident_block *block; /* NULL: there is none */
};

static inline void *resident_at(const struct resident_view *v, uint64_t offset)
{
	return (unsigned char *)v->block + offset;
}

static inline struct resident_site *resident_site_table(const struct resident_view *v)
{
	return (struct resident_site *)resident_at(v, v->layout.sites_at);
}

static inline struct resident_hit *resident_hit_table(const struct resident_view *v)
{
	return (struct resident_hit *)resident_at(v, v->layout.hits_at);
}

static inline struct native_spot *resident_spot_table(const struct resident_view *v)
{
	return (struct native_spot *)resident_at(v, v->layout.spots_at);
}

static inline _Atomic uint64_t *resident_light_table(const struct resident_view *v)
{
	return (_Atomic uint64_t *)resident_at(v, v->layout.lights_at);
}

static inline struct resident_range *resident_range_table(const struct resident_view *v)
{
	return (struct resident_range *)resident_at(v, v->layout.ranges_at);
}

static inline struct resident_shadow *
resident_shadow_table(const struct resident_view *v)
{
	return (struct resident_shadow *)resident_at(v, v->layout.shadows_at);
}

static inline struct cfi_module *resident_module_table(const struct resident_view *v)
{
	return (struct cfi_module *)resident_at(v, v->layout.modules_at);
}

/* TCB `index`, which is below config.ntcbs: shared with a target that may lie. */
static inline struct resident_tcb *resident_tcb_at(const struct resident_view *v,
						   uint32_t index)
{
	return (struct resident_tcb *)resident_at(
		v, v->layout.tcbs_at + index * (uint64_t)RESIDENT_TCB_BYTES);
}

/* The thread is in no level. */
static inline void resident_tcb_leave(struct resident_tcb *tcb)
{
	tcb->gate.idle = 1;
	tcb->gate.busy = 0;
}

/*
 * What a thread says about itself, read once; nothing else may depend on it. busy: its
 * levels in use.
 */
static inline uint32_t resident_tcb_busy(const struct resident_tcb *tcb)
{
	return *(const volatile uint32_t *)&tcb->gate.busy;
}

static inline uint32_t resident_tcb_pending(const struct resident_tcb *tcb)
{
	return *(const volatile uint32_t *)&tcb->gate.pending;
}

static inline uint64_t resident_tcb_spill(const struct resident_tcb *tcb)
{
	return *(const volatile uint64_t *)&tcb->gate.spill;
}

static inline uint64_t resident_tcb_lost(const struct resident_tcb *tcb)
{
	return atomic_load_explicit(&tcb->gate.lost, memory_order_relaxed);
}

static inline uint64_t resident_tcb_fired(const struct resident_tcb *tcb)
{
	return *(const volatile uint64_t *)&tcb->gate.fired;
}

/* The keeper's: the thread is to look for rows again, whatever the list. */
static inline void resident_tcb_forget_rows(struct resident_tcb *tcb)
{
	*(volatile uint64_t *)&tcb->cfi_list = UINT64_MAX;
}

/* A private copy of the registers at the site of level 0. */
static inline void resident_tcb_regs(const struct resident_tcb *tcb, struct regs *out)
{
	const volatile unsigned char *from =
		(const volatile unsigned char *)&tcb->level[0].regs;

	for (size_t i = 0; i < sizeof(*out); i++)
		((unsigned char *)out)[i] = from[i];
}

/* The program region likewise. */
uint64_t resident_program_lay_out(struct resident_program *p,
				  const struct resident_program_sizes *sizes);

/* Where the process has the regions. */
struct resident_place {
	uint64_t text, block, state; /* addresses */
};

/*
 * Registers a thread: fills in TCB `index` and returns its address, the thread's GS
 * base; 0: there is no such TCB. is_inert: nothing fires, for children of fork and vfork.
 */
uint64_t resident_register(const struct resident_view *v,
			   const struct resident_place *place, uint32_t index,
			   const struct resident_thread *thread, bool is_inert);
/* The gate of threads without a TCB, which goes to the gate page. */
void resident_shared_gate(const struct resident_layout *l,
			  const struct resident_place *place,
			  struct resident_gate *gate);

/* The state slots of TCB `index`, one a level; the block needs twice ntcbs. */
static inline uint32_t resident_slot(uint32_t index, uint32_t level)
{
	return STATE_SLOT_FIRST_THREAD + RESIDENT_LEVELS * index + level;
}

/* resident.bin as it was built: resident_text.bytes of it. */
extern const unsigned char resident_bin[];

#endif
