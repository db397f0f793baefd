/* SPDX-License-Identifier: MIT */
/*
 * A compiled D program as one flat, position-free image: a header, then
 * tables found by offset. Produced by dlang/, checked by verify, run by the
 * machine and read by the consumer. No table holds an address.
 *
 *	+--------+------+--------+---------+-------- - - -
 *	| header | CODE | CONST  | STR     | ...
 *	+--------+------+--------+---------+-------- - - -
 *
 * All programs (-n, -s ...) of one run are linked into one image: they share
 * variables and aggregations.
 */
#ifndef VM_PROGRAM_H
#define VM_PROGRAM_H

#include "vm/base/base.h"

#define PROGRAM_MAGIC	UINT32_C(0x474d4944) /* "DIMG" */
#define PROGRAM_VERSION 1

/* What the verifier accepts at most. */
#define PROGRAM_STRSIZE_MAX (1u << 20)
#define PROGRAM_LOCALS_MAX  (1u << 16)
#define PROGRAM_GLOBALS_MAX (1u << 30)
/* What the compiler lets a global or clause-local variable have: scratch memory. */
#define PROGRAM_VARIABLE_MAX (1u << 16)
/* What the compiler lets one value of a record have: a struct, or tracemem(). */
#define PROGRAM_VALUE_MAX  32000u
#define PROGRAM_FRAMES_MAX 1024u /* of one stack */

enum program_section_id {
	SECTION_CODE,	 /* insn_t */
	SECTION_CONST,	 /* uint64_t */
	SECTION_STR,	 /* bytes; offset 0 is the empty string, each terminated */
	SECTION_CLAUSE,	 /* struct program_clause, program order */
	SECTION_VAR,	 /* struct program_var */
	SECTION_AGG,	 /* struct program_agg, order of first appearance */
	SECTION_ACTION,	 /* struct program_action */
	SECTION_FIELD,	 /* struct program_field: keys and payloads */
	SECTION_OPERAND, /* uint32_t: aggregation numbers of actions */
	SECTION_STMT,	 /* struct program_stmt, ascending by first instruction */
	SECTION_COUNT
};

struct program_section {
	uint32_t offset; /* from the image's start, 8-aligned */
	uint32_t count;	 /* elements */
};

struct program_header {
	uint32_t magic, version;
	uint32_t size;	  /* of the whole image, bytes */
	uint32_t strsize; /* option strsize the program was compiled with */
	uint32_t globals; /* bytes of the globals area (offsets below are < this) */
	uint32_t locals;  /* number of clause-local variables */
	struct program_section section[SECTION_COUNT];
};

/* Where a clause can run: in the execution context in which its probe fires. */
enum exec_context {
	CONTEXT_FRONT = 1,
	CONTEXT_KEEPER = 2,
	CONTEXT_RESIDENT = 4,
	CONTEXT_ALL = 7,
};

struct program_clause {
	uint32_t first, count; /* its instructions; the last is END */
	uint32_t stmt, nstmts; /* its statements, for fault messages */
	uint32_t contexts;     /* enum exec_context bits that can run it */
	uint32_t flags;	       /* enum program_clause_flag */
	uint32_t line;	       /* in its source, 1-based */
	uint32_t nominal;      /* bytes of its record; 0: it makes none */
};

enum program_clause_flag {
	CLAUSE_RECORDS = 1,	/* may make a record */
	CLAUSE_DESTRUCTIVE = 2, /* needs the destructive option */
	CLAUSE_CONSTANT = 4,	/* only counts, under a key constant per probe */
	CLAUSE_RECORDER = 8, /* records the firing, after all clauses: record_data() */
};

/*
 * Instructions from first to the next entry belong to action N of the clause,
 * 0 the predicate.
 */
struct program_stmt {
	uint32_t first; /* absolute index into CODE */
	uint32_t action;
};

enum program_scope {
	SCOPE_GLOBAL, /* storage: offset in the globals area */
	SCOPE_SELF,   /* dynamic, keyed by thread (and keys) */
	SCOPE_THIS,   /* storage: index of the clause-local */
	SCOPE_ARRAY,  /* global associative array: dynamic, keyed */
	SCOPE_SELF_ARRAY,
};

enum program_kind {
	KIND_INT,   /* integers, pointers, enums: 8 bytes in tuples and variables */
	KIND_STR,   /* string: length-prefixed in tuples */
	KIND_BYTES, /* struct or array by value: size bytes */
};

/* What the consumer makes of a field's bytes, where its kind does not say enough. */
enum program_show {
	SHOW_PLAIN,  /* as its kind and type say */
	SHOW_STACK,  /* of the kernel, in its events; the layout of SHOW_USTACK */
	SHOW_USTACK, /* KIND_BYTES: uint64_t pid, then pcs, 0 past the last */
	SHOW_JSTACK, /* the same */
	SHOW_SYM, /* KIND_BYTES, 16: uint64_t 0, uint64_t address; sym() and func() */
	SHOW_MOD,
	SHOW_USYM, /* KIND_BYTES, 16: uint64_t pid, uint64_t address; usym(), ufunc() */
	SHOW_UADDR,
	SHOW_UMOD,
	SHOW_FLOAT, /* KIND_BYTES, 4, 8 or 16: a floating-point number */
	SHOW_WIDE,  /* KIND_BYTES: wchar_t, up to the first 0 */
	SHOW_COUNT
};

