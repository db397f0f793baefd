/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: one firing under way, and what its instructions do through
 * the other files. All lengths and positions of the firing live here, on the
 * stack: the block, where its scratch and tuple bytes are, may be written by
 * the traced process at any time.
 */
#ifndef VM_RUN_FIRING_H
#define VM_RUN_FIRING_H

#include "vm/isa.h"
#include "vm/block/layout.h"
#include "vm/record.h"
#include "vm/vm.h"

enum record_phase {
	RECORD_NONE, /* the clause has recorded nothing yet */
	RECORD_OPEN,
	RECORD_LOST,	/* no room: counted */
	RECORD_IGNORED, /* speculating without a speculation: nothing is recorded */
};

/* The record of the present clause, not yet committed. */
struct record_writer {
	enum record_phase phase;
	ring_place start, at;
	uint64_t size;
	uint32_t room; /* nominal bytes */
	uint64_t spec; /* name of the speculation it goes into, or 0 */
	/* Speculations that the clause has ended and not reported yet, or 0. */
	uint64_t committed, discarded;
};

/* Nothing is recorded. record_begin() sets the rest. */
static inline void record_writer_reset(struct record_writer *w)
{
	w->phase = RECORD_NONE;
	w->spec = 0;
	w->committed = w->discarded = 0;
}

/* Arguments of ERROR, arg0 on. */
#define FIRING_ERROR_ARGS 6

struct firing {
	struct vm *vm;
	struct slot *slot;
	const struct vm_probe *probe;
	const uint64_t *error_args; /* of an ERROR firing; else NULL */
	uint64_t *locals;
	uint32_t strsize;
	uint32_t scratch_used;

	bool is_recorded;	/* it keeps a journal (journal.h): */
	bool is_journal_full;	/* it has no room for more */
	bool is_journal_spoilt; /* the program has used its memory */
	uint32_t journal_used;

	bool is_end;	       /* of END, after everything else */
	bool is_stopped;       /* by this firing: no later clause of it runs */
	bool is_snapshot;      /* it has called snapshot() */
	uint32_t clause, epid; /* being run */
	uint32_t pc;	       /* of the fault: absolute instruction */
	uint64_t fault_address;

	uint32_t depth; /* tuples under construction; [depth - 1] is the innermost */
	uint32_t tuple_end;
	uint32_t tuple_start[ISA_TUPLES];

	struct record_writer record;
	/* strtok(): where the next call goes on (0: nowhere), and how far. */
	uint64_t token_at;
	uint32_t token_left;
	uint64_t chance; /* rand(): the last number, 0 before the first */

	uint64_t counted_at; /* offset of the element last updated */

	uint64_t cached; /* bit N: cache[N] holds built-in N */
	uint64_t cache[BUILTIN_COUNT];
};

/* The state was made for this image, and the slot is one of it. */
static inline bool vm_is_usable(const struct vm *vm)
{
	const struct program_header *h = program_header(vm->image);
	const struct state_config *c = &vm->state->config;

	return vm->slot < c->nslots && h->globals <= c->globals &&
	       h->locals <= c->locals &&
	       program_count(vm->image, SECTION_AGG) <= c->naggs;
}

/*
 * Nothing fires any more: in the run, or, told by a target, in its address space. What is
 * left of this firing is the rest of the clause.
 */
/* After the slot may have taken chunks. */
static inline void firing_grow(const struct vm *vm, struct slot *slot)
{
	if (!slot->is_short)
		return;
	slot->is_short = 0;
	if (vm->env.grow)
		vm->env.grow(vm->env.ctx);
}

/* Bytes that the slot has recorded. */
static inline uint64_t firing_written(const struct slot *slot)
{
	return atomic_load_explicit(&slot->written, memory_order_relaxed);
}

/* After a firing, before which the slot had written so much. */
static inline void firing_settle(const struct vm *vm, struct slot *slot,
				 uint64_t written)
{
	firing_grow(vm, slot);
	if (vm->env.wait && firing_written(slot) != written &&
	    state_wants_wait(vm->state, vm->slot))
		vm->env.wait(vm->env.ctx);
}

static inline void firing_stop(struct firing *f)
{
	f->is_stopped = true;
	if (f->vm->context == CONTEXT_RESIDENT)
		state_stop_exchange(f->vm->state);
	else
		state_stop(f->vm->state);
}

/* Ends the clause with BADADDR: return firing_bad_address(f, addr). */
static inline enum fault firing_bad_address(struct firing *f, uint64_t addr)
{
	f->fault_address = addr;
	return FAULT_BADADDR;
}

/* Why a local variable has no value: its site has no place, or the program knows none
 * of its file. */
enum fault firing_no_local(const struct firing *f);

/* n bytes of scratch, 8-aligned, as offset; false: NOSCRATCH. */
static inline bool scratch_take(struct firing *f, uint64_t n, uint32_t *offset)
{
	uint32_t at = (uint32_t)align_up(f->scratch_used, 8);

	if (at > SCRATCH_BYTES || n > SCRATCH_BYTES - at)
		return false;
	f->scratch_used = at + (uint32_t)n;
	f->is_journal_spoilt |= f->scratch_used > JOURNAL_AT;
	*offset = at;
	return true;
}

