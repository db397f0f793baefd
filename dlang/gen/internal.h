/* SPDX-License-Identifier: MIT */
/*
 * The generator's files among themselves. One struct gen is the code of one
 * clause. Functions that return a register leave their value in the one that
 * was the first free when they were called, and take exactly that one.
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
	uint32_t contexts; /* who can run all of what was generated */
	uint32_t actions;  /* statements so far */
	bool records, destructive;
};

/* ---- expr.c ---- */

unsigned gen_expr(struct gen *g, const struct ast_expr *e);
/* The value converted to a type, as on a store or for a parameter. */
unsigned gen_converted(struct gen *g, const struct ast_expr *e, const struct type *to);
/* The address of a string in tracer memory: userland ones are copied in. */
unsigned gen_string(struct gen *g, const struct ast_expr *e);
void gen_const(struct gen *g, unsigned r, uint64_t v);
/* r, an address of the target, becomes that of a copy of n bytes of it. */
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
 * A part of a variable is a member, or an element of an array in it. A number
 * is read and stored alone; a string or struct is read from a copy of the whole in
 * scratch, and stored by storing the changed whole.
 */
struct place {
	enum place_kind kind;
	const struct ident *ident;
	const struct type *type;
	bool is_user;	    /* PLACE_MEMORY of the target */
	bool is_part;	    /* of the variable */
	bool has_index;	    /* of a part: bytes to add to offset, in register index */
	uint8_t bit, nbits; /* of a bit-field: as in struct type_member */
	int32_t offset;	    /* bytes from the address, or in the variable */
	unsigned index;
	unsigned base, count; /* registers taken */
};

/* Evaluates keys or address into p->count registers, which stay taken. */
void place_open(struct gen *g, const struct ast_expr *e, struct place *p);
/* Value into register r; keep: a store to the same place follows at once. */
void place_load(struct gen *g, const struct place *p, unsigned r, bool keep);
/* kept: place_load(keep) went before. */
void place_store(struct gen *g, const struct place *p, unsigned r, bool kept);
/* The address of a PLACE_MEMORY, in its register. */
unsigned place_address(struct gen *g, const struct place *p);
/* Begins a tuple of the values in registers base, base + 1 ... */
void gen_tuple(struct gen *g, const struct type *const *types, uint32_t n,
	       unsigned base);
/* Pushes register r as a value of the type. */
void gen_push(struct gen *g, const struct type *t, unsigned r);
/* Keys converted to the signature, each in a register of its own. */
void gen_keys(struct gen *g, const struct ast_expr *keys, const struct ident *id);

/* ---- xlate.c ---- */

/* The address of what an EXPR_XLATE makes. */
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

/* Instructions of registers and a size. */
static inline uint32_t gen_op(struct gen *g, enum isa_op op, unsigned a, unsigned b,
			      unsigned c)
{
	return code_emit(g->img, (struct code_insn){.op = op, .a = a, .b = b, .c = c});
}

/* Those with a number. */
static inline uint32_t gen_imm(struct gen *g, enum isa_op op, unsigned a, unsigned b,
			       int32_t imm)
{
	return code_emit(g->img,
			 (struct code_insn){.op = op, .a = a, .b = b, .imm = imm});
}

#endif
