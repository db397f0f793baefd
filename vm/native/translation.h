/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/native: a routine under translation.
 *
 * In a routine rbx (rdi, where it calls nothing) is the struct native_call. The first
 * five registers of the machine are registers of the processor, the others words in
 * native_call.r. rax, rcx and rdx hold intermediate values; updates and calls also use
 * rsi, r8 and r9, which is why a routine with such does not keep registers there.
 *
 * A light routine has the struct native_call in r11. rdi is the target's all the time.
 * One that records has native_call.record_at in LIGHT_RECORD_AT, in place of a register
 * of the machine.
 */
#ifndef VM_NATIVE_TRANSLATION_H
#define VM_NATIVE_TRANSLATION_H

#include "vm/base/probe_operand.h"
#include "vm/isa.h"
#include "vm/native.h"
#include "vm/native/x86.h"

#define CALL_AT(field) ((int32_t)offsetof(struct native_call, field))
#define LIGHT_AT(field)                                                                \
	(CALL_AT(light) + (int32_t)offsetof(struct native_light_call, field))

#define LIGHT_RECORD_AT X86_R13

/* What is known of a register of the machine. */
enum known {
	KNOWN_NOTHING,
	KNOWN_CONSTANT, /* value */
	KNOWN_STRING,	/* value: the address of a string of the image */
	KNOWN_NAME,	/* value: a part of the probe's name, enum builtin */
	KNOWN_MIXED,	/* a string on one way here, and has no code */
};

struct known_value {
	enum known what;
	uint64_t value;
};

/* Whether the clause has begun a record on the ways that lead here. */
enum record_begun { RECORD_NOWHERE, RECORD_EVERYWHERE, RECORD_SOMEWHERE };

/* The record under construction. Where ways join, nothing is after record_at. */
struct record_translation {
	enum record_begun begun;
	uint32_t after; /* bytes from native_call.record_at to what is written next */
	bool has_moved; /* record_at does not only follow the header */
	bool is_item;	/* the tuple is an action's data, */
	uint32_t item;	/* which begins there, after record_at; or, */
	bool is_noted;	/* native_call.item says where */
};

/* A jump to an instruction that has no code yet. */
struct waiting_jump {
	uint32_t to;	  /* instruction, absolute */
	uint32_t jump;	  /* for x86_land() */
	uint32_t strings; /* bit N: register N is a string there */
	struct record_translation record;
	bool has_effect; /* light_translation.has_effect there */
};

#define JUMPS_MAX 64

/*
 * The tuple under construction. Values that are the same at every firing of a probe wait:
 * if all are, the update is cached, and the tuple is made only when the cache fails.
 */
#define TUPLE_VALUES_MAX 8

struct tuple_part {
	struct known_value value;
	uint32_t size; /* of an integer */
};

struct tuple_translation {
	bool is_open;
	bool is_static; /* its size is known: end */
	uint32_t end;
	uint32_t n, pushed, strings;
	bool is_lone; /* one integer, in a register, and nothing is made yet */
	unsigned lone;
	struct tuple_part part[TUPLE_VALUES_MAX];
};

/* Where argN are: the members of struct native_probe. */
enum native_site { NATIVE_AT_ENTRY, NATIVE_AT_RETURN, NATIVE_AT_NOTE };

/*
 * Exits: jumps to the end that leaves the firing to another way. There are none once
 * something was done that must not be done twice.
 */
#define EXITS_MAX 64

struct light_translation {
	bool is_on;		    /* the routine is to be a light one */
	bool has_effect;	    /* something was done, maybe */
	bool is_half;		    /* an exit was needed after that */
	bool is_learner;	    /* an exit is taken until a routine has run */
	bool asks_again;	    /* timestamp is used at more than one place */
	uint32_t owned[NATIVE_OWN]; /* number + 1 of the variable that is known there */
	uint32_t exits[EXITS_MAX], nexits;
};

