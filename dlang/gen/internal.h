/* SPDX-License-Identifier: MIT */
/*
 * What the files of the generator share. One struct gen generates one clause. A function
 * that returns a register returns the first one that was free at its call, and leaves
 * only that one allocated.
 */
#ifndef DLANG_GEN_INTERNAL_H
#define DLANG_GEN_INTERNAL_H

#include "dlang/check/check.h"
#include "dlang/gen/code.h"
#include "dlang/gen/regs.h"

struct gen {
	struct dlang *d;
	struct image *img;
	struct regs regs;
	uint32_t contexts; /* the contexts that can run all the code so far */
	uint32_t actions;  /* statements so far */
	bool records, destructive;
	bool is_recorder;   /* calls record_data() */
	bool has_many_keys; /* more than the option tregs allows */
	struct {
		uint32_t *data;
		size_t len, cap;
	} ends; /* jumps to the end of the clause */
};

/* ---- expr.c ---- */

unsigned gen_expr(struct gen *g, const struct ast_expr *e);
/* The value converted to a type, as for a store or an argument. */
unsigned gen_converted(struct gen *g, const struct ast_expr *e, const struct type *to);
/* The address of a string in tracer memory; a userland string is copied in. */
unsigned gen_string(struct gen *g, const struct ast_expr *e);
void gen_const(struct gen *g, unsigned r, uint64_t v);
/* r = copyin(r, n) */
void gen_copyin(struct gen *g, unsigned r, uint32_t n);
/* r *= size */
void gen_scale(struct gen *g, unsigned r, uint64_t size);

/* ---- place.c: where values live ---- */

enum place_kind {
	PLACE_BUILTIN,
	PLACE_BUILTIN_ELEMENT, /* index in register base */
	PLACE_GLOBAL,
	PLACE_THIS,
	PLACE_DYN,    /* keys in registers base, base + 1 ... */
	PLACE_MEMORY, /* address in register base */
};

/*
 * Where an lvalue is. A sub-object of a variable is a member, or an element of an array
 * in it. A number in a global or dynamic variable is loaded and stored by itself. Other
 * sub-objects are loaded from a copy of the whole variable in scratch memory, and stored
 * by storing the whole after a change. The value of an array is the address of the
 * variable itself, where it has one: has_address().
 */
struct place {
	enum place_kind kind;
	const struct ident *ident;
	const struct type *type;
	bool is_user;	/* PLACE_MEMORY of the target */
	bool is_part;	/* a sub-object of the variable */
	bool is_store;	/* it will be stored to */
	bool is_text;	/* a byte of a string variable, of a place that is_store */
	bool has_index; /* of a sub-object: register index has bytes to add to offset */
	uint8_t bit, nbits; /* of a bit-field: as in struct type_member */
	int32_t offset;	    /* bytes from the address, or in the variable */
	unsigned index;
	unsigned base, count; /* allocated registers */
};

/* Evaluates the keys or the address into p->count registers, which stay allocated. */
void place_open(struct gen *g, const struct ast_expr *e, struct place *p);
/* The same, for a place that is stored to. */
void place_open_store(struct gen *g, const struct ast_expr *e, struct place *p);
/* Loads the value into register r. keep: the next access is a store to the place. */
void place_load(struct gen *g, const struct place *p, unsigned r, bool keep);
/* Stores register r. kept: the access before was place_load() with keep. */
void place_store(struct gen *g, const struct place *p, unsigned r, bool kept);
/* The register with the address of a place that has one; the only one that is left. */
unsigned place_address(struct gen *g, const struct place *p);
/* Makes a tuple of the values in registers base, base + 1 ... */
void gen_tuple(struct gen *g, const struct type *const *types, uint32_t n,
	       unsigned base);
/* Pushes register r, a value of the type, to the tuple. */
void gen_push(struct gen *g, const struct type *t, unsigned r);
/* Evaluates keys, converted to the signature, each into a register. */
void gen_keys(struct gen *g, const struct ast_expr *keys, const struct ident *id);

/* ---- xlate.c ---- */

/* The address of the struct that an EXPR_XLATE makes. */
unsigned gen_xlate(struct gen *g, const struct ast_expr *e);

/* ---- action.c ---- */

/* A statement that calls the action e->ident. */
void gen_action(struct gen *g, const struct ast_expr *e);
/* ustack() and the like as a statement: records as trace() of it would. */
void gen_location(struct gen *g, const struct ast_expr *e);

/* ---- instructions ---- */

static inline uint32_t gen_emit(struct gen *g, struct code_insn i)
{
	return code_emit(g->img, i);
}

/* Emits an instruction of registers and sizes. */
static inline uint32_t gen_op(struct gen *g, enum isa_op op, unsigned a, unsigned b,
			      unsigned c)
{
	return code_emit(g->img, (struct code_insn){.op = op, .a = a, .b = b, .c = c});
}

/* Emits an instruction with an immediate. */
static inline uint32_t gen_imm(struct gen *g, enum isa_op op, unsigned a, unsigned b,
			       int32_t imm)
{
	return code_emit(g->img,
			 (struct code_insn){.op = op, .a = a, .b = b, .imm = imm});
}

#endif
