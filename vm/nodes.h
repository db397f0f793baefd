/* SPDX-License-Identifier: MIT */
/*
 * Containers of nodes, as the compiler tells print_nodes() of them: lists, hash tables
 * (lists as well), search trees and blocks of elements (deques).
 */
#ifndef VM_NODES_H
#define VM_NODES_H

#include "vm/base/base.h"

#define NODES_MAX   64	 /* values that are read at once */
#define NODES_STEPS 1000 /* words of nodes that are read for them */

enum nodes_kind {
	NODES_LIST,   /* a node begins with the address of the next */
	NODES_TREE,   /* with a color and its parent, left and right node */
	NODES_BLOCKS, /* the addresses of blocks of values follow each other */
};

/* Offsets in the node of a tree. */
enum { NODES_PARENT = 8, NODES_LEFT = 16, NODES_RIGHT = 24 };

struct nodes_shape {
	enum nodes_kind kind;
	bool is_ended;	 /* LIST: its end is a 0, and its length is not known */
	uint32_t offset; /* of the value in its node; BLOCKS: values in a block */
	uint32_t size;	 /* of a value */
};

#define NODES_OFFSET_MAX 0xffffu

/* As an argument: kind, is_ended, offset and size from the lowest bits on. */
static inline uint64_t nodes_shape_word(const struct nodes_shape *s)
{
	return (uint64_t)s->kind | (uint64_t)s->is_ended << 2 |
	       (uint64_t)(s->offset & NODES_OFFSET_MAX) << 8 | (uint64_t)s->size << 32;
}

static inline struct nodes_shape nodes_shape_of(uint64_t word)
{
	return (struct nodes_shape){
		.kind = (enum nodes_kind)(word & 3),
		.is_ended = (word >> 2 & 1) != 0,
		.offset = (uint32_t)(word >> 8 & NODES_OFFSET_MAX),
		.size = (uint32_t)(word >> 32),
	};
}

/* Why a walk has stopped: in the high byte of the word before the values. */
enum nodes_end {
	NODES_MORE,	  /* there is no room for more, or it has all */
	NODES_ENDED,	  /* the address of the next node is 0 */
	NODES_UNREADABLE, /* a node cannot be read */
	NODES_ENDLESS,	  /* the limit of steps */
};

#define NODES_END_SHIFT 56

#endif
