/* SPDX-License-Identifier: MIT */
/*
 * Clauses as machine code. A routine is x86-64 code that does what a whole firing of a
 * probe does: all its clauses in order. Probes with the same list of clauses share one.
 *
 * Which clauses have code: those that compute with integers, test, count, aggregate,
 * use variables of integer type, the target's registers, and integers in its memory, and
 * those that record such, texts of the program, or parts of the probe's name. A load
 * that faults ends its clause as in the machine. A probe with any other clause (one that
 * calls a subroutine, or uses strings in other ways) has no routine, and vm_fire()
 * interprets its clauses. So a routine and vm_fire() have the same effects, and the
 * interpreter is the reference.
 *
 * A light routine does the same without a stack: it is jumped to, in the registers that
 * the thread has at the site, saves those that it writes in native_call, and ends in a
 * jump. Either it has done everything, or it has done nothing and the firing is to be
 * made again in the other way, because something is needed that takes a call. So a
 * probe whose routine mostly does not need that has a light one too, and a probe without
 * a routine has one if a predicate can spare the rest.
 *
 * Code is made once for a program image, outside of the processes that run it
 * (native_translate()), and depends on no address: all that it reaches it reaches
 * through its argument.
 */
#ifndef VM_NATIVE_H
#define VM_NATIVE_H

#include "vm/base/regs.h"
#include "vm/base/tsc_clock.h"
#include "vm/vm.h"

#define NATIVE_REGS 32 /* ISA_REGS */
#define NATIVE_OWN  16 /* OWN_CELLS */
#define NATIVE_ARGS 10 /* arg0 to arg9 */
/* Built-in variables that are asked for once a firing. */
#define NATIVE_ONCE 5

/* Where native_call.once has the built-in variable; NATIVE_ONCE: it has it not. */
static inline uint32_t native_once(uint32_t id)
{
	switch (id) {
	case BUILTIN_timestamp:
		return 0;
	case BUILTIN_vtimestamp:
		return 1;
	case BUILTIN_walltimestamp:
		return 2;
	case BUILTIN_ppid:
		return 3;
	case BUILTIN_cpu:
		return 4;
	default:
		return NATIVE_ONCE;
	}
}

#define NATIVE_PROCESSOR_REGS 16
#define NATIVE_FIRST_SAVED    2	 /* rdx, up to r13: light routines write no others, */
#define NATIVE_SAVED	      12 /* but rax and rcx, which are put aside for them */

/*
 * What light routines find beside the registers of the thread; the caller of
 * native_bind() sets it, if it runs any. Such a routine is entered with rcx = the
 * native_call, rax = anything, and all else as at the site. It leaves with all as at the
 * site but rax and rcx, to `finished` or `unfinished`.
 */
struct native_light_call {
	uint64_t saved[NATIVE_SAVED];  /* by hardware number, from the first on */
	uint64_t flags;		       /* as lahf and seto have them */
	uint64_t finished, unfinished; /* addresses */
	/* Of the thread; where it knows no time, timestamp takes a call. */
	struct tsc_clock clock;
	const void *gate; /* what the thread has put aside: words at NATIVE_GATE_... */
};

/*
 * rax and rcx at the site, the table of sites, the thread's cache, 32 bits: the number of
 * the site, and the range of the thread's stack, as pages; 0, 0: it is not known.
 */
#define NATIVE_GATE_RAX	     0
#define NATIVE_GATE_RCX	     32
#define NATIVE_GATE_SITES    40
#define NATIVE_GATE_CACHE    72
#define NATIVE_GATE_SITE     96
#define NATIVE_GATE_STACK_LO 144
#define NATIVE_GATE_STACK_HI 152
#define NATIVE_GATE_BYTES    160u

/*
 * Sites are NATIVE_SITE_BYTES each: an address, which native_spot.pc counts from, and
 * a word at NATIVE_SITE_WORD. With NATIVE_SITE_ALONE, the word's upper half has the
 * probe's index in the bits NATIVE_SITE_PROBE, the lower one arg0 of a return. Without:
 * the probes there have changed, and a light routine ends unfinished. NATIVE_SITE_PUSHED:
 * the stack pointer of the site is 8 above that of the routine's registers.
 */