/* Those of a probe, in their order. */
struct clause_list {
	const uint32_t *clause;
	uint32_t n;
};

struct translation {
	const void *image;
	uint32_t name_most; /* bytes of a part of a probe's name in a tuple, at most */
	bool records;	    /* some clause does */
	struct record_translation record;
	struct x86_code *code;
	enum native_site site;
	const struct probe_operands *operands; /* of a light one of NATIVE_AT_NOTE */
	bool is_leaf;			       /* no call may be made */
	bool failed;			       /* something has no code */
	uint32_t nplaces;
	enum x86_reg call; /* holds the struct native_call */
	enum x86_reg place[ISA_REGS];
	/* Of the present clause. */
	uint32_t clause;
	uint32_t enabling; /* its number in the probe's list */
	uint32_t at, end;  /* instructions, absolute */
	uint32_t update;   /* the first instruction of all clauses that aggregates */
	struct known_value known[ISA_REGS];
	uint32_t pending; /* bit N: register N, if it is a constant, is nowhere */
	/* The next instruction, a jump, goes by the flags: no register has that. */
	bool is_decided;
	enum x86_condition decision;
	struct waiting_jump jumps[JUMPS_MAX];
	uint32_t njumps;
	/* Jumps to the end of the routine. */
	uint32_t stops[JUMPS_MAX], nstops;
	bool has_spot; /* native_call.pc and place are set */
	bool is_dead;  /* of a light routine: no path leads here */
	struct tuple_translation tuple;
	struct light_translation light;
};

static inline struct x86_mem call_at(const struct translation *t, int32_t offset)
{
	return (struct x86_mem){t->call, offset};
}

/* The instruction has no code, for any reason. */
static inline void translation_fail(struct translation *t)
{
	t->failed = true;
}

/* The register has no code, only what is known of it. */
static inline bool translation_is_string(const struct translation *t, unsigned r)
{
	return t->known[r].what >= KNOWN_STRING;
}

/* The register of the processor that holds register r, loaded into spare if none does. */
enum x86_reg translation_read(struct translation *t, unsigned r, enum x86_reg spare);
void translation_move(struct translation *t, enum x86_reg to, unsigned r);
/* Register r is what `from` holds, of which nothing is known. */
void translation_write(struct translation *t, unsigned r, enum x86_reg from);
/* Register r is a constant, which is loaded where it is needed. */
void translation_set(struct translation *t, unsigned r, uint64_t value);
/* to = number of the probe; rax and rcx change. */
void translation_load_id(struct translation *t, enum x86_reg to);
/* A call of a function of native_call, whose first argument is that. */
void translation_call(struct translation *t, int32_t function);
/* The jump leads to the end of the routine. */
void translation_stop(struct translation *t, uint32_t jump);

/* Jumps out of code for the expected case, to where the other begins. */
struct missed_jumps {
	uint32_t jump[8], n;
};

/* light.c: in a light routine these jumps are exits. */
void light_exit_by(struct translation *t, const struct missed_jumps *missed);
/* No path goes on from here. */
void light_exit(struct translation *t);
/* rax = the upper half of the site's word, rcx = its address; an exit if it changed. */
void light_load_site(struct translation *t);
/* clock.c: rax = timestamp, in a light routine; rcx and rdx change. */
void light_load_time(struct translation *t);
/* What follows must not be done twice. */
static inline void light_commit(struct translation *t)
{
	t->light.has_effect = true;
}

/*
 * update.c: the update by AGGR of an element that is cached; the key is in r9 unless the
 * place is update_is_first(). No jump is missed: the function has no such code.
 */
void update_cached(struct translation *t, insn_t i, struct missed_jumps *missed);
/* Where that is cached: a place of vm/run/inline_cache.h. */
uint32_t update_place(const struct translation *t);
/* The site's cache has the element: in a light routine no key is needed. */
bool update_is_first(const struct translation *t);