/* Start of the innermost tuple, and its size. */
static inline const void *tuple_top(const struct firing *f, uint32_t *size)
{
	uint32_t start = f->tuple_start[f->depth - 1];

	*size = f->tuple_end - start;
	return f->slot->tuple + start;
}

static inline void tuple_pop(struct firing *f)
{
	f->tuple_end = f->tuple_start[--f->depth];
}

/* memory.c: tracer memory as D pointers see it. */
/* Readable bytes from addr on; *avail of them, 0: none. NOSCRATCH for a copy. */
enum fault memory_at(struct firing *f, uint64_t addr, const unsigned char **bytes,
		     uint64_t *avail);
enum fault memory_load(struct firing *f, uint64_t addr, unsigned access, uint64_t *out);
enum fault memory_store(struct firing *f, uint64_t addr, unsigned access,
			uint64_t value);
enum fault memory_load_target(struct firing *f, uint64_t addr, unsigned access,
			      uint64_t *out);
/* A string, at most strsize bytes of it; NULL is empty. Not terminated at *len. */
enum fault memory_string(struct firing *f, uint64_t addr, const char **text,
			 uint32_t *len);
enum fault memory_compare(struct firing *f, uint64_t a, uint64_t b, uint64_t *out);
/* n bytes for reading, or BADADDR. Those of a D variable are a copy. */
enum fault memory_bytes(struct firing *f, uint64_t addr, uint64_t n,
			const unsigned char **bytes);
/*
 * Memory that clauses may write: scratch memory, also beyond what is taken of it, and
 * D variables. memory_room() gives a place for n bytes to be put into, which
 * memory_filled() brings to addr.
 */
enum fault memory_room(struct firing *f, uint64_t addr, uint64_t n,
		       unsigned char **bytes);
enum fault memory_filled(struct firing *f, uint64_t addr, uint64_t n,
			 const unsigned char *bytes);
/* Writes n bytes, which may overlap them. */
enum fault memory_write(struct firing *f, uint64_t addr, const unsigned char *bytes,
			uint64_t n);

/* n bytes of tracer memory at src to dst; they may overlap. */
enum fault memory_copy(struct firing *f, uint64_t dst, uint64_t src, uint64_t n);
/* The string at src to n bytes at dst, truncated, or followed by zeros. */
enum fault memory_copy_string(struct firing *f, uint64_t dst, uint64_t src, uint32_t n);
/* The string in an array of n characters, which need not have room for a NUL. */
enum fault memory_array_string(struct firing *f, uint64_t addr, uint32_t n,
			       uint64_t *out);
/*
 * A copy of the string, NULL as empty, with room for a byte at the offset, which a
 * string of strsize bytes must have.
 */
enum fault memory_string_room(struct firing *f, uint64_t addr, uint64_t offset,
			      uint64_t *out);

/* object.c: global and self-> variables of struct and array type by their addresses. */
static inline bool object_is(uint64_t addr)
{
	return addr - VM_ADDR_GLOBALS < VM_ADDR_SPAN ||
	       addr - VM_ADDR_CELLS < VM_ADDR_CELLS_SPAN;
}

static inline uint64_t object_address(uint32_t var)
{
	return VM_ADDR_GLOBALS + ((uint64_t)var << VM_ADDR_OFFSET_BITS);
}

/* Bytes from the address to the end of its variable; 0: there is none. */
uint64_t object_left(const struct firing *f, uint64_t addr);
/* BADADDR unless all n bytes are of one variable that exists. */
enum fault object_read(struct firing *f, uint64_t addr, void *buf, uint64_t n);
enum fault object_write(struct firing *f, uint64_t addr, const void *bytes, uint64_t n);

/* tuple.c */
enum fault tuple_push_int(struct firing *f, uint64_t value, unsigned size);
enum fault tuple_push_string(struct firing *f, uint64_t addr);
enum fault tuple_push_bytes(struct firing *f, uint64_t addr, uint32_t n);
/* n bytes with their number before them, where there is room; what they take. */
uint32_t tuple_put(unsigned char *to, const void *bytes, uint32_t n);

/* builtin.c */
/* The processor on which the probe fired, the same for all of the firing. */
uint32_t builtin_cpu(struct firing *f);
/* When it fired, by the clock that records are ordered by; 0: that cannot be read. */
uint64_t builtin_clock(struct firing *f);
enum fault builtin_load(struct firing *f, uint32_t id, uint64_t *out);
enum fault builtin_load_indexed(struct firing *f, uint32_t id, uint64_t index,
				uint64_t *out);

/* vars.c: globals; a string or struct is loaded as a copy in scratch memory. */
enum fault vars_load(struct firing *f, const struct program_var *v, uint64_t *out);
enum fault vars_store(struct firing *f, const struct program_var *v, uint64_t value);
/* An integer in a struct: its place, and its access as in the instruction. */
struct subobject {
	uint64_t offset;
	unsigned access;
};