#define NATIVE_SITE_BYTES  16u
#define NATIVE_SITE_WORD   8u
#define NATIVE_SITE_ALONE  UINT32_C(0x80000000)
#define NATIVE_SITE_PUSHED UINT32_C(0x20000000)
#define NATIVE_SITE_PROBE  UINT32_C(0x0fffffff)

/*
 * From NATIVE_CACHE_AT on the cache has NATIVE_CACHE_BYTES for each site. The word at
 * NATIVE_CACHE_LINK is what native_call.learnt was after a firing there, as long as all
 * that the routine was bound for is the same; 0: it is not known.
 */
#define NATIVE_CACHE_AT	   4352u
#define NATIVE_CACHE_BYTES 8u
#define NATIVE_CACHE_LINK  4u

/* What records need of the state block and the program (vm/native/record.c). */
struct native_ring {
	const _Atomic uint32_t *open;	 /* chunks that are there */
	unsigned char *data;		 /* of the first chunk */
	const _Atomic uint32_t *sleeper; /* state_sleeper() */
	uint64_t quarter;		 /* of bufsize: the consumer is called */
	uint64_t bufsize, bytes; /* what may be unread: nominal bytes, and bytes */
	uint64_t ids;		 /* pid, and tid in the upper half */
	const char *names;	 /* of probes */
	uint64_t ones, eighties; /* in all bytes: 1, and the highest bit */
};

/* Of a site. */
struct native_spot {
	int32_t pc;	/* its pc less its address in native_call's table of sites */
	uint32_t place; /* its place key, 0: none (REGS_UREG_PLACE) */
};

/* What a load comes to: in rax and rdx. */
struct native_loaded {
	uint64_t value, end; /* enum native_end */
};

/* How a routine goes on after what may fault. */
enum native_end {
	NATIVE_GOES_ON,
	NATIVE_CLAUSE_ENDS,
	NATIVE_FIRING_ENDS,
};

/* An instruction that may fault: its number, and that of the clause in its list. */
static inline uint64_t native_place(uint32_t insn, uint32_t enabling)
{
	return (uint64_t)enabling << 32 | insn;
}

/* In such a place: a fault ends the routine, because what it knows of the ring is old. */
#define NATIVE_PLACE_RECORDS (UINT64_C(1) << 63)