/*
 * record.c: records of the clauses. record_reserve_all() comes before anything is
 * done: it leaves the firing to native_call.interpret() unless there is room for all. A
 * light routine looks for room when the record begins.
 */
bool record_is_made(const void *image, struct clause_list list);
/* Whether a part of the probe's name may be in one. */
bool record_has_names(const void *image, struct clause_list list);
void record_reserve_all(struct translation *t, struct clause_list list);
void record_begin_clause(struct translation *t, uint32_t clause);
/* The record is published. */
void record_end_clause(struct translation *t);
/* Before a jump, or where one lands: what is known of the place goes to memory. */
void record_settle(struct translation *t);
void record_join(struct translation *t, const struct record_translation *other);
/* Whether the instruction begins an action's data, is part of it, or ends it. */
bool record_takes(const struct translation *t, insn_t i);
void translate_record(struct translation *t, insn_t i);

/* tuple.c: instructions on tuples and what they are keys of. */
void translate_tuple(struct translation *t, insn_t i);
/*
 * own.c: self-> variables of integer type. own_load() loads rax; where the element is not
 * known, or the value begins or ceases to be 0, the jumps are missed and nothing is done.
 * Those of light routines do all.
 */
void own_load(struct translation *t, insn_t i, struct missed_jumps *missed);
void own_store(struct translation *t, insn_t i, struct missed_jumps *missed);
void own_load_light(struct translation *t, insn_t i);
void own_store_light(struct translation *t, insn_t i);
/* integer.c: those that compute. */
void translate_integer(struct translation *t, insn_t i);
/* variable.c: built-in, global and clause-local variables. */
void translate_variable(struct translation *t, insn_t i);
/* Register r = the target's, in a light routine. */
void variable_load_live(struct translation *t, unsigned r, enum x86_reg from);
/* In a light routine: the register that has the target's, the spare or that itself. */
enum x86_reg variable_live(struct translation *t, enum x86_reg from,
			   enum x86_reg spare);
/* operand.c: register r = an argument, by the operands of a light routine. */
void operand_load_argument(struct translation *t, unsigned r, uint32_t index);
/* target.c: rax = the stack pointer at the site; rcx changes. */
void target_load_sp(struct translation *t);
/* rax = the size bytes at rax if they are the stack's, else an exit; rcx, rdx change. */
void target_load_stack(struct translation *t, unsigned size, bool is_signed);
/* target.c: elements of uregs[], loads of the target's memory, and what faults. */
void translate_target(struct translation *t, insn_t i);
/* native_call.pc, if the clauses use it. */
void target_find_spot(struct translation *t, struct clause_list list);

/*
 * routine.c: the code of a probe's clauses, for sites of this kind. False: there is
 * none, and what is in the buffer is no code.
 */
/* Whether a tuple has room for two such strings; of names of probes too. */
bool routine_takes_string(const char *text);
struct routine_request {
	const void *image;
	struct clause_list clauses;
	enum native_site site;
	uint32_t name_most;
};
bool routine_translate(const struct routine_request *r, struct x86_code *out);
/* routine.c: all clauses in order, without what comes before and after. */
void translate_clauses(struct translation *t, struct clause_list list);

/*
 * light.c: the same as a light routine, of which the parts are offsets in the buffer.
 */
enum light_verdict {
	LIGHT_IS,
	LIGHT_HALF,	/* a call may be needed after something was done */
	LIGHT_NEVER,	/* a call is needed in any case */
	LIGHT_UNLEARNT, /* nothing else finds the elements that it needs */
	LIGHT_LONG,
};
struct light_request {
	const void *image;
	struct clause_list clauses;
	enum native_site site;
	bool has_routine;		       /* of the other kind */
	const struct probe_operands *operands; /* valid ones, of NATIVE_AT_NOTE */
	uint32_t name_most;		       /* as in struct translation */
};
enum light_verdict light_translate(const struct light_request *r, struct x86_code *out,
				   struct native_light *parts);

#endif
