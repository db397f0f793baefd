/* SPDX-License-Identifier: MIT */
/*
 * The D machine: verifies a program image and runs its clauses for the
 * probes that fire. The same sources serve the front, the keeper and the
 * code inside the target: no allocation, no libc, no lock, no mutable global.
 */
#ifndef VM_VM_H
#define VM_VM_H

#include "vm/env.h"
#include "vm/program.h"
#include "vm/state.h"

/*
 * Sets CLAUSE_CONSTANT of every clause that it describes. For who makes the
 * image, after it is complete; the flag changes no result, only the time.
 */
void program_mark_constant(void *image);

/*
 * Sets the nominal sizes of clauses, aggregations and variables: those that the sizes of
 * buffers count (image/nominal.c). For who makes the image, after it is complete.
 */
void program_set_nominal(void *image);
/*
 * The most bytes of memory that a record, or an element of a dynamic variable, may take
 * for each of its nominal bytes. Of a verified image.
 */
uint32_t program_record_growth(const void *image);
uint32_t program_variable_growth(const void *image);

/* Whether the clause, of a verified image, may load memory of the target. */
bool program_reads_target(const void *image, const struct program_clause *clause);
/* Bit N: the clause, of a verified image, loads argN. */
uint32_t program_arguments(const void *image, const struct program_clause *clause);
/* Whether the clause may call exit(). */
bool program_stops(const void *image, const struct program_clause *clause);

/*
 * Whether any clause of a verified image uses what all processes of a run share: global
 * variables, associative arrays, thread-local variables, speculations.
 */
bool vm_shares_variables(const void *image);

struct verify_error {
	uint32_t insn;	  /* absolute instruction, or UINT32_MAX for a table */
	const char *text; /* static */
};

/*
 * Proves that running any clause of the image stays inside it: sizes and
 * offsets, forward jumps, registers defined on every path, tuples balanced,
 * every clause ended. Run it on a private copy. 0 or STATUS_BADFMT.
 */
int program_verify(const void *image, size_t size, struct verify_error *e);

/* One probe as the machine sees it: what firing needs. */
struct vm_probe {
	uint32_t id;			     /* 1-based, as printed */
	uint32_t first_enabling, nenablings; /* in vm.enablings, program order */
};

/* Its name, in a table apart: many clauses never ask for it. */
struct vm_fullname {
	uint32_t field[4]; /* provider, module, function, name: offsets in vm.names */
};

struct vm_enabling {
	uint32_t clause;
	uint32_t epid;
};

/*
 * The probe table as it is handed between contexts: this, then
 *
 *	struct vm_probe probes[nprobes];
 *	struct vm_enabling enablings[nenablings];
 *	struct vm_fullname fullnames[nprobes];
 *	char names[names_size];
 *	struct probe_operands operands[noperands];
 *
 * Probe number i of the arrays has id i + 1; enablings of all probes follow each
 * other.
 */
#define VM_NAMES_REST 8u /* names end with so many zeroes, or records take longer */
struct vm_table {
	uint32_t nprobes, nenablings;
	uint32_t names_size;
	uint32_t error; /* index of dtrace:::ERROR, or UINT32_MAX when not enabled */
	uint32_t missed_ustack; /* index + 1 of diag:::missed-ustack, or 0 */
	uint32_t noperands;	/* if not 0, names_size is a multiple of 4 */
};

enum vm_fire_flag {
	VM_FIRE_NORMAL = 0, /* nothing runs once the stop flag is up */
	VM_FIRE_BEGIN = 1,  /* tests the stop flag before every clause */
	VM_FIRE_END = 2,    /* ignores the stop flag */
};

/*
 * The machine of one execution context. All pointers are borrowed; image and
 * names are private copies that stay unchanged. One vm belongs to one slot and is used
 * by one thread at a time.
 */
struct vm {
	const void *image; /* verified */
	struct state *state;
	uint32_t slot;
	const char *names; /* probe name strings */
	size_t names_size;
	const struct vm_fullname *fullnames; /* [id - 1] */
	const struct vm_enabling *enablings;
	const struct vm_probe *error; /* dtrace:::ERROR, or NULL when not enabled */
	struct vm_env env;
	uint32_t context; /* one enum exec_context bit */
	/* Of the present firing: set by the caller before vm_fire(). */
	uint32_t cpu; /* if env.cpu is NULL */
	uint32_t pid, tid;
	uint64_t thread;   /* identity for self->: unique per traced thread, not 0 */
	uint64_t own_time; /* own_time_enter(), or 0: timestamp is the clock's */
};

/*
 * Runs every clause enabled on the probe, in program order, in vm->slot.
 * Faults end their clause, leave a fault record and run ERROR's clauses here
 * and now. Never fails: what cannot be recorded is counted as a drop. False: the probe
 * does not fire, because tracing has stopped or is restricted to another CPU.
 */
bool vm_fire(struct vm *vm, const struct vm_probe *probe, enum vm_fire_flag flag);

/*
 * For a caller that fires without the machine. When the only effect of another
 * firing of the probe in vm->slot is to count once more, and where is known: the
 * word that it would add two to; else NULL, as where firings are measured. That holds
 * until state_version() grows or vm_rekeyed() changes, each looked at before the call.
 * The slot's owner alone may call this and add, and not during a firing.
 */
_Atomic uint64_t *vm_counter(const struct vm *vm, const struct vm_probe *probe);
/* False: vm_counter() is NULL for every probe of this image. */
bool vm_may_count(const void *image);
/* How often elements of the slot's aggregations have been given other keys. */
uint32_t vm_rekeyed(const struct vm *vm);

/* The same; what is lost meanwhile is counted in state_drops.unheard as well. */
void vm_fire_unheard(struct vm *vm, const struct vm_probe *probe,
		     enum vm_fire_flag flag);

/* Text of a dump of the image, one line an instruction (hosted only; -S). */
struct strbuf;
void dump_image(const void *image, struct strbuf *out);
/* The part of it that is one clause. */
void dump_clause_code(const void *image, uint32_t number, struct strbuf *out);

#endif