struct program_field {
	uint8_t kind;	   /* enum program_kind */
	uint8_t is_signed; /* of KIND_INT */
	uint16_t show;	   /* enum program_show */
	uint32_t
		size; /* of KIND_INT: 1, 2, 4, 8; of KIND_BYTES; of KIND_STR: strsize */
	uint32_t type; /* string: D type name, for print() and messages */
};

/* A stack or the name of an address. */
static inline bool program_is_location(const struct program_field *f)
{
	return f->show >= SHOW_STACK && f->show <= SHOW_UMOD;
}

struct program_var {
	uint32_t name; /* string */
	uint8_t scope; /* enum program_scope */
	uint8_t pad[3];
	struct program_field value;
	uint32_t storage;	   /* see enum program_scope; unused for dynamic ones */
	uint32_t first_key, nkeys; /* FIELDs of array keys */
	uint32_t nominal;	   /* bytes of an element, of dynamic ones */
};

/*
 * Bytes that a global of this type takes in the globals area, where it starts
 * at a multiple of 8: an integer is one word; anything else is a word (0: never
 * assigned or NULL, else its length + 1) followed by the content.
 */
static inline uint64_t program_storage_bytes(const struct program_field *f)
{
	return f->kind == KIND_INT ? 8 : 8 + align_up(f->size, 8);
}

/*
 * lquantize parameter: low 32 bits base (signed), then 16 bits step, 16 bits
 * levels. llquantize: 16 bits each of factor, low, high, steps.
 */
struct program_agg {
	uint32_t name; /* string, without the @; "_" for @ */
	uint32_t func; /* enum agg_func */
	uint64_t param;
	uint32_t first_key, nkeys; /* FIELDs */
	uint32_t words;		   /* of the value */
	/*
	 * 0, or the number + 1 of the aggregation whose elements these are too: one
	 * with other types of keys, otherwise equal.
	 */
	uint32_t variant_of;
	uint32_t nominal; /* bytes of an element */
	uint32_t pad;
};

struct program_action {
	uint32_t kind; /* enum action_kind */
	uint32_t text; /* string: format of printf and printa; 0 none */
	uint32_t first_field, nfields;
	uint32_t first_operand, noperands;
};

enum agg_func {
#define AGGFUNC(name, words) AGG_##name,
#include "vm/agg.def"
#undef AGGFUNC
	AGG_COUNT_OF
};

enum action_kind {
#define ACTION(name) ACTION_##name,
#include "vm/action.def"
#undef ACTION
	ACTION_COUNT
};

enum builtin {
#define BUILTIN(name, type, contexts, source) BUILTIN_##name,
#include "vm/builtin.def"
#undef BUILTIN
	BUILTIN_COUNT
};

enum subr {
#define SUBR(name, result, proto, least, most, contexts, flags) SUBR_##name,
#include "vm/subr.def"
#undef SUBR
	SUBR_COUNT
};

enum subr_flag {
	SUBR_PURE = 0,
	SUBR_STATEMENT = 1,
	SUBR_DESTRUCTIVE = 2,
	SUBR_CONTROL = SUBR_STATEMENT | SUBR_DESTRUCTIVE,
	SUBR_LOCATION = 4, /* a stack or symbol: a statement, a key, data of trace() */
	SUBR_READS = 8,	   /* loads memory of the target */
};

enum fault {
#define FAULT(name, value, text, has_address) FAULT_##name = value,
#include "vm/fault.def"
#undef FAULT
	FAULT_NONE = -1
};

static inline const struct program_header *program_header(const void *image)
{
	return image;
}

/* Start of a section; valid only in a verified image. */
static inline const void *program_section(const void *image, enum program_section_id s)
{
	return (const char *)image + program_header(image)->section[s].offset;
}

static inline uint32_t program_count(const void *image, enum program_section_id s)
{
	return program_header(image)->section[s].count;
}

static inline const char *program_string(const void *image, uint32_t offset)
{
	return (const char *)program_section(image, SECTION_STR) + offset;
}

static inline const struct program_clause *program_clause(const void *image, uint32_t i)
{
	return (const struct program_clause *)program_section(image, SECTION_CLAUSE) +
	       i;
}

static inline const struct program_var *program_var(const void *image, uint32_t i)
{
	return (const struct program_var *)program_section(image, SECTION_VAR) + i;
}

static inline const struct program_agg *program_agg(const void *image, uint32_t i)
{
	return (const struct program_agg *)program_section(image, SECTION_AGG) + i;
}

/* The aggregation of which this one is a variant, or itself. */
static inline uint32_t program_agg_primary(const void *image, uint32_t i)
{
	uint32_t of = program_agg(image, i)->variant_of;

	return of ? of - 1 : i;
}

static inline const struct program_action *program_action(const void *image, uint32_t i)
{
	return (const struct program_action *)program_section(image, SECTION_ACTION) +
	       i;
}

static inline const struct program_field *program_field(const void *image, uint32_t i)
{
	return (const struct program_field *)program_section(image, SECTION_FIELD) + i;
}

#endif