/* What a routine is called with. The code knows the offsets. */
struct native_call {
	/* Of the firing: set by the caller. */
	const struct regs *regs; /* at the site */
	const struct vm_probe *probe;
	uint64_t arg0; /* of a return */
	uint64_t word; /* of the site: NATIVE_SITE_PUSHED is looked at */
	uint64_t site; /* its number; regs.rip is its address */
	/* At a site with a note: those that native_probe.arguments names. */
	uint64_t args[NATIVE_ARGS];
	/* By the caller: those of the table. */
	const struct vm_probe *probes;
	uint64_t nprobes;
	/* Of vm: set by native_bind(). */
	unsigned char *globals;
	uint64_t *locals;
	unsigned char *tuple;
	void *cache;	/* of slot: struct inline_cache [] */
	uint64_t stamp; /* of its entries that are valid, in the upper half */
	uint64_t pid, tid, uid, gid;
	const struct vm_fullname *fullnames;
	const struct vm_enabling *enablings;
	const _Atomic uint32_t *chunks; /* of the slot's shard */
	unsigned char *before_chunks;	/* chunk N of the state block is N chunks on */
	struct native_ring ring;
	/* What the thread's self-> variables count against (vm/run/cell.h). */
	_Atomic uint64_t *nominal;
	uint64_t spare_most;
	/* What a routine calls. */
	uint64_t (*builtin)(struct native_call *c, uint32_t id);
	void (*push)(struct native_call *c, uint64_t value, uint32_t kind);
	void (*aggregate)(struct native_call *c, uint32_t agg, uint64_t value,
			  uint64_t increment, uint32_t place);
	/* By the caller, or NULL: elements of the slot have got other keys. */
	void (*rekeyed)(struct native_call *c);
	/* By the caller, or NULL: the built-in variable timestamp. */
	uint64_t (*clock)(struct native_call *c);
	/* By the caller, or NULL: the clauses of ERROR are about to run, or have. */
	void (*at_fault)(struct native_call *c, bool is_over);
	/* By the caller, by number of the site. */
	const struct native_spot *spots;
	uint64_t (*load)(struct native_call *c, uint32_t var);
	void (*store)(struct native_call *c, uint32_t var, uint64_t value);
	struct native_loaded (*read)(struct native_call *c, uint64_t address,
				     uint32_t access, uint64_t place);
	uint64_t (*fail)(struct native_call *c, uint64_t place, uint32_t fault);
	/* The time of the firing's records. */
	uint64_t (*now)(struct native_call *c);
	/* The whole firing, when nothing of it was done. */
	void (*interpret)(struct native_call *c);
	/* Of the present firing. */
	uint64_t record;    /* address of the next record, for which there is room */
	uint64_t record_at; /* what follows is written there; 0: the clause has none */
	uint64_t item;	    /* address of the action's data */
	uint64_t pc, place;
	uint64_t key;	    /* that an update is cached under */
	uint32_t tuple_end; /* bytes of the tuple under construction */
	uint32_t asked;	    /* bit N: once[N] is known */
	/*
	 * The first update of the clauses, if its key is the same at each firing of the
	 * probe: its element's offset in the shard / 8 + 1. Who reads it sets it to 0.
	 */
	uint32_t learnt;
	uint64_t once[NATIVE_ONCE];
	/* By number of the variable: addresses of elements of self-> variables, or 0. */
	uint64_t own[NATIVE_OWN];
	uint64_t r[NATIVE_REGS]; /* of the machine, without one of the processor */
	struct vm *vm;
	struct slot *slot;
	struct native_light_call light;
};

/* The kind of a pushed value: the size of an integer, or a string's address. */
#define NATIVE_PUSH_STRING 0u

typedef void native_routine(struct native_call *c);

/*
 * Binds the call to the machine's program, state and slot; regs and probe are the
 * caller's. False: vm_fire() must be used. That, and what was bound, holds until
 * state_version() grows, which must have been read before, or vm_fire() in the slot
 * changes vm_rekeyed().
 */
bool native_bind(struct native_call *c, struct vm *vm);

/* The routines of one probe, by the kind of its site: offsets in the code, 0: none. */
struct native_probe {
	uint32_t entry;	    /* argN are those of a C function at its entry */
	uint32_t result;    /* arg0 is native_call.arg0, arg1 and arg2 the result */
	uint32_t noted;	    /* argN are native_call.args */
	uint32_t arguments; /* bit N: noted uses argN */
	/* Light ones, of sites with this probe alone; arg0 of a return is in the word. */
	uint32_t light_entry, light_result;
};

/*
 * Parts of a light routine, offsets in the code. At an instruction from body to
 * finished the thread can go on at unfinished instead, if that instruction faults.
 */
struct native_light {
	uint32_t body, finished, unfinished;
};

struct native_code {
	uint8_t *bytes; /* NULL: no probe has a routine */
	uint32_t n;
	struct native_probe *probes; /* one for each of the table */
	struct native_light *lights; /* ascending */
	uint32_t nlights;
	/*
	 * One for each set of operands of the table: the light routine of the sites that
	 * have these, where the probe's clauses use arguments; 0: none.
	 */
	uint32_t *noted_lights;
};

/*
 * Translates what can be translated for each probe of the table; image and table
 * are verified. For hosted code; native_release() frees what is returned.
 */
void native_translate(const void *image, const struct vm_table *table,
		      struct native_code *out);
void native_release(struct native_code *code);
/*
 * Whether the instruction rdpid has the number that getcpu() returns. Where it exists it
 * takes less than a nanosecond; the limit of a segment, which has it too, takes ten.
 */
bool native_has_rdpid(void);

#endif
