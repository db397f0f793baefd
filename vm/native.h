/* SPDX-License-Identifier: MIT */
/*
 * Clauses as machine code. A routine is x86-64 code that does what a whole firing of a
 * probe does: all its clauses in order. Probes with the same list of clauses share one.
 *
 * Which clauses have code: those that compute with integers, test, count, aggregate, and
 * use variables of integer type; none of their instructions can fault. A probe
 * with any other clause (one that makes records, reads memory of the target or calls a
 * subroutine) has no routine, and vm_fire() interprets its clauses. So a routine and
 * vm_fire() have the same effects, and the interpreter is the reference.
 *
 * Code is made once for a program image, outside of the processes that run it
 * (native_translate()), and depends on no address: all that it reaches it reaches
 * through its argument.
 */
#ifndef VM_NATIVE_H
#define VM_NATIVE_H

#include "vm/base/regs.h"
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

/* What a routine is called with. The code knows the offsets. */
struct native_call {
	/* Of the firing: set by the caller. */
	const struct regs *regs; /* at the site */
	const struct vm_probe *probe;
	uint64_t arg0; /* of a return */
	/* At a site with a note: those that native_probe.arguments names. */
	uint64_t args[NATIVE_ARGS];
	/* Of vm: set by native_bind(). */
	unsigned char *globals;
	uint64_t *locals;
	unsigned char *tuple;
	void *cache;	/* of slot: struct inline_cache [] */
	uint64_t stamp; /* of its entries that are valid, in the upper half */
	uint64_t pid, tid, uid, gid;
	const struct vm_fullname *fullnames;
	const struct vm_enabling *enablings;
	/* What a routine calls. */
	uint64_t (*builtin)(struct native_call *c, uint32_t id);
	void (*push)(struct native_call *c, uint64_t value, uint32_t kind);
	void (*aggregate)(struct native_call *c, uint32_t agg, uint64_t value,
			  uint64_t increment, uint32_t place);
	/* By the caller, or NULL: elements of the slot have got other keys. */
	void (*rekeyed)(struct native_call *c);
	/* By the caller, or NULL: the built-in variable timestamp. */
	uint64_t (*clock)(struct native_call *c);
	uint64_t (*load)(struct native_call *c, uint32_t var);
	void (*store)(struct native_call *c, uint32_t var, uint64_t value);
	/* Of the present firing. */
	uint64_t key;	    /* that an update is cached under */
	uint32_t tuple_end; /* bytes of the tuple under construction */
	uint32_t asked;	    /* bit N: once[N] is known */
	uint64_t once[NATIVE_ONCE];
	/* By number of the variable: addresses of elements of self-> variables, or 0. */
	uint64_t own[NATIVE_OWN];
	uint64_t r[NATIVE_REGS]; /* of the machine, without one of the processor */
	struct vm *vm;
	struct slot *slot;
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
};

struct native_code {
	uint8_t *bytes; /* NULL: no probe has a routine */
	uint32_t n;
	struct native_probe *probes; /* one for each of the table */
};

/*
 * Translates what can be translated for each probe of the table; image and table
 * are verified. For hosted code; native_release() frees what is returned.
 */
void native_translate(const void *image, const struct vm_table *table,
		      struct native_code *out);
void native_release(struct native_code *code);

#endif
