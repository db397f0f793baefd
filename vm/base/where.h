/* SPDX-License-Identifier: MIT */
/*
 * Where a local variable is while control is at one address: expressions over registers
 * and memory. symbols/ makes them from debug data, dlang/ makes code of them.
 */
#ifndef VM_BASE_WHERE_H
#define VM_BASE_WHERE_H

#include "vm/base/base.h"

/* All values have 64 bits. */
enum where_op {
	WHERE_CONST,	/* n */
	WHERE_REGISTER, /* element n of uregs[] */
	WHERE_ADDRESS,	/* n, in the numbering of the file */
	WHERE_NONE,	/* not there: reading it is a fault */
	WHERE_LOAD,	/* the n bytes at address a, zero-extended */
	WHERE_EXTEND,	/* the low n bytes of a */
	WHERE_NEG,
	WHERE_NOT,
	WHERE_ADD, /* a and b, as all that follow */
	WHERE_SUB,
	WHERE_MUL,
	WHERE_DIV, /* signed */
	WHERE_MOD, /* unsigned */
	WHERE_AND,
	WHERE_OR,
	WHERE_XOR,
	WHERE_SHL,
	WHERE_SHR,
	WHERE_SHRA,
	WHERE_EQ, /* signed comparisons; the result is 0 or 1 */
	WHERE_NE,
	WHERE_LT,
	WHERE_LE,
	WHERE_GT,
	WHERE_GE,
	WHERE_IF, /* b if a is not 0, else the node number n */
};

struct where_node {
	enum where_op op;
	bool is_signed; /* of WHERE_EXTEND */
	uint16_t a, b;	/* numbers of nodes, which come before this one */
	uint64_t n;
};

enum where_kind {
	WHERE_GONE,   /* nowhere */
	WHERE_MEMORY, /* at the address that the node gives */
	WHERE_VALUE,  /* the node gives it */
	WHERE_VECTOR, /* in the vector register number node */
};

struct where_piece {
	enum where_kind kind;
	uint16_t node;
	uint64_t size; /* bytes; 0, if it is the only one: all of the variable */
};

#define WHERE_NODES_MAX	 192
#define WHERE_PIECES_MAX 16

struct where {
	struct where_node nodes[WHERE_NODES_MAX];
	uint32_t nnodes;
	/* In memory order. What no piece has is nowhere. */
	struct where_piece pieces[WHERE_PIECES_MAX];
	uint32_t npieces;
	const char *why; /* static text: why a piece is gone, or NULL */
};

/* Whether both are one place. */
static inline bool where_is_same(const struct where *a, const struct where *b)
{
	if (a->nnodes != b->nnodes || a->npieces != b->npieces)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++)
		if (a->nodes[i].op != b->nodes[i].op ||
		    a->nodes[i].n != b->nodes[i].n || a->nodes[i].a != b->nodes[i].a ||
		    a->nodes[i].b != b->nodes[i].b ||
		    a->nodes[i].is_signed != b->nodes[i].is_signed)
			return false;
	for (uint32_t i = 0; i < a->npieces; i++)
		if (a->pieces[i].kind != b->pieces[i].kind ||
		    a->pieces[i].node != b->pieces[i].node ||
		    a->pieces[i].size != b->pieces[i].size)
			return false;
	return true;
}

/* Whether nothing of the variable is anywhere. */
static inline bool where_is_gone(const struct where *w)
{
	for (uint32_t i = 0; i < w->npieces; i++)
		if (w->pieces[i].kind != WHERE_GONE)
			return false;
	return true;
}

#endif