/* Is it inside a value of the field? */
static inline bool subobject_fits(const struct subobject *s,
				  const struct program_field *field)
{
	unsigned size = s->access & 15;

	return size <= field->size && s->offset <= field->size - size;
}

/* v's low bytes as a load with this access leaves them. */
static inline uint64_t subobject_extend(uint64_t v, unsigned access)
{
	unsigned shift = 64 - 8 * (access & 15);

	if (access & ISA_SIGNED)
		return (uint64_t)((int64_t)(v << shift) >> shift);
	return v;
}

/* Some bytes of a struct. */
struct piece {
	uint64_t offset, n;
};

/* Of a global struct, which has the piece. What a drop keeps from being read is 0. */
void vars_read(struct firing *f, const struct program_var *v, struct piece p,
	       void *buf);
void vars_write(struct firing *f, const struct program_var *v, struct piece p,
		const void *bytes);

/* Parts of a struct without the rest of it; BADADDR is the offset outside. */
enum fault vars_load_subobject(struct firing *f, const struct program_var *v,
			       struct subobject sub, uint64_t *out);
enum fault vars_store_subobject(struct firing *f, const struct program_var *v,
				struct subobject sub, uint64_t value);
/*
 * Clause-locals: a word each. A struct's word is the address of its memory in
 * scratch, taken and zeroed when it is first used.
 */
enum fault vars_load_local(struct firing *f, const struct program_var *v,
			   uint64_t *out);
enum fault vars_store_local(struct firing *f, const struct program_var *v,
			    uint64_t value);
/*
 * What a store writes: a string's or struct's content, at most field.size
 * bytes; *bytes is NULL for NULL. KIND_INT: not for it.
 */
enum fault vars_content(struct firing *f, const struct program_field *field,
			uint64_t addr, const unsigned char **bytes, uint32_t *len);
/* Room in scratch for a loaded value of len bytes, zero after the content. */
enum fault vars_make_room(struct firing *f, const struct program_field *field,
			  uint32_t len, unsigned char **room, uint64_t *addr);

/* dynvar.c: the variable's element under the innermost tuple. */
enum fault dynvar_load(struct firing *f, uint32_t var, uint64_t *out);
enum fault dynvar_store(struct firing *f, uint32_t var, uint64_t value);
enum fault dynvar_load_subobject(struct firing *f, uint32_t var, struct subobject sub,
				 uint64_t *out);
enum fault dynvar_store_subobject(struct firing *f, uint32_t var, struct subobject sub,
				  uint64_t value);
/* Where the element of a self-> struct is, made if there is none; 0: no room. */
void dynvar_address(struct firing *f, uint32_t var, uint64_t *out);
/* The self-> struct whose first cell has this number; NULL: none. */
const struct program_var *dynvar_of_cell(const struct firing *f, uint32_t cell);
/* A piece, which the struct has. False: no element begins at the cell any more. */
bool dynvar_read(struct firing *f, uint32_t cell, struct piece p, void *buf);
bool dynvar_write(struct firing *f, uint32_t cell, struct piece p, const void *bytes);

/* record.c. False: there is no room for the clause's record, and the clause ends. */
bool record_begin(struct firing *f);
/* The innermost tuple as the data of an action. */
bool record_action(struct firing *f, uint32_t action);
/* A fault as the clause's record, whose own was abandoned. */
void record_fault(struct firing *f, const struct record_fault *report);
/* Publishes the clause's record, if it has one. */
void record_commit(struct firing *f, enum record_kind kind);
void record_abandon(struct firing *f);
/*
 * What the clause records from here on goes into the speculation; 0: nowhere. False: it
 * goes nowhere. A speculation that has no room left counts that.
 */
bool record_speculate(struct firing *f, uint64_t spec);

/*
 * fire.c: a firing of the probe whose clauses a routine runs; f->pc, f->cached and
 * f->fault_address are the caller's. firing_fault() is the end of one by a fault there.
 */
void firing_begin(struct firing *f, struct vm *vm, const struct vm_probe *probe);
void firing_fault(struct firing *f, const struct vm_enabling *enabling,
		  enum fault fault);
/* Interprets the probe's clauses from this one on; all, where none is a recorder. */
void firing_go_on(struct firing *f, uint32_t first);
void firing_interpret(struct vm *vm, const struct vm_probe *probe);

/* interp.c: runs the clause; FAULT_NONE or the fault that ended it. */
enum fault interp_run(struct firing *f, const struct program_clause *clause);

/* The folder subr/: one function for each line of subr.def; *out is 0 before. */
#define SUBR(name, result, proto, least, most, contexts, flags)                        \
	enum fault subr_##name(struct firing *f, const uint64_t *args, unsigned n,     \
			       uint64_t *out);
#include "vm/subr.def"
#undef SUBR

#endif
